"""Commands for researchers: `evaluate`, `train`, `benchmark`, `sweep`, `judgements`."""
