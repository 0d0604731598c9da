"""Measures how good the program is, on data sets that others can read too."""
