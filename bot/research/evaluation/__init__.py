"""Measures how good the program is, on data sets that others can read too.

A file of labelled rows, events or articles enters; an `EvaluationReport` leaves, with
the file's fingerprint, the engine, every figure with its interval, and the rows that
could not be scored. `datasets` and `events` read, `checkpoints` shares long work among
processes and resumes it, `metrics` has the formulas, `report` collects the figures,
`page` and `plots` show them, and `benchmarks` holds them to their floors. Each folder
measures one thing: `citations`, `updates`, `drafts`, `review`. Start with `report`, then
`citations/verification`.
"""
