"""What to ask of a search, and how to join what two of them answer."""
