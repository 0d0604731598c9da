"""Measures articles of systems as Wiki Live Challenge does: Wiki Fact and Wiki Writing.

From a benchmark of Good Articles and systems' articles it works out how much of the Good
Articles is covered, what the citations support and which article reads better. Start with
`wiki_fact`.

- `articles`, `markdown`, `directory`: reads the benchmark; a system's Markdown; writes it
- `judge`, `examination`: statements and facts; a whole article
- `wiki_fact`, `figures`: the evaluation, and its figures
- `wiki_writing`, `pairwise`: which of two articles reads better
- `flaws`: whether a review tells good from generated
"""
