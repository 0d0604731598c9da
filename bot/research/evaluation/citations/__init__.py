"""Measures the checks of citations: on labelled rows, shipped articles and WikiGenBench.

SIDE's questions (Petroni et al., Nature Machine Intelligence 2023): is a citation that
fails found (`ranking`), can a better one be found (`retrieval`, `recommendations`), and
what do people say (`judgements`)? Start with `verification`.
"""
