"""From which pages of the web a browser may ask. Pure.

An Origin is compared as a whole: no pattern, no prefix, no wildcard. `null`, which any
sandboxed frame can send, is nobody's.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

_USUAL = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Origins:
    """The origins that may ask: those of wikis, and our own.

    `names` are the host names that we answer to, None if that is not known; only under a
    name that is ours can a page be our own, since a page of another site can point its
    own name at this machine.
    """

    allowed: frozenset[str]
    names: frozenset[str] | None

    def allows(self, origin: str, *, scheme: str, host: str, name: str) -> bool:
        """Tell whether a page of `origin` may ask.

        Args:
            origin: what the browser says.
            scheme: that the request came by.
            host: its Host header.
            name: the same without the port.
        """
        if origin in self.allowed:
            return True
        is_ours = self.names is not None and name in self.names
        return is_ours and origin == f"{scheme}://{host}"


def origin_of(address: str) -> str | None:
    """Return an address's origin as browsers write it; None if it has none."""
    try:
        parts = urlsplit(address.strip())
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _USUAL or not parts.hostname or "@" in parts.netloc:
        return None
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    shown = "" if port in {None, _USUAL[parts.scheme]} else f":{port}"
    return f"{parts.scheme}://{host}{shown}"


def host_of(address: str) -> frozenset[str]:
    """Return the host name of an address, if it has one."""
    name = urlsplit(address).hostname if origin_of(address) else None
    return frozenset([name] if name else ())


def origins_of_wikis(wikis: Iterable[str], loopback: Collection[str]) -> frozenset[str]:
    """Return the origins that readers of these wikis have.

    A wiki with a mobile twin, such as en.m.wikipedia.org, has that, too. Only one that is
    asked without TLS, as on this machine, is read without.

    Args:
        wikis: their hosts, with a port where it is not the usual.
        loopback: those of them that are asked without TLS.
    """
    found: set[str] = set()
    for wiki in wikis:
        hosts = [wiki, *_mobile(wiki)]
        found |= {f"https://{host}" for host in hosts}
        if wiki in loopback:
            found.add(f"http://{wiki}")
    return frozenset(found)


def _mobile(wiki: str) -> list[str]:
    """Return the mobile twin of a wiki of Wikimedia."""
    first, _, rest = wiki.partition(".")
    if rest in _FAMILIES:
        return [f"{first}.m.{rest}"]
    if wiki in _SINGLE:
        return ["m." + rest] if first == "www" else []
    return []


_FAMILIES = frozenset(
    {
        "wikipedia.org",
        "wikibooks.org",
        "wikimedia.org",
        "wikinews.org",
        "wikiquote.org",
        "wikisource.org",
        "wikiversity.org",
        "wikivoyage.org",
        "wiktionary.org",
    }
)
_SINGLE = frozenset({"www.wikidata.org", "www.mediawiki.org"})
