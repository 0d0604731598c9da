import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator

import psutil
import pytest
import pytest_asyncio

from bot.sources.extraction import Extraction, Extractor
from bot.sources.extraction.extractor import Child, Request, frame, request_frame
from handlers.model import SourceOutcome, SourceText
from handlers.ports import PermanentError
from tests.bot.sources.extraction.pdf_files import pdf

URL = "https://courier.example/flood"
SENTENCE = "The flood of May 1958 reached the second step of the town hall and stayed. "
STORY = f"<html><body><article><p>{SENTENCE * 5}</p></article></body></html>".encode()
MANY_ATTRIBUTES = (
    b"<html><body><p " + b" ".join(b"a%d=1" % n for n in range(100_000)) + b">hello</p>"
)
MANY_LEVELS = b"<html><body>" + b"<div>" * 100_000 + SENTENCE.encode() * 20
MEGABYTE = 1_000_000


@pytest_asyncio.fixture
async def extractor() -> AsyncIterator[Extractor]:
    async with Extractor() as running:
        yield running


@pytest_asyncio.fixture
async def hasty() -> AsyncIterator[Extractor]:
    async with Extractor(timeout_s=2, children=1) as running:
        yield running


async def read(
    extractor: Extractor, body: bytes, content_type: str | None = "text/html"
) -> Extraction:
    return await extractor.extract(body, content_type=content_type, url=URL)


def children() -> list[psutil.Process]:
    """Return the children that read; servers of other tests may run beside them."""
    running = psutil.Process().children()
    return [child for child in running if _reads(child)]


def _reads(child: psutil.Process) -> bool:
    try:
        return "bot.sources.extraction.worker" in child.cmdline()
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return False


def request(body: bytes) -> bytes:
    head = request_frame(Request(kind="html", content_type=None, url=URL))
    return head + frame(body)


def run_python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


async def test_a_page_is_read(extractor: Extractor) -> None:
    extraction = await read(extractor, STORY)

    assert extraction.outcome is SourceOutcome.READ
    assert extraction.document.text == (SENTENCE * 5).strip()


async def test_a_pdf_is_read_with_its_pages(extractor: Extractor) -> None:
    extraction = await read(extractor, pdf([["First"], ["Second"]]), None)

    assert extraction.document.page_starts == (0, 6)


async def test_xml_is_read(extractor: Extractor) -> None:
    extraction = await read(
        extractor, b"<?xml version='1.0'?><a><p>Words</p></a>", None
    )

    assert extraction.document == SourceText("Words")


async def test_a_large_text_is_read(extractor: Extractor) -> None:
    body = (SENTENCE.strip() + "\n").encode() * 10_000

    extraction = await read(extractor, body, "text/plain")

    assert extraction.document.text.count("\n") == 9_999


async def test_a_small_text_needs_no_child(extractor: Extractor) -> None:
    extraction = await read(extractor, SENTENCE.encode(), "text/plain")

    assert extraction.document.text == SENTENCE.strip()
    assert children() == []


@pytest.mark.parametrize(
    ("body", "outcome", "detail"),
    [
        (b" \n", SourceOutcome.EMPTY_SHELL, "the answer has no content"),
        (b"\x89PNG\r\n\x1a\n", SourceOutcome.NOT_TEXT, "a PNG image"),
        (
            bytes(30 * MEGABYTE),
            SourceOutcome.NOT_TEXT,
            "binary data, served as text/html",
        ),
    ],
    ids=["blank", "image", "zeros"],
)
async def test_what_needs_no_parser_starts_none(
    extractor: Extractor, body: bytes, outcome: SourceOutcome, detail: str
) -> None:
    extraction = await read(extractor, body)

    assert extraction == Extraction(outcome, detail)
    assert children() == []


async def test_a_parser_that_hangs_is_killed_and_the_next_page_read(
    hasty: Extractor,
) -> None:
    stopped = await read(hasty, MANY_ATTRIBUTES)
    after = await read(hasty, STORY)

    assert stopped.outcome is SourceOutcome.INCOMPLETE
    assert stopped.detail == "the text extractor was stopped after 2 s"
    assert after.outcome is SourceOutcome.READ


