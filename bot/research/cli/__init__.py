"""The commands of researchers: `evaluate`, `train`, `benchmark`, `sweep`, `judgements`."""
