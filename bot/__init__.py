"""How to reach the world, and when: adapters, store, evaluation, command line."""

__version__ = "0.1.0"
