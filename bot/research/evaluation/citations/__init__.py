"""Measures the checks of citations: on labelled rows, shipped articles and WikiGenBench.

SIDE's questions (Petroni et al., Nature Machine Intelligence 2023): are failing
citations found (`ranking`), can better ones be found (`retrieval`, `recommendations`),
and what do people say (`judgements`)? Start with `verification`.
"""
