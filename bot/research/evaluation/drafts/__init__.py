"""Measures drafts of articles: WikiGenBench's events, metrics and tables.

Drafts of events are made (`setups`) and judged (`judge`, `overlap`), and their figures shown
beside the paper's (`tables`). Start with `wikigen`.
"""
