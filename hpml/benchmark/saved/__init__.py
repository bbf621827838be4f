"""Files of measurements: our own lines of JSON, and the format of pyperf."""
