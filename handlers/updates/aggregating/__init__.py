"""Counts that texts state of one thing, as drafts compare them. Pure."""
