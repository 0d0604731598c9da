"""How to reach the world, and when: one room for each subject, from `records` to `app`."""

__version__ = "0.1.0"
