"""The benchmarks as a page: each figure beside its peers, measured in one run.

`making` puts it together, the other modules measure one thing each or show it.
"""
