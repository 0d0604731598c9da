"""An account's session with a wiki; the only package that can write to one.

Each request is sent once, and a write whose answer is lost is told from one that never
left.
"""

from bot.adapters.wiki_session.exchange import NoAnswer, NotSent
from bot.adapters.wiki_session.session import Account, WikiSession

__all__ = ["Account", "NoAnswer", "NotSent", "WikiSession"]
