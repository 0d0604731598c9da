"""What editors see: the on-wiki script, and its HTTP backend."""
