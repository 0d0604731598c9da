"""Tells by address and title what kind of page a page is: shop, blog, talk, retelling.

The lists of sources name sites one by one; a shop or a blog that nobody has listed
is told by how its address is built. Pure.
"""

import re

from handlers.citations.addresses import host_of
from handlers.model import Ignored

Fault = tuple[Ignored, str]

_SHOP_HOST = re.compile(
    r"(?:^|[.-])(?:shop|store|boutique|merch|tickets?|buy)\.|\.(?:shop|store|boutique)$"
)
_SHOP_PATH = re.compile(
    r"^[^/]*//[^/]+/(?:[\w-]+/)*?(?:products?|shop|store|cart|basket|dp|buy|merch|isbn|p/books)/",
    re.IGNORECASE,
)
_OWN_HOST = re.compile(
    r"(?:^|[.-])(?:blogs?|weblog|forums?|boards?|community|fans?|fansite|wiki|fanwiki)\."
    r"|\.(?:blog|forum|wiki|fans?)$|(?:^|[.-])(?:fan(?:club|page|site|base)|wiki)[.-]"
)
_TRADE_HOST = re.compile(
    r"(?:lawyers?|lawfirm|law-firm|attorneys?|bailbonds?|sportsbook|bookmakers?|horoscopes?|networth|gossip)(?:[.-]|$)"
    r"|(?:^|[.-])(?:bet|bets|betting|odds|quiz|exams?|mcqs?|injury)[.-]"
    r"|^(?:[\w-]+\.)*(?:celeb|networth|gossip|wikibio|gktoday|injury)[\w-]*\.\w+$"
)
# A page of somebody's talk, judgement or retelling, by its title.
_TALK = re.compile(
    r"\b(?:interview(?:s|ed)?|q ?(?:&|and) ?a|in conversation|talks? (?:to|about|with)|speaks? to|opens? up|chats? (?:to|with|about)|podcast|transcript"
    r"|ending|lyrics?|easter eggs|net worth|biography, age|age, height|where (?:is|are) .{3,40} now|who is|fun facts|trivia|spoilers?|synopsis|season \d+ cast"
    r"|top \d+|reacts?|predictions?|odds|betting|quotes?|sparknotes|cliffsnotes|study guide)\b",
    re.IGNORECASE,
)


def fault(address: str) -> Fault | None:
    """Return why no page of that address can be a source, as far as it tells."""
    host = (host_of(address) or "").lower()
    if _SHOP_HOST.search(host) or _SHOP_PATH.match(address):
        return Ignored.ADVERTISING, "the page of a shop"
    if _OWN_HOST.search(host):
        return Ignored.UNRELIABLE, "a blog, a forum or a site of fans"
    if _TRADE_HOST.search(host):
        return Ignored.UNRELIABLE, "a site that sells or bets"
    return None


def is_talk(title: str) -> bool:
    """Tell by its title whether a page is an interview, a list or a retelling."""
    return bool(_TALK.search(title))
