"""Makes text from outside safe to put on a wiki page.

Each character that can mean something to MediaWiki becomes a character reference, which
displays as the character itself: nothing from outside becomes a link, template, tag,
category, heading, signature or comment. Characters that mean nothing in their place (a
comma in a sentence, a hyphen in a word) stay, so that people can read the wikitext.
`WikiSafe` marks text that has been through here; only this package and our fixed texts
may make it. Pure.
"""

import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import quote, urlsplit


class WikiSafe(str):
    """Wikitext made by us, or text from outside with all its markup undone."""

    __slots__ = ()


NOTHING = WikiSafe("")
_MAX_CHARS = 500
_MAX_ADDRESS = 2_000
# Words after which MediaWiki turns a number into a link without any markup.
_MAGIC = re.compile(r"(?:RFC|PMID|ISBN)(?=\s)")
_PLAIN = re.compile(
    r"[A-Za-z0-9 ()]"
    r"|(?<=[^\W_])[,.](?= |\Z)"  # in a sentence, never in a host name
    r"|(?<=\d)[,.](?=\d)"
    r"|(?<=[^\W_])-(?=[^\W_])"
)
_JOINERS = frozenset("\u200c\u200d")  # Persian and many other scripts need them
_REMOVED = frozenset({"Cc", "Cf", "Cs"})
_NOT_CHARACTERS = re.compile("[\ufdd0-\ufdef\ufffe\uffff]")
_KEPT_IN_ADDRESS = "/:?#@!$&()*+,=-.%"
_KEPT_IN_TITLE = " /:,.()!-"
_NO_TITLE = re.compile(r"[#<>\[\]|{}]|~~~")
_HOST = re.compile(r"[\w.-]+")
_LONE_PERCENT = re.compile(r"(?i)%(?![0-9a-f]{2})")


def text(raw: str, *, most: int = _MAX_CHARS) -> WikiSafe:
    """Return `raw` on one line, with no meaning to a wiki, cut at `most` characters."""
    line = _cut(one_line(raw), most)
    magic = {found.start() for found in _MAGIC.finditer(line)}
    plain = {found.start() for found in _PLAIN.finditer(line)} - magic
    return WikiSafe(
        "".join(
            f"&#{ord(sign)};" if sign.isascii() and at not in plain else sign
            for at, sign in enumerate(line)
        )
    )


def one_line(raw: str) -> str:
    """Return `raw` as it is shown: NFC, white space folded, nothing invisible.

    MediaWiki normalises what it saves, so this must come before any escaping: a
    character that only normalisation produces would be missed.
    """
    folded = " ".join(raw[: 20 * _MAX_ADDRESS].split())
    shown = "".join(sign for sign in folded if _is_shown(sign))
    normal = unicodedata.normalize("NFC", _NOT_CHARACTERS.sub("", shown))
    return " ".join(normal.split())


def _is_shown(sign: str) -> bool:
    if " " <= sign <= "~":
        return True
    return sign in _JOINERS or unicodedata.category(sign) not in _REMOVED


def _cut(line: str, most: int) -> str:
    if len(line) <= most:
        return line
    words, _, _ = line[: most - 1].rpartition(" ")
    return f"{words or line[: most - 1]}…"


def web_address(url: str) -> WikiSafe | None:
    """Return `url` in a form fit for a link; `None` if no reader may be sent there.

    The wiki's spam blacklist rejects a whole edit for one listed address: ask it before
    linking an address, or show the address with `text`.
    """
    if len(url) > _MAX_ADDRESS or one_line(url) != url or " " in url:
        return None
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme.lower() not in {"http", "https"} or not host or "\\" in url:
        return None
    if "@" in parts.netloc or not _HOST.fullmatch(host):
        return None
    # No ";" is kept: it would end a character reference.
    encoded = quote(_LONE_PERCENT.sub("%25", url), safe=_KEPT_IN_ADDRESS)
    return WikiSafe(encoded.replace("~", "%7E").replace("__", "%5F%5F"))


def external_link(url: str, label: WikiSafe) -> WikiSafe | None:
    """Return a link to a web page; `None` if `web_address` returns `None`."""
    address = web_address(url)
    return None if address is None else WikiSafe(f"[{address} {label}]")


def page_link(title: str, label: WikiSafe | None = None) -> WikiSafe:
    """Return a link to a page of the wiki, whatever its title.

    The colon keeps categories, files and languages plain links. A title with characters
    that no title can have is shown, but not linked.
    """
    line = one_line(title.replace("_", " ")).lstrip(": ")
    shown = text(line) if label is None else label
    if not line or _NO_TITLE.search(line):
        return shown
    target = "".join(_in_title(sign) for sign in line)
    return WikiSafe(f"[[:{target}|{shown}]]")


def _in_title(sign: str) -> str:
    if not sign.isascii() or sign.isalnum() or sign in _KEPT_IN_TITLE:
        return sign
    return f"%{ord(sign):02X}"


def joined(separator: str, parts: Iterable[WikiSafe]) -> WikiSafe:
    """Return `parts` joined by a fixed text of ours."""
    return WikiSafe(separator.join(parts))


def filled(template: str, **values: WikiSafe) -> WikiSafe:
    """Return a fixed text of ours, with each `$name` replaced by safe text.

    Raises:
        KeyError: the text has a `$name` that was not given.
    """
    return WikiSafe(re.sub(r"\$([a-z_]+)", lambda found: values[found[1]], template))
