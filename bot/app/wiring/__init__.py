"""Puts a process together: settings in, tools and roles out.

No other package names both. `daemon` builds what runs; `checks`, `searches`, `updates`
and `drafts` build what a single page needs; `wiki`, `sources`, `store` and
`language_model` connect to everything outside.
"""
