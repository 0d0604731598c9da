"""Kills the daemon at random instants, for as long as one likes, and counts what broke.

`./dev torture` runs it; a short form of it is a test like any other.
"""
