"""Puts a process together: settings in, tools and roles out; nowhere else are both named.

`daemon` is what runs; `checks`, `searches`, `updates` and `drafts` are what one page
needs; `wiki`, `sources`, `store` and `language_model` reach the world.
"""
