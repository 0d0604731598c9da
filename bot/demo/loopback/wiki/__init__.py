"""A real MediaWiki on loopback, for the demo and for tests.

`serving` is the entry point: `code` finds MediaWiki on this machine, `seeds` says what
the wiki holds, `shelf` has our own templates, `building` builds the wiki once.
"""
