"""Puts a process together: settings in, tools and roles out.

No other package names both. `daemon` builds what runs: read it first. `checks`, `searches`,
`updates` and `drafts` build what a single page needs; `wiki`, `sources`, `store` and
`language_model` connect to everything outside; `serving` builds the status server and the
panel's backend, `demo` a daemon on recorded data, and `logs` says how the program logs.
"""
