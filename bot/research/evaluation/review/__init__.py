"""Measures articles of systems as Wiki Live Challenge does: Wiki Fact and Wiki Writing.

From a benchmark of Good Articles and systems' articles it works out how much of the
Good Articles is covered, what the citations support and which article reads better.
Start with `wiki_fact`.
"""
