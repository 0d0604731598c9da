"""The HTTP API of the panel: one table of operations makes its routes and its document.

It stands outside the operator's guard, for the public asks here: what it answers, to whom,
how often and from which pages of the web is decided in this package alone.
"""
