"""Lab 12: training a ConvNeXt faster, and as well."""
