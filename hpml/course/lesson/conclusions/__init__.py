"""The verdict that ends a lab: which hypotheses the measured intervals leave standing."""
