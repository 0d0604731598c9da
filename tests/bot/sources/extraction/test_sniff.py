"""What a body is, and in which alphabet."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sources.extraction.sniff import Kind, decode, sniff

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
DOCX = b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml" + bytes(40)
PAGE = b"<!DOCTYPE html><html><body><p>Hello</p></body></html>"


TEXTUAL = {
    "doctype": (PAGE, "text/html", Kind.HTML),
    "page without any header": (PAGE, None, Kind.HTML),
    "page served as plain text": (PAGE, "text/plain", Kind.HTML),
    "error page served as an image": (PAGE, "image/jpeg", Kind.HTML),
    "page served as a PDF": (PAGE, "application/pdf", Kind.HTML),
    "page after a mark, a comment and blanks": (
        b"\xef\xbb\xbf\n <!-- x -->\n<HTML lang=en><body>",
        None,
        Kind.HTML,
    ),
    "page in UTF-16": (PAGE.decode().encode("utf-16"), None, Kind.HTML),
    "page in UTF-16 without a mark": (
        PAGE.decode().encode("utf-16-be"),
        None,
        Kind.HTML,
    ),
    "XHTML behind a declaration": (
        b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "x" "y">\n<html>',
        "application/xml",
        Kind.HTML,
    ),
    "a fragment that its header calls a page": (b"Just words", "text/html", Kind.HTML),
    "XML": (b"<?xml version='1.0'?><article><p>x</p></article>", None, Kind.XML),
    "XML with an inner subset": (
        b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
        "text/xml",
        Kind.XML,
    ),
    "PDF": (b"%PDF-1.7\n...", "application/pdf", Kind.PDF),
    "PDF served as a page": (b"%PDF-1.4\n...", "text/html", Kind.PDF),
    "PDF after blanks": (b"\r\n %PDF-1.4\n...", None, Kind.PDF),
    "PDF after other bytes": (b"garbage\n%PDF-1.4\n...", "application/pdf", Kind.PDF),
    "polyglot that starts as a PDF": (b"%PDF-1.4\n" + PAGE, "text/html", Kind.PDF),
    "polyglot that starts as a page": (PAGE + b"%PDF-1.4\n", None, Kind.HTML),
    "text about PDFs": (b"Files start with %PDF-1.4.", "text/plain", Kind.TEXT),
    "plain text": (b"Words, and more of them.", "text/plain", Kind.TEXT),
    "text without a header": ("Grüße".encode(), None, Kind.TEXT),
    "JSON": (b'{"a": 1}', "application/json", Kind.TEXT),
    "text that starts like a program": (b"MZ is a postcode area", None, Kind.TEXT),
    "text that starts like a bitmap": (b"BMI rose", "text/plain", Kind.TEXT),
    "a lone bracket": (b"< 5 percent", "text/plain", Kind.TEXT),
}


OTHER = {
    "PNG": (PNG, "image/png", "a PNG image"),
    "PNG served as a page": (PNG, "text/html", "a PNG image"),
    "JPEG": (b"\xff\xd8\xff\xe0" + bytes(20), None, "a JPEG image"),
    "WebP": (b"RIFF\x10\0\0\0WEBPVP8 ", None, "a WebP image"),
    "SVG": (b"<?xml version='1.0'?><svg xmlns='x'><text>a</text></svg>", None, "SVG"),
    "bare SVG": (b"<svg><text>a</text></svg>", "image/svg+xml", "SVG"),
    "MP4": (b"\0\0\0\x20ftypisom" + bytes(20), "video/mp4", "a video"),
    "MP3": (b"ID3\x04" + bytes(20), None, "an audio file"),
    "ZIP": (b"PK\x03\x04" + bytes(60), None, "a ZIP archive"),
    "Word document": (DOCX, None, "an office document"),
    "old Word document": (b"\xd0\xcf\x11\xe0" + bytes(60), None, "an office document"),
    "gzip": (b"\x1f\x8b\x08" + bytes(20), "text/html", "a gzip archive"),
    "Linux program": (b"\x7fELF\x02" + bytes(20), None, "a program"),
    "Windows program": (b"MZ\x90\0\x03" + bytes(60), "text/plain", "a program"),
    "tar": (bytes(257) + b"ustar" + bytes(200), None, "a tar archive"),
    "zeros": (bytes(5000), "text/html", "binary data"),
    "noise": (bytes(range(256)) * 20, None, "binary data"),
    "script": (b"function f(){}", "application/javascript", "script"),
    "style sheet": (b"p{}", "text/css", "style sheet"),
    "an unknown video": (b"something", "video/x-y", "served as video/x-y"),
    "UTF-7": (b"+ADw-p+AD4-Hi", "text/html; charset=utf-7", "UTF-7"),
}


@pytest.mark.parametrize(
    ("body", "content_type", "kind"), TEXTUAL.values(), ids=TEXTUAL
)
def test_bytes_decide_what_can_be_read(
    body: bytes, content_type: str | None, kind: Kind
) -> None:
    assert sniff(body, content_type).kind is kind


@pytest.mark.parametrize(("body", "content_type", "name"), OTHER.values(), ids=OTHER)
def test_what_holds_no_text_is_named(
    body: bytes, content_type: str | None, name: str
) -> None:
    sniffed = sniff(body, content_type)

    assert sniffed.kind is Kind.OTHER
    assert name in sniffed.name


def test_ascii_that_is_merely_labelled_utf_7_is_read() -> None:
    assert sniff(b"1 + 1 = 2", "text/plain; charset=utf-7").kind is Kind.TEXT


RUSSIAN = "Наводнение началось в понедельник вечером. " * 8
JAPANESE = "洪水は月曜日の夜に始まった。川の水は二時間で三メートル上がった。" * 8
FRENCH = (
    "L'été dernier, la rivière a débordé près de l'église – c'était « prévu ». " * 4
)


TABLE = {
    "UTF-8": (FRENCH, "utf-8", "text/html; charset=utf-8", ""),
    "UTF-8 with a mark": (FRENCH, "utf-8-sig", None, ""),
    "UTF-8 labelled Latin-1": (FRENCH, "utf-8", "text/html; charset=iso-8859-1", ""),
    "UTF-8 without a label": (JAPANESE, "utf-8", None, ""),
    "UTF-16 with a mark": (RUSSIAN, "utf-16", "text/html; charset=utf-8", ""),
    "UTF-32 with a mark": (FRENCH, "utf-32", None, ""),
    "UTF-16 without a mark": (FRENCH, "utf-16-le", None, ""),
    "UTF-16, big end first": (FRENCH, "utf-16-be", "text/plain", ""),
    "Windows-1252 in a header": (
        FRENCH,
        "cp1252",
        "text/html; charset=windows-1252",
        "",
    ),
    "Windows-1252 called Latin-1": (FRENCH, "cp1252", "text/html; charset=latin1", ""),
    "quoted label": (RUSSIAN, "koi8-r", 'text/html; charset="KOI8-R"', ""),
    "label in the page": (RUSSIAN, "cp1251", None, '<meta charset="windows-1251">'),
    "old label in the page": (
        RUSSIAN,
        "cp1251",
        "text/html",
        '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
    ),
    "page against the server's default": (
        RUSSIAN,
        "cp1251",
        "text/html; charset=ISO-8859-1",
        "<meta charset=windows-1251>",
    ),
    "XML declaration": (
        RUSSIAN,
        "koi8-r",
        None,
        '<?xml version="1.0" encoding="koi8-r"?>',
    ),
    "Shift_JIS": (JAPANESE, "shift_jis", "text/html; charset=Shift_JIS", ""),
    "Shift_JIS with a wrong label": (
        JAPANESE,
        "shift_jis",
        "text/html; charset=utf-8",
        '<meta charset="x-sjis">',
    ),
    "EUC-JP": (JAPANESE, "euc_jp", "text/html; charset=euc-jp", ""),
    "ISO-2022-JP": (JAPANESE, "iso2022_jp", "text/html; charset=iso-2022-jp", ""),
    "label that does not exist": (FRENCH, "utf-8", "text/html; charset=klingon", ""),
    "label that is no character set": (FRENCH, "utf-8", "text/html; charset=hex", ""),
    "Cyrillic without a label": (RUSSIAN, "cp1251", None, ""),
    "French without a label": (FRENCH, "cp1252", None, ""),
}


@pytest.mark.parametrize(("text", "codec", "header", "head"), TABLE.values(), ids=TABLE)
def test_text_is_decoded_as_it_was_written(
    text: str, codec: str, header: str | None, head: str
) -> None:
    body = (head + text).encode(codec)

    assert decode(body, content_type=header) == head + text


def test_a_few_bad_bytes_do_not_spoil_the_rest() -> None:
    body = FRENCH.encode() + b"\xe9t\xe9" + FRENCH.encode()

    text = decode(body, content_type="text/html; charset=utf-8")

    assert text == f"{FRENCH}\ufffdt\ufffd{FRENCH}"


def test_utf_7_is_never_decoded() -> None:
    assert (
        decode(b"+ADw-b+AD4-", content_type="text/html; charset=utf-7") == "+ADw-b+AD4-"
    )


@pytest.mark.parametrize("label", ["punycode", "unicode_escape", "idna", "undefined"])
def test_what_only_python_calls_an_encoding_is_not_used(label: str) -> None:
    body = b"\\x41 \xe9 xn--a-"

    assert decode(body, content_type=f"text/plain; charset={label}").startswith("\\x41")


@given(st.binary(max_size=300), st.sampled_from(["", "gb2312", "utf-16", "big5", "hz"]))
def test_no_bytes_make_it_fail(body: bytes, label: str) -> None:
    text = decode(body, content_type=f"text/html; charset={label}")

    assert isinstance(text, str)
