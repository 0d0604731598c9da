"""Finds the character set of a text and decodes it; never fails. Pure.

The order is: byte order mark, the tell-tale zero bytes of UTF-16, valid UTF-8,
what header and markup declare, and only then a guess. Valid UTF-8 stands before
the declaration because servers that label everything as Latin-1 are common,
while Latin-1 text that happens to be valid UTF-8 is not. Labels mean what
browsers take them to mean; UTF-7 is none of them.
"""

import codecs
import re
from collections.abc import Iterator

import charset_normalizer

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it starts with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Browsers read these labels as the larger set that contains the named one.
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
_ALIASES = {
    "windows-31j": "cp932",
    "windows-874": "cp874",
    "iso-8859-8-i": "iso8859-8",
}
# Python also calls "punycode" and "unicode_escape" encodings; pages may not.
_ALLOWED = re.compile(
    r"ascii|cp\d+|iso8859-\d+|koi8-[rut]|mac-\w+|kz1048|tis-620|gb\w+|big5\w*"
    r"|euc_\w+|johab|shift_\w+|iso2022_jp|utf-\d+(?:-[bl]e)?"
)
_NEVER = {"utf-7", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8"}
_IN_HEADER = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{2,40})", re.IGNORECASE)
_IN_MARKUP = re.compile(
    rb"<meta\b[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})"
    rb"|^\s*<\?xml\b[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]{2,40})",
    re.IGNORECASE,
)
_UTF7_RUN = re.compile(rb"\+[A-Za-z0-9/]{2,}-")
_OUTSIDE_ASCII = re.compile(rb"[\x80-\xff]")
_LATIN = "cp1252"
_LISTED_FIRST = "cp1250"  # wins ties by its name only; Western texts are more

_MARKUP_HEAD_BYTES = 4096
_SAMPLE_BYTES = 16_384
_ZERO_SHARE = 0.3  # of one half of the byte pairs
_TOLERATED_DAMAGE = 0.1  # undecodable sequences per character outside ASCII


def decode(body: bytes, *, content_type: str | None) -> str:
    """Return `body` as text, with U+FFFD where bytes mean nothing."""
    encoding, mark = _unmistakable(body)
    if encoding:
        return body[len(mark) :].decode(encoding, "replace")
    for name in _declared_stateful(body, content_type):
        return body.decode(name, "replace")
    text = _as_utf8(body)
    if text is not None:
        return text
    return body.decode(_declared_or_guessed(body, content_type), "replace")


def is_wide(body: bytes) -> bool:
    """Tell whether `body` is UTF-16 or UTF-32, in which zero bytes are normal."""
    encoding, _ = _unmistakable(body)
    return bool(encoding) and encoding != "utf-8"


def is_utf7(body: bytes, content_type: str | None) -> bool:
    """Tell whether `body` is labelled as UTF-7 and holds its escapes."""
    labels = _labels(body, content_type)
    return any(_codec(x) == "utf-7" for x in labels) and bool(_UTF7_RUN.search(body))


def _unmistakable(body: bytes) -> tuple[str, bytes]:
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return encoding, mark
    head = body[:512]
    pairs = max(len(head) // 2, 1)
    even, odd = head[0::2].count(0) / pairs, head[1::2].count(0) / pairs
    if odd > _ZERO_SHARE and even < _ZERO_SHARE / 6:
        return "utf-16-le", b""
    if even > _ZERO_SHARE and odd < _ZERO_SHARE / 6:
        return "utf-16-be", b""
    return "", b""


def _declared_stateful(body: bytes, content_type: str | None) -> Iterator[str]:
    # ISO-2022-JP is made of ASCII bytes, so it would pass for UTF-8.
    if b"\x1b" in body:
        names = (_codec(label) for label in _labels(body, content_type))
        yield from (name for name in names if name == "iso2022_jp")


def _as_utf8(body: bytes) -> str | None:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        text = body.decode("utf-8", "replace")
    damage = text.count("\ufffd")
    outside_ascii = sum(len(run) for run in re.findall(r"[^\x00-\x7f]+", text))
    return text if damage <= _TOLERATED_DAMAGE * outside_ascii else None


def _declared_or_guessed(body: bytes, content_type: str | None) -> str:
    names = [_codec(label) for label in _labels(body, content_type)]
    usable = [_WIDER.get(name, name) for name in names if name and name not in _NEVER]
    # Latin-1 in a header is often only the server's default.
    usable.sort(key=lambda name: name == _LATIN)
    for name in usable:
        if name == _LATIN or _decodes(body, name):
            return name
    return _guess(body) if _LATIN not in usable else _LATIN


def _labels(body: bytes, content_type: str | None) -> list[str]:
    in_header = _IN_HEADER.findall(content_type or "")
    found = _IN_MARKUP.findall(body[:_MARKUP_HEAD_BYTES])
    return in_header + [(meta or xml).decode("ascii", "replace") for meta, xml in found]


def _codec(label: str) -> str:
    """Return Python's name of the character set, or "" if there is none."""
    label = label.lower().removeprefix("x-")
    try:
        name = codecs.lookup(_ALIASES.get(label, label)).name
    except LookupError:
        return ""
    return name if _ALLOWED.fullmatch(name) else ""


def _decodes(body: bytes, name: str) -> bool:
    text = body.decode(name, "replace")
    return text.count("\ufffd") <= _TOLERATED_DAMAGE * len(text) / 10


def _guess(body: bytes) -> str:
    # The bytes outside ASCII tell; a page's head seldom has any.
    first = _OUTSIDE_ASCII.search(body)
    start = max(0, (first.start() if first else 0) - _SAMPLE_BYTES // 4)
    matches = charset_normalizer.from_bytes(body[start : start + _SAMPLE_BYTES])
    best = matches.best()
    if best is None or best.encoding.replace("_", "-") in _NEVER:
        return _LATIN
    if best.encoding == _LISTED_FIRST and any(
        _LATIN in match.could_be_from_charset and match.chaos <= best.chaos
        for match in matches
    ):
        return _LATIN
    return best.encoding
