"""The HTTP API of the panel, on FastAPI.

It stands outside the operator's guard, for the public asks here: what it answers, to whom,
how often and from which pages of the web is decided in this package alone. Start with
`app`, which puts the operations of `pages`, `decisions`, `checks` and `sign_in` together.
"""

from gadget.api.access import Origins, origin_of, origins_of_wikis
from gadget.api.app import make_api
from gadget.api.backend import Parts, Rules, rules_of

__all__ = [
    "Origins",
    "Parts",
    "Rules",
    "make_api",
    "origin_of",
    "origins_of_wikis",
    "rules_of",
]
