"""Tries whatever the settings in force need, and says what is wrong and what to do.

Each module examines one group of things. An examination reads, asks and tries; it never
writes to a wiki, leaves nothing behind but the count of the searches it asked (in a data
folder that is there), and shows no secret.
"""
