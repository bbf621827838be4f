"""Lab 12: training a ConvNeXt faster without losing accuracy."""
