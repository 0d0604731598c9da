"""Measures how good the program is, on data sets that others can read too.

A file of labelled rows, events or articles enters; an `EvaluationReport` leaves, with the
file's fingerprint, the engine, every figure with its interval, and the rows that could not
be scored. Start with `report`, then `citations/verification`.

- `datasets`, `events`: read labelled rows and WikiGenBench
- `contest`, `evaluator`: judge every row, by a verifier or a language model
- `atomic_facts`: a sentence as single facts
- `checkpoints`: shares long work among processes, and resumes it
- `metrics`, `report`: the formulas; the figures together
- `page`, `plots`: the figures as HTML and SVG
- `benchmarks`: the floors that they must reach
- `citations`, `updates`, `drafts`, `review`: what is measured, a folder each
"""
