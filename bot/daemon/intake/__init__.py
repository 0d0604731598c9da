"""Finds out what changed on the wikis: reads their feed and remembers its position."""
