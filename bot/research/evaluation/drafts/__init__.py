"""Measures drafts of articles: WikiGenBench's events, metrics and tables.

Events go in, drafts of them are made and judged, figures come out beside the paper's.
Start with `wikigen`.
"""
