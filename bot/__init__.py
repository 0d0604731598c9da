"""How to reach the world, and when: adapters, store, evaluation, command line."""
