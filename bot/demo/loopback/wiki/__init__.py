"""A real MediaWiki on loopback, for the demo and for tests.

`serving` is the way in: `code` finds MediaWiki on this machine, `seeds` says what the
wiki holds, `shelf` has the templates of our own, `building` makes the wiki once.
"""
