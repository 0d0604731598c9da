"""Measures the checks of citations: on labelled rows, shipped articles and WikiGenBench.

SIDE's questions (Petroni et al., Nature Machine Intelligence 2023): are failing citations
found (`ranking`), can better ones be found (`retrieval`, `recommendations`), and what do
people say (`judgements`)? `plain` has cases that any reader judges alike, `sentences` those
of articles, `demo` the articles that ship. Start with `verification`.
"""
