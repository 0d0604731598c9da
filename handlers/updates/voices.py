"""How many independent voices stand behind a fact.

One registered domain is one voice. So are papers that print the same agency's report,
whether they say so or only use its words: two of them prove no more than one. Pure.
"""

import re
from collections.abc import Iterator, Sequence
from ipaddress import ip_address

from handlers.citations.addresses import host_of, unarchived
from handlers.model import SourceReading, UpdateSource

# Second-level names under which countries register domains: "co.uk", "com.au".
_SECOND_LEVEL_NAMES = """
    ac asso co com csiro ed edu ens gob gos gouv gov govt govern ind law ltd med mil
    muni ne net nhs nic nom nsw or org parliament plc police qld res sch school tm vic
"""
_SECOND_LEVEL = frozenset(_SECOND_LEVEL_NAMES.split())
_COUNTRY_LETTERS = 2
# Here everybody is a publisher of his own.
_NAMES_OF_MANY = """
    blogspot.com wordpress.com github.io gitlab.io substack.com tumblr.com medium.com
    livejournal.com typepad.com weebly.com wixsite.com squarespace.com netlify.app
    vercel.app pages.dev web.app neocities.org over-blog.com jimdofree.com
"""
_HOSTS_OF_MANY = frozenset(_NAMES_OF_MANY.split())
_LONGEST_HOST = 20  # labels
# Written with capitals and between marks, as datelines and credits are.
_AGENCY = re.compile(
    r"(?P<ap>Associated Press|\(AP\)|AP News)|(?P<reuters>Reuters)"
    r"|(?P<afp>Agence France-Presse|\(AFP\)|AFP(?=[ :—–-]))"
    r"|(?P<pa>PA Media|Press Association)|(?P<dpa>Deutsche Presse-Agentur|dpa(?=[/ ,)]))"
    r"|(?P<xinhua>Xinhua)|(?P<tass>TASS)|(?P<kyodo>Kyodo)|(?P<efe>Agencia EFE|\(EFE\))"
    r"|(?P<ansa>\(ANSA\))|(?P<pti>Press Trust of India|\(PTI\))|(?P<ani>\(ANI\))"
    r"|(?P<upi>\(UPI\))|(?P<canadian>Canadian Press)|(?P<aap>Australian Associated Press)"
    r"|(?P<release>PR ?Newswire|Business Wire|GlobeNewswire|EIN Presswire)"
)
_CREDIT_CHARS = 400  # at either end of a page, where an agency is credited
_SHINGLE_WORDS = 5
_SAME_QUOTE = 0.7  # share of the shorter quote's shingles that stands in the other
_SAME_PAGE = 0.3  # the same of whole pages, which have frames of their own
_FEWEST_SHINGLES = 6  # fewer are the same by chance
_MOST_CHARS = 40_000
_WORD = re.compile(r"\w+")


def site_of(address: str) -> str:
    """Return the registered domain of an address, as far as its name tells.

    "news.bbc.co.uk" is "bbc.co.uk"; a blog on a host of many is a site of its own. A
    page in a web archive counts as the page it keeps.
    """
    host = host_of(unarchived(address))
    labels = host.split(".")[-_LONGEST_HOST:]
    if len(labels) <= 2 or _is_number(host):  # noqa: PLR2004 - "bbc.com"
        return host
    is_country = len(labels[-1]) == _COUNTRY_LETTERS
    is_deep = (is_country and labels[-2] in _SECOND_LEVEL) or (
        ".".join(labels[-2:]) in _HOSTS_OF_MANY
    )
    return ".".join(labels[-3:] if is_deep else labels[-2:])


def agencies_of(reading: SourceReading) -> frozenset[str]:
    """Return the news agencies that a page credits, at its ends or in its imprint."""
    document = reading.document
    if document is None:
        return frozenset()
    authors = " ".join(one.name for one in document.imprint.authors)
    places = (
        document.text[:_CREDIT_CHARS],
        document.text[-_CREDIT_CHARS:],
        f"{document.author or ''} {authors} {document.imprint.publisher or ''}",
    )
    return frozenset(
        str(found.lastgroup) for place in places for found in _AGENCY.finditer(place)
    )


def voices(sources: Sequence[UpdateSource]) -> int:
    """Count the independent voices among `sources`."""
    groups: list[list[UpdateSource]] = []
    for source in sources:
        same = [
            group
            for group in groups
            if any(_is_one_voice(source, other) for other in group)
        ]
        groups = [group for group in groups if group not in same]
        groups.append([source, *(one for group in same for one in group)])
    return len(groups)


def _is_one_voice(one: UpdateSource, other: UpdateSource) -> bool:
    if one.site == other.site:
        return True
    if agencies_of(one.reading) & agencies_of(other.reading):
        return True
    return _has_same_words(one, other)


def _has_same_words(one: UpdateSource, other: UpdateSource) -> bool:
    if _shared(one.evidence.quote, other.evidence.quote) >= _SAME_QUOTE:
        return True
    return _shared(_text(one), _text(other)) >= _SAME_PAGE


def _text(source: UpdateSource) -> str:
    document = source.reading.document
    return document.text[:_MOST_CHARS] if document else ""


def _shared(one: str, other: str) -> float:
    """Return the share of the shorter text's runs of words that stand in the other."""
    first, second = set(_shingles(one)), set(_shingles(other))
    fewest = min(len(first), len(second))
    return len(first & second) / fewest if fewest >= _FEWEST_SHINGLES else 0.0


def _shingles(text: str) -> Iterator[tuple[str, ...]]:
    found = _WORD.findall(text.casefold())
    for first in range(len(found) - _SHINGLE_WORDS + 1):
        yield tuple(found[first : first + _SHINGLE_WORDS])


def _is_number(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
