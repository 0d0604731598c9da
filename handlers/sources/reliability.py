"""How a wiki regards the site of an address: a pure look-up in lists.

A rule names a host, or a host with the beginning of a path, and also applies to its
subdomains. The most specific rule decides: the longest host, then the longest path,
then the strictest rule. Lists belong to a wiki; those of no wiki apply everywhere.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import unquote, urlsplit

from handlers.model import Reliability, Trust
from handlers.sources.addresses import host_of, unarchived

EVERYWHERE = ""
_MOST_LABELS = 12  # of a host; none on any list has more
_STRICTEST_FIRST = (
    Trust.BLACKLISTED,
    Trust.MIRROR,
    Trust.DEPRECATED,
    Trust.PREDATORY,
    Trust.UNRELIABLE,
    Trust.SELF_PUBLISHED,
    Trust.MIXED,
    Trust.RELIABLE,
    Trust.QUESTIONED,  # a wiki's own list takes precedence
    Trust.UNLISTED,
)
_NOTES: Mapping[Trust, str] = MappingProxyType(
    {
        Trust.RELIABLE: "Generally reliable in its areas of expertise, as the wiki's list of discussed sources says.",
        Trust.MIXED: "No consensus on its reliability, or it depends on the topic or the date: read the discussion before citing it.",
        Trust.UNRELIABLE: "Generally unreliable, as the wiki's list of discussed sources says.",
        Trust.DEPRECATED: "Deprecated on this wiki.",
        Trust.BLACKLISTED: "On the wiki's blacklist: the address cannot be saved.",
        Trust.MIRROR: "A wiki, or a copy of one: citing it would be circular.",
        Trust.SELF_PUBLISHED: "Self-published, or written by its users or by those it is about.",
        Trust.PREDATORY: "On the wiki's list of publishers that charge without reviewing.",
        Trust.QUESTIONED: (
            "On an old list of questioned publishers, which proves nothing: see who"
            " publishes it and how it is reviewed."
        ),
        Trust.UNLISTED: "Listed without a judgement: judge for yourself whether it is reliable.",
    }
)
_UNLISTED_HERE = Reliability(
    Trust.UNLISTED,
    "Not on this wiki's list of discussed sources: judge for yourself whether it is reliable.",
)
_NO_LIST = Reliability(
    Trust.UNLISTED,
    "No list of discussed sources is known for this wiki: judge for yourself whether it is reliable.",
)


@dataclass(frozen=True, slots=True)
class Rule:
    """How `wiki` (EVERYWHERE: all) regards `host`, from `path` on.

    `host` is in the form of `host_of`; `path` is without slashes at its ends, "" for
    the whole host. `named_by` is the list that it is on.
    """

    host: str
    path: str
    trust: Trust
    wiki: str = EVERYWHERE
    shortcut: str | None = None
    named_by: str = ""


class ReliabilityLists:
    """All rules, by host."""

    def __init__(
        self, rules: Iterable[Rule], fallback: "ReliabilityLists | None" = None
    ) -> None:
        """Hold `rules`; if none of them applies, those of `fallback` decide."""
        by_host: dict[str, list[Rule]] = {}
        for rule in rules:
            by_host.setdefault(rule.host, []).append(rule)
        self._by_host = {host: tuple(each) for host, each in by_host.items()}
        self._fallback = fallback
        self._wikis = {
            rule.wiki for each in self._by_host.values() for rule in each
        } - {EVERYWHERE}

    def with_own(self, wiki: str, places: Mapping[str, Trust]) -> "ReliabilityLists":
        """Return these lists, preceded by what a wiki says itself.

        Args:
            wiki: host name.
            places: a host, or one with the beginning of a path, and how it is regarded.
        """
        if not places:
            return self
        return ReliabilityLists(
            (_own_rule(place, trust, wiki) for place, trust in places.items()), self
        )

    def of(self, address: str, wiki: str) -> Reliability:
        """Return how `wiki` regards the page at `address`.

        Args:
            address: of a page; one in a web archive counts as the page it keeps.
            wiki: host name of the wiki, such as "en.wikipedia.org".
        """
        address = unarchived(address)
        wiki = wiki.lower().replace(".m.", ".", 1)
        path = _path(address)
        for host in _with_parents(host_of(address)):
            fitting = [
                rule
                for rule in self._by_host.get(host, ())
                if rule.wiki in {EVERYWHERE, wiki} and _is_below(path, rule.path)
            ]
            if fitting:
                rule = min(fitting, key=_precedence)
                shortcut = rule.shortcut or next(
                    (one.shortcut for one in fitting if one.shortcut), None
                )
                note = _NOTES[rule.trust]
                return Reliability(rule.trust, note, shortcut, rule.named_by)
        if self._fallback is not None:
            return self._fallback.of(address, wiki)
        return _UNLISTED_HERE if wiki in self._wikis else _NO_LIST


def _own_rule(place: str, trust: Trust, wiki: str) -> Rule:
    address = place if "://" in place else f"https://{place}"
    return Rule(host_of(address), _path(address), trust, wiki, None, wiki)


def _precedence(rule: Rule) -> tuple[int, int]:
    return -len(rule.path), _STRICTEST_FIRST.index(rule.trust)


def _with_parents(host: str) -> Iterator[str]:
    labels = host.split(".")[-_MOST_LABELS:] if host else []
    for first in range(len(labels)):
        yield ".".join(labels[first:])


def _path(address: str) -> str:
    try:
        return unquote(urlsplit(address.strip()).path).strip("/").lower()
    except ValueError:
        return ""


def _is_below(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or lies in it; a list may shorten a name with "*"."""
    if folder.endswith("*"):
        return path.startswith(folder[:-1])
    return not folder or path == folder or path.startswith(f"{folder}/")
