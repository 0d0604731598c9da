"""Measures drafts of articles: WikiGenBench's events, metrics and tables.

Drafts of events are made and judged, and their figures shown beside the paper's. Start
with `wikigen`.
"""
