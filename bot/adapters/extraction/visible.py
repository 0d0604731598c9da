"""Counts the visible characters of markup without building a tree. Pure.

A tree parser drops what it cannot hold (libxml2: all text some 256 levels down,
2,048 at best) and says nothing. This scan has no such limits, so that the two
can be compared. It visits each character a bounded number
of times.
"""

import re

_RAW_END = {
    name: re.compile(rf"</{name}(?=[\s>/])", re.IGNORECASE)
    for name in ("script", "style", "template", "svg", "iframe")
}
_TAG_START = re.compile(r"<(?:(!--)|(/?)([A-Za-z][^\s>/]{0,40})|[!?/])")
_SPACE_ENTITY = re.compile(r"&(?:nbsp|e[mn]sp|thinsp|#(?:9|10|13|32|160|x[aA]0));?")
_ENTITY = re.compile(r"&#?\w{1,32};")
_TAG_STOP = re.compile(r"[>\"']")


def visible_size(markup: str) -> int:
    """Return how many characters other than white space `markup` shows.

    Each entity counts as one; the result is a close estimate, not a proof.
    """
    return _Scan(markup).size()


class _Scan:
    """One pass over the markup; remembers which searches are known to fail."""

    def __init__(self, markup: str) -> None:
        self._markup = markup
        self._exhausted: set[str] = set()

    def size(self) -> int:
        total = at = 0
        while found := _TAG_START.search(self._markup, at):
            total += _ink(self._markup[at : found.start()])
            at = self._after_tag(found)
        return total + _ink(self._markup[at:])

    def _after_tag(self, found: re.Match[str]) -> int:
        if found[1]:
            return self._after("-->", found.start() + 2)
        at = self._tag_end(found.end())
        name = (found[3] or "").lower()
        if found[2] or name not in _RAW_END or name in self._exhausted:
            return at
        closing = _RAW_END[name].search(self._markup, at)
        if closing:
            return closing.start()
        self._exhausted.add(name)
        return len(self._markup)

    def _tag_end(self, at: int) -> int:
        """Return where the tag ends, stepping over quoted values with ">" in them."""
        while stop := _TAG_STOP.search(self._markup, at):
            at = stop.end()
            if stop[0] == ">":
                return at
            if self._opens_value(stop.start()) and stop[0] not in self._exhausted:
                at = self._after_quote(stop[0], at)
        return len(self._markup)

    def _opens_value(self, at: int) -> bool:
        return self._markup[max(0, at - 8) : at].rstrip().endswith("=")

    def _after_quote(self, quote: str, at: int) -> int:
        closing = self._markup.find(quote, at)
        if closing >= 0:
            return closing + 1
        self._exhausted.add(quote)
        return at

    def _after(self, end: str, at: int) -> int:
        closing = self._markup.find(end, at)
        return len(self._markup) if closing < 0 else closing + len(end)


def _ink(text: str) -> int:
    if "&" in text:
        text = _ENTITY.sub("x", _SPACE_ENTITY.sub(" ", text))
    return len("".join(text.split()))
