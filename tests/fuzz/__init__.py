"""Fuzzing of all that reads hostile bytes: `./dev fuzz`, its targets and their corpora."""
