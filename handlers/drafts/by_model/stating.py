"""Tells words that no encyclopaedia has, wherever a model put them. Pure.

They may come from a page that speaks to the programs that read it.
"""

import re

from handlers.model import Ignored
from handlers.updates.by_model.wording import MARKUP
from handlers.updates.extracting import orders, voice

_TELLING = 9  # names and figures, so many that no colour counts
_NEVER = frozenset({Ignored.NOT_A_FACT, Ignored.ADVERTISING})
_OWN_WORDS = frozenset(
    {"the writer speaks of himself", "a speaker's words, or a label"}
)
# Signs that prose has not, and runs of signs that are no word.
_ODD = re.compile(r"[\^=|<>{}\[\]\\~]|&\w+;|[^\s–—-]{36,}")


def no_statement(text: str) -> str | None:
    """Return why `text` states nothing: markup, an order, a question; else `None`.

    Args:
        text: on one line.
    """
    if MARKUP.search(text) or _ODD.search(text) or not text.isprintable():
        return "it holds markup or an address"
    order = orders.fault(text)
    if order is not None:
        return order
    fault = voice.heard(text, telling=_TELLING, is_stale=False).fault
    if fault is None or (fault[0] not in _NEVER and fault[1] not in _OWN_WORDS):
        return None
    return f"it is no statement: {fault[1]}"
