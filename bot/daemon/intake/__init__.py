"""Finds out what changed on the wikis: reads their feed and keeps the place in it."""
