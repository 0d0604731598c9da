import gzip
import zlib

import brotli
import pytest

from bot.sources.fetch import Fetcher
from bot.sources.http import BrokenBodyError, Fetched, decoder_for
from handlers.model import SourceOutcome
from tests.bot.sources.server import Site, answer, endless
from tests.bot.sources.tools import SMALL, PeakMemory
from tests.shared_data import shared_data

TEXT = "Der Tornado zerstörte die Kirche. ".encode() * 200
BOMB = bytes(64 * 1024**2)
MEGABYTE = 1024**2


def raw_deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return stream.compress(data) + stream.flush()


BOMBS = {
    "gzip": lambda: gzip.compress(BOMB),
    "deflate": lambda: zlib.compress(BOMB),
    "br": lambda: brotli.compress(BOMB, quality=1),
}
ENCODED = {
    "gzip": gzip.compress(TEXT),
    "x-gzip": gzip.compress(TEXT) + b"\0\x1fpadding",
    "GZIP": gzip.compress(TEXT[:1000]) + gzip.compress(TEXT[1000:]) + bytes(9),
    "deflate": zlib.compress(TEXT),
    "deflate, identity": raw_deflate(TEXT),
    "br": brotli.compress(TEXT),
    "identity": TEXT,
    "": TEXT,
}


@pytest.mark.parametrize("encoding", ENCODED)
@pytest.mark.parametrize("step", [1, 7, 100_000])
def test_a_body_is_decoded_however_it_is_cut(encoding: str, step: int) -> None:
    body = ENCODED[encoding]
    decoder = decoder_for(encoding)

    pieces = [body[start : start + step] for start in range(0, len(body), step)]
    decoded = b"".join(decoder.decode(piece, MEGABYTE) for piece in pieces)
    decoder.finish()

    assert decoded == TEXT


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
def test_a_body_that_ends_early_is_broken(encoding: str) -> None:
    decoder = decoder_for(encoding)
    decoder.decode(ENCODED[encoding][:-5], MEGABYTE)

    with pytest.raises(BrokenBodyError):
        decoder.finish()


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
def test_a_body_that_is_no_such_thing_is_broken(encoding: str) -> None:
    with pytest.raises(BrokenBodyError):
        decoder_for(encoding).decode(b"\x00 this is plain text " * 40, MEGABYTE)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", ""])
def test_an_empty_body_is_complete(encoding: str) -> None:
    decoder_for(encoding).finish()


def test_a_gzip_body_of_endless_empty_members_is_broken() -> None:
    with pytest.raises(BrokenBodyError):
        decoder_for("gzip").decode(gzip.compress(b"") * 5000, MEGABYTE)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
async def test_a_decompression_bomb_costs_no_more_than_the_cap(
    site: Site, fetcher: Fetcher, encoding: str
) -> None:
    site.pages["/a"] = answer(BOMBS[encoding](), content_encoding=encoding)

    peak = PeakMemory()
    reply = await fetcher.fetch(site.url("/a"))

    assert reply.outcome is SourceOutcome.TOO_LARGE
    assert reply.http_status == 200
    assert peak.grown_bytes < 32 * MEGABYTE


def shared_bomb(name: str) -> bytes:
    return (shared_data("security_corpora/http-bombs") / name).read_bytes()


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "encoding", "outcome"),
    [
        ("1GiB.br", "br", SourceOutcome.TOO_LARGE),
        ("1GiB.gz", "gzip", SourceOutcome.TOO_LARGE),
        ("1GiB.gz.gz", "gzip, gzip", SourceOutcome.NOT_TEXT),
    ],
)
async def test_a_gigabyte_in_a_kilobyte_costs_no_more_than_the_cap(
    site: Site, fetcher: Fetcher, name: str, encoding: str, outcome: SourceOutcome
) -> None:
    site.pages["/a"] = answer(shared_bomb(name)[:MEGABYTE], content_encoding=encoding)

    peak = PeakMemory()
    reply = await fetcher.fetch(site.url("/a"))

    assert reply.outcome is outcome
    assert peak.grown_bytes < 48 * MEGABYTE


async def test_ten_gigabytes_of_zeros_cost_no_more_than_the_cap(
    site: Site, fetcher: Fetcher
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    site.pages["/a"] = endless(head, bytes(64 * 1024))

    peak = PeakMemory()
    reply = await fetcher.fetch(site.url("/a"))

    assert reply.outcome is SourceOutcome.TOO_LARGE
    assert peak.grown_bytes < 32 * MEGABYTE


async def test_an_announced_size_beyond_the_cap_is_not_downloaded(
    site: Site, fetcher: Fetcher
) -> None:
    site.pages["/a"] = answer(b"", content_length="9" * 15)
    site.pages["/b"] = answer(b"a" * SMALL.max_body_bytes)

    too_large = await fetcher.fetch(site.url("/a"))
    just_right = await fetcher.fetch(site.url("/b"))

    assert too_large.detail == "the page is larger than 1 MB"
    assert isinstance(just_right, Fetched)


async def test_compressed_noise_that_decodes_to_nothing_is_capped_too(
    site: Site, fetcher: Fetcher
) -> None:
    stored_block_of_nothing = b"\x00\x00\x00\xff\xff"
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n\r\n"
    site.pages["/a"] = endless(head, stored_block_of_nothing * 10_000)

    reply = await fetcher.fetch(site.url("/a"))

    assert reply.outcome is SourceOutcome.TOO_LARGE


@pytest.mark.parametrize(
    "encoding", ["gzip, gzip", "br, gzip", "zstd", "compress", "x"]
)
async def test_encodings_that_were_not_asked_for_are_not_taken_for_text(
    site: Site, fetcher: Fetcher, encoding: str
) -> None:
    site.pages["/a"] = answer(
        gzip.compress(gzip.compress(TEXT)), content_encoding=encoding
    )

    reply = await fetcher.fetch(site.url("/a"))

    assert reply.outcome is SourceOutcome.NOT_TEXT


async def test_encodings_spread_over_two_headers_count_as_stacked(
    site: Site, fetcher: Fetcher
) -> None:
    body = gzip.compress(gzip.compress(TEXT))
    twice = b"Content-Encoding: gzip\r\n" * 2
    site.pages["/a"] = b"HTTP/1.1 200 OK\r\n" + twice + b"\r\n" + body

    reply = await fetcher.fetch(site.url("/a"))

    assert reply.outcome is SourceOutcome.NOT_TEXT
    assert reply.detail == "the page is compressed more than once"


async def test_a_page_that_is_not_compressed_as_it_says_is_unreachable(
    site: Site, fetcher: Fetcher
) -> None:
    site.pages["/a"] = answer("plain", content_encoding="gzip")

    reply = await fetcher.fetch(site.url("/a"))

    assert reply.outcome is SourceOutcome.UNREACHABLE
