"""Kills daemons and databases and fills disks, as often as one likes; counts what broke.

`./dev torture` runs it all; short forms of it are tests like any other.
"""