async def test_text_below_the_deepest_levels_is_never_an_empty_page(
    extractor: Extractor,
) -> None:
    extraction = await read(extractor, MANY_LEVELS)

    assert extraction.outcome is SourceOutcome.INCOMPLETE
    assert extraction.document is None


async def test_the_owner_does_not_grow_with_a_bomb(hasty: Extractor) -> None:
    await read(hasty, STORY)
    process = psutil.Process()
    before = process.memory_info().rss

    for bomb in (MANY_ATTRIBUTES, MANY_LEVELS, b"<p>" + b"&amp;" * 200_000):
        await read(hasty, bomb)

    assert process.memory_info().rss - before < 20 * MEGABYTE


async def test_a_page_that_takes_too_much_memory_is_incomplete() -> None:
    body = b"<html><body>" + b"<p>hello</p>" * 200_000

    async with Extractor(max_memory_bytes=200 * MEGABYTE) as extractor:
        extraction = await read(extractor, body)
        after = await read(extractor, STORY)

    assert extraction.outcome is SourceOutcome.INCOMPLETE
    assert after.outcome is SourceOutcome.READ


async def test_a_child_that_dies_is_replaced(extractor: Extractor) -> None:
    await read(extractor, STORY)
    [child] = children()
    child.kill()
    child.wait()

    crashed = await read(extractor, STORY)
    after = await read(extractor, STORY)

    assert crashed == Extraction(
        SourceOutcome.INCOMPLETE, "the text extractor crashed on it"
    )
    assert after.outcome is SourceOutcome.READ


async def test_pages_are_read_at_once_by_at_most_two_children(
    extractor: Extractor,
) -> None:
    extractions = await asyncio.gather(*(read(extractor, STORY) for _ in range(12)))

    assert {each.outcome for each in extractions} == {SourceOutcome.READ}
    assert len(children()) == 2


async def test_a_child_is_used_again(extractor: Extractor) -> None:
    await read(extractor, STORY)
    first = [child.pid for child in children()]
    await read(extractor, STORY)

    assert [child.pid for child in children()] == first


async def test_no_child_is_left_when_all_is_done() -> None:
    async with Extractor() as extractor:
        await asyncio.gather(read(extractor, STORY), read(extractor, STORY))

    assert children() == []


async def test_an_interrupted_reading_leaves_no_child_that_is_still_at_it() -> None:
    async with Extractor(timeout_s=60) as extractor:
        reading = asyncio.create_task(read(extractor, MANY_ATTRIBUTES))
        while not children():  # noqa: ASYNC110 - a process gives no event
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.5)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading

        assert children() == []


@pytest.fixture
def variable() -> Iterator[str]:
    os.environ["SIDENOTE_TEST_VARIABLE"] = "for the owner only"
    yield "SIDENOTE_TEST_VARIABLE"
    del os.environ["SIDENOTE_TEST_VARIABLE"]


async def test_a_child_holds_no_secrets_and_cannot_write_files(
    extractor: Extractor, variable: str
) -> None:
    await read(extractor, STORY)
    [child] = children()

    assert variable not in child.environ()
    assert child.rlimit(psutil.RLIMIT_FSIZE) == (0, 0)
    assert child.rlimit(psutil.RLIMIT_AS) == (280_000_000, 280_000_000)
    assert child.rlimit(psutil.RLIMIT_CPU)[0] < 60
    assert child.cwd() == "/"


async def test_the_kernel_stops_a_child_whose_owner_is_gone() -> None:
    child = await Child.start(max_memory_bytes=1_000_000_000, cpu_s=0.1)
    process = child._process
    child._stdin.write(request(MANY_ATTRIBUTES))

    code = await asyncio.wait_for(process.wait(), timeout=60)
    await child.close()

    assert code == -signal.SIGXCPU


async def test_a_child_that_cannot_start_says_why() -> None:
    with pytest.raises(PermanentError, match="cannot be started: "):
        await Child.start(max_memory_bytes=10**30, cpu_s=1)


def test_parsers_are_not_loaded_by_the_owner() -> None:
    code = (
        "import sys; import bot.sources.extraction, bot.sources.folder;"
        "print([m for m in ('trafilatura', 'lxml', 'pypdf') if m in sys.modules])"
    )

    assert run_python(code) == "[]"
