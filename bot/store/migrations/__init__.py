"""Numbered changes of the tables, each applied once and in order."""
