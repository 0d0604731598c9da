"""Tests everything the current settings need, and says what is wrong and how to fix it.

Each module tests one group of things. A test never writes to a wiki, leaves nothing
behind but its own searches in the count of the day (if the data folder exists), and
shows no secret.
"""
