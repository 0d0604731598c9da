"""What kind of file a body is, and in which character set its text is. Pure.

Character sets are looked for in this order: byte order mark, the tell-tale zero bytes
of UTF-16, valid UTF-8, what header and markup declare, and only then a guess. Valid
UTF-8 comes before the declaration because servers that label everything as Latin-1 are
common, while Latin-1 text that happens to be valid UTF-8 is not. Labels mean what they
mean to browsers; UTF-7 is not among them.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

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
_LISTED_FIRST = "cp1250"  # wins ties by name only; Western texts are more common

_MARKUP_HEAD_BYTES = 4096
_SAMPLE_BYTES = 16_384
_ZERO_SHARE = 0.3  # of one half of the byte pairs
_TOLERATED_DAMAGE = 0.1  # undecodable sequences per character outside ASCII


def decode(body: bytes, *, content_type: str | None) -> str:
    """Return `body` as text, with U+FFFD for invalid bytes."""
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
    """Return whether `body` is UTF-16 or UTF-32, in which zero bytes are normal."""
    encoding, _ = _unmistakable(body)
    return bool(encoding) and encoding != "utf-8"


def is_utf7(body: bytes, content_type: str | None) -> bool:
    """Return whether `body` is labelled as UTF-7 and holds its escapes."""
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
    # Only bytes outside ASCII help; a page's head seldom has any.
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


class Kind(Enum):
    """What can be done with a body."""

    HTML = "html"
    XML = "xml"  # other markup whose text may be worth reading
    PDF = "pdf"
    TEXT = "text"
    OTHER = "other"  # nothing: it holds no text that we can read


@dataclass(frozen=True, slots=True)
class Sniffed:
    """The kind of a body, and its name for a person, such as "a JPEG image"."""

    kind: Kind
    name: str


_HEAD_BYTES = 4096
_PDF_HEAD_BYTES = 1024  # PDF readers accept that much before the header
_CONTROL_SHARE = 0.05  # of the head; text has next to none

_MAGIC = (
    (b"\x89PNG\r\n", "a PNG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"\0\0\x01\0", "an icon"),
    (b"8BPS", "a Photoshop image"),
    (b"OggS", "an audio or video file"),
    (b"fLaC", "an audio file"),
    (b"ID3", "an audio file"),
    (b"\x1aE\xdf\xa3", "a video"),
    (b"FLV\x01", "a video"),
    (b"\0\0\x01\xba", "a video"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"Rar!\x1a", "a RAR archive"),
    (b"(\xb5/\xfd", "a Zstandard archive"),
    (b"\xd0\xcf\x11\xe0", "an office document"),
    (b"{\\rtf", "an RTF document"),
    (b"%!PS", "a PostScript document"),
    (b"AT&TFORM", "a DjVu document"),
    (b"\x7fELF", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"\0asm", "a program"),
    (b"SQLite format 3", "a database"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
)
# Two letters that also start words: they count only where zero bytes follow.
_SHORT_MAGIC = ((b"MZ", "a program"), (b"BM", "a bitmap image"))
_RIFF = {b"WEBP": "a WebP image", b"WAVE": "an audio file", b"AVI ": "a video"}
_OFFICE = (
    b"[Content_Types].xml",
    b"mimetypeapplication/vnd.oasis.opendocument",
    b"mimetypeapplication/epub",
)
_HTML_START = re.compile(
    r"<!doctype\s+html|<(?:html|head|body|title|meta|script|style|link|base|div|p|h[1-6]"
    r"|table|section|article|main|header|nav|span|center|font|frameset|iframe|ul|ol|a"
    r"|br|b|i|em|strong|form|noscript)(?=[\s>/])",
    re.IGNORECASE,
)
_PREAMBLE = re.compile(
    r"\s+|<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)|<!doctype[^>\[]*", re.S | re.I
)
_ROOT = re.compile(r"<([A-Za-z][\w.:-]{0,60})")
_XML_HTML = {"html", "xhtml:html", "head", "body"}
_TEXT_TYPES = re.compile(r"text/|application/(?:json|xml|xhtml)|.*\+(?:xml|json)$")
_CODE_TYPES = re.compile(r"(?:text|application)/(?:x-)?(?:javascript|ecmascript|css)$")
_MEDIA_TYPES = re.compile(r"(?:image|video|audio|font|model)/")
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def sniff(body: bytes, content_type: str | None) -> Sniffed:
    """Return what `body` is.

    Headers are wrong too often to be believed: error pages are served as images, PDFs
    as plain text. The first bytes decide; the header counts only if they do not.
    """
    media_type = (content_type or "").split(";")[0].strip().lower()
    by_magic = _by_magic(body, media_type)
    if by_magic:
        return by_magic
    if is_utf7(body[:_HEAD_BYTES], content_type):
        return Sniffed(Kind.OTHER, "text in UTF-7, which no browser reads")
    if not is_wide(body) and _is_binary(body[:_HEAD_BYTES]):
        served = f", served as {media_type}" if media_type else ""
        return Sniffed(Kind.OTHER, f"binary data{served}")
    return _by_markup(_head(body), media_type) or _by_header(media_type)


def _head(body: bytes) -> str:
    """Return the start of `body`; everything searched for in it is ASCII."""
    head = body[:_HEAD_BYTES]
    if is_wide(body):
        return decode(head, content_type=None)
    return head.removeprefix(codecs.BOM_UTF8).decode("latin-1")


def _by_magic(body: bytes, media_type: str) -> Sniffed | None:
    start = body[:_PDF_HEAD_BYTES].lstrip(b"\xef\xbb\xbf\t\n\x0c\r ")
    if start.startswith(b"%PDF-") or _is_late_pdf(body, media_type):
        return Sniffed(Kind.PDF, "a PDF")
    name = _magic_name(body)
    return Sniffed(Kind.OTHER, name) if name else None


def _is_late_pdf(body: bytes, media_type: str) -> bool:
    """Return whether a PDF header follows other bytes that are not markup."""
    return (
        not media_type.startswith("text/")
        and not body[:_PDF_HEAD_BYTES].lstrip().startswith(b"<")
        and b"%PDF-" in body[:_PDF_HEAD_BYTES]
    )


def _magic_name(body: bytes) -> str:
    for magic, name in _MAGIC:
        if body.startswith(magic):
            return name
    if 0 in body[:512]:
        for magic, name in _SHORT_MAGIC:
            if body.startswith(magic):
                return name
    return _container_name(body)


def _container_name(body: bytes) -> str:
    if body.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        head = body[:_HEAD_BYTES]
        is_office = any(sign in head for sign in _OFFICE)
        return "an office document" if is_office else "a ZIP archive"
    if body.startswith(b"RIFF"):
        return _RIFF.get(body[8:12], "a media file")
    if body[4:8] == b"ftyp":
        return "an AVIF or HEIC image" if body[8:10] in {b"av", b"he"} else "a video"
    return "a tar archive" if body[257:262] == b"ustar" else ""


def _is_binary(head: bytes) -> bool:
    return 0 in head[:512] or (
        len(_CONTROLS.findall(head)) > _CONTROL_SHARE * max(len(head), 1)
    )


def _by_markup(head: str, media_type: str) -> Sniffed | None:
    at = _after_preamble(head)
    root = _ROOT.match(head, at)
    name = root[1].lower() if root else ""
    if name == "svg":
        return Sniffed(Kind.OTHER, "an SVG image")
    declares_xml = head.lstrip().startswith("<?xml") or media_type.endswith("xml")
    if name and declares_xml and name not in _XML_HTML:
        return Sniffed(Kind.XML, "an XML document")
    if _HTML_START.match(head, at) or name in _XML_HTML:
        return Sniffed(Kind.HTML, "a web page")
    return None


def _after_preamble(head: str) -> int:
    at = 0
    while not _HTML_START.match(head, at):
        skipped = _PREAMBLE.match(head, at)
        if not skipped or skipped.end() == at:
            break
        at = _after_subset(head, skipped.end())
    return at


def _after_subset(head: str, at: int) -> int:
    """Skip the rest of a document type declaration, including its internal subset."""
    if head.startswith("[", at):
        closed = head.find("]>", at)
        return len(head) if closed < 0 else closed + 2
    return at + 1 if head.startswith(">", at) else at


def _by_header(media_type: str) -> Sniffed:
    if _CODE_TYPES.match(media_type):
        return Sniffed(Kind.OTHER, "a script or style sheet")
    if _MEDIA_TYPES.match(media_type):
        return Sniffed(Kind.OTHER, f"served as {media_type}")
    if media_type in {"text/html", "application/xhtml+xml"}:
        return Sniffed(Kind.HTML, "a web page")
    if not media_type or media_type == "application/octet-stream":
        return Sniffed(Kind.TEXT, "plain text")
    if _TEXT_TYPES.match(media_type):
        return Sniffed(Kind.TEXT, "plain text")
    return Sniffed(Kind.OTHER, f"served as {media_type}")
