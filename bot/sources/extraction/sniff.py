"""Decides what kind of file a body is, by its bytes before its header. Pure.

Headers are wrong too often to be believed: error pages are served as images,
PDFs as plain text. The first bytes decide; the header only where they are
silent.
"""

import codecs
import re
from dataclasses import dataclass
from enum import Enum

from bot.sources.extraction import charset


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
_PDF_HEAD_BYTES = 1024  # readers accept that much before the header
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
    """Return what `body` is."""
    media_type = (content_type or "").split(";")[0].strip().lower()
    by_magic = _by_magic(body, media_type)
    if by_magic:
        return by_magic
    if charset.is_utf7(body[:_HEAD_BYTES], content_type):
        return Sniffed(Kind.OTHER, "text in UTF-7, which no browser reads")
    if not charset.is_wide(body) and _is_binary(body[:_HEAD_BYTES]):
        return Sniffed(Kind.OTHER, _binary_name(media_type))
    return _by_markup(_head(body), media_type) or _by_header(media_type)


def _head(body: bytes) -> str:
    """Return the start of `body`; what is looked for in it is all ASCII."""
    head = body[:_HEAD_BYTES]
    if charset.is_wide(body):
        return charset.decode(head, content_type=None)
    return head.removeprefix(codecs.BOM_UTF8).decode("latin-1")


def _by_magic(body: bytes, media_type: str) -> Sniffed | None:
    start = body[:_PDF_HEAD_BYTES].lstrip(b"\xef\xbb\xbf\t\n\x0c\r ")
    if start.startswith(b"%PDF-") or _is_late_pdf(body, media_type):
        return Sniffed(Kind.PDF, "a PDF")
    name = _magic_name(body)
    return Sniffed(Kind.OTHER, name) if name else None


def _is_late_pdf(body: bytes, media_type: str) -> bool:
    """Tell whether a PDF header follows other bytes that are no markup."""
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


def _binary_name(media_type: str) -> str:
    return f"binary data, served as {media_type}" if media_type else "binary data"


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
    """Step over the rest of a document type declaration, internal subset too."""
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
