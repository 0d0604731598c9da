"""Measures articles of systems as Wiki Live Challenge does: Wiki Fact and Wiki Writing.

A benchmark of Good Articles and systems' articles goes in; how much they cover, what
their citations support and which reads better comes out. Start with `wiki_fact`.
"""
