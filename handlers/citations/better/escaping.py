"""Makes values safe inside a template's parameter, and readable again from there.

What a page says about itself can hold anything, so every sign that means
something in wikitext becomes a character reference, which MediaWiki shows as the
sign itself. Pure.
"""

import re
import unicodedata
from urllib.parse import quote, urlsplit

_REMOVED = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]"
)
# Signs that open or close something wherever they stand.
_SIGNS = re.compile(r"[|{}\[\]<>]")
# These mean something in runs, or before something else only.
_IN_CONTEXT = re.compile(
    r"&(?=[#\w])"  # a reference that the page did not mean
    r"|''+|~~~+|__+"  # emphasis, signatures, magic words
    r"|:(?=//)"  # a bare address would become a link inside the title's link
    r"|\A[*#:;=-]"  # a list or a rule, where the value begins a line
)
_MAX_VALUE = 500
_MAX_ADDRESS = 2000
_KEPT_IN_ADDRESS = "%/:?#@!$&()*+,=-._~"  # without ";", which ends a reference


def value(text: str) -> str:
    """Return `text` on one line, with every sign of markup as a reference."""
    line = " ".join(_REMOVED.sub("", unicodedata.normalize("NFC", text)).split())
    line = _IN_CONTEXT.sub(_references, line[:_MAX_VALUE].strip())
    return _SIGNS.sub(_references, line)


def address(url: str) -> str | None:
    """Return `url` as a parameter may hold it; `None` if it is no web address."""
    if len(url) > _MAX_ADDRESS or _REMOVED.search(url):
        return None
    try:
        parts = urlsplit(url)
        is_web = parts.scheme.lower() in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        return None
    if not is_web or "@" in parts.netloc:
        return None
    encoded = "".join(
        sign if sign.isalnum() or sign in _KEPT_IN_ADDRESS else quote(sign)
        for sign in url.strip()
    )
    return encoded.replace("~~~", "%7E%7E%7E").replace("__", "%5F%5F")


def _references(found: re.Match[str]) -> str:
    return "".join(f"&#{ord(sign)};" for sign in found[0])
