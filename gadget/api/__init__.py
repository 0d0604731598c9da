"""The HTTP API of the panel: one table of operations makes its routes and its document.

It stands outside the operator's guard, for the public asks here: what it answers, to whom,
how often and from which pages of the web is decided in this package alone.
"""

from gadget.api.app import make_api
from gadget.api.origins import Origins, origin_of, origins_of_wikis
from gadget.api.parts import Parts, Rules
from gadget.api.rules import rules_of

__all__ = [
    "Origins",
    "Parts",
    "Rules",
    "make_api",
    "origin_of",
    "origins_of_wikis",
    "rules_of",
]
