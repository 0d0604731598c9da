"""Makes text fit to be stored, matched and shown. Pure.

Whatever a parser returned, what leaves here is in normal form C, holds no
control or invisible formatting characters and no lone surrogates, and has one
paragraph to a line with single spaces inside it.
"""

import re
import unicodedata

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# Category Zs and the tab. Not "\s", which also holds the line ends.
_SPACES = re.compile(r"[\t \xa0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
# Joiners (U+200C, U+200D) stay: Persian, Hindi and emoji need them.
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\xad\u200b\u200e\u200f\u202a-\u202e"
    r"\u2060-\u2064\u2066-\u206f\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff]"
)
_HYPHENATED = re.compile(r"[^\W\d_]{2}[-\u2010]$")
_LIST_ITEM = re.compile(r"\s*(?:[-*•–—]\s|\(?\d{1,3}[.)]\s)")
_SENTENCE_END = (".", "!", "?", ":", "…", "。", '."', ".”", ".)")

_SHORTEST_WRAPPED_LINE = 40  # characters; shorter lines are headings or table cells
_LONGEST_WRAPPED_LINE = 130


def clean_line(text: str) -> str:
    """Return `text` cleaned and on one line."""
    return " ".join(clean_text(text).split("\n"))


def clean_text(text: str) -> str:
    """Return `text` cleaned, one paragraph to a line, without empty lines."""
    lines = (_SPACES.sub(" ", line).strip(" ") for line in _clean_lines(text))
    return "\n".join(line for line in lines if line)


def unwrap(text: str) -> str:
    """Join the lines of `text` that a fixed line width broke, then clean it.

    A word parted by a hyphen at the line's end is put together again. Lines
    that are short, end a sentence or start a list item stay apart, and an empty
    line always parts.
    """
    pieces: list[str] = []
    previous = ""
    for raw in _clean_lines(text):
        line = _SPACES.sub(" ", raw).strip(" ")
        if line:
            link = _link(previous, line)
            if not link:
                pieces[-1] = pieces[-1][:-1]  # the hyphen goes
            pieces += (link, line)
        previous = line
    return "".join(pieces).lstrip("\n")


def _clean_lines(text: str) -> list[str]:
    if _SURROGATE.search(text):
        # Pairs written as two escapes become one character, single ones U+FFFD.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    lines = _LINE_END.split(text)
    return [unicodedata.normalize("NFC", _INVISIBLE.sub("", line)) for line in lines]


def _link(previous: str, line: str) -> str:
    """Return what stands between two lines; "" where they share a word."""
    if not previous or _LIST_ITEM.match(line):
        return "\n"
    if line[0].islower() and _HYPHENATED.search(previous):
        return ""
    return " " if _is_wrapped(previous, line) else "\n"


def _is_wrapped(previous: str, line: str) -> bool:
    if not _SHORTEST_WRAPPED_LINE <= len(previous) <= _LONGEST_WRAPPED_LINE:
        return False
    return line[0].islower() or not previous.endswith(_SENTENCE_END)
