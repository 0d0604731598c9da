"""Lets the whole program run for long, moves its clock and breaks what it depends on.

`./dev soak` runs it all; a small seeded piece of it is a test like any other.
"""
