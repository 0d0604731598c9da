import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sources.extraction.sniff import decode

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
