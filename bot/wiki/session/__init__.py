"""An account's session with a wiki; the only package that can write to one.

Each request is sent once, and a write whose answer is lost is told from one that never
left.
"""

from bot.wiki.session.exchange import NoAnswer, NotSent
from bot.wiki.session.session import Account, WikiSession

__all__ = ["Account", "NoAnswer", "NotSent", "WikiSession"]
