"""The HTTP API of the panel, on FastAPI.

It is outside the operator's guard, because it is public: only this package decides what
it answers, to whom, how often and from which web pages. Start with `app`, which combines
the operations of `pages`, `decisions` and `sign_in`. `access` says who may ask, `backend`
has the parts they use, `answers` what need not be made again, `problems` the errors.
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
