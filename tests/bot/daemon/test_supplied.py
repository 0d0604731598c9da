"""A text that a person supplies is laid beside what cites its source."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from bot.daemon.check import Checker
from bot.daemon.supplied import SuppliedChecks
from bot.models.lexical import LexicalVerifier
from bot.records.accounts import SuppliedText
from bot.sources.extraction import Extractor
from bot.store import Store
from bot.surfaces.messages import from_note, message
from handlers.model import Engine, Found, Query, Verdict
from handlers.ports import ModelReply, ModelRequest, Tools
from tests.bot.daemon.checks_world import TITLE, Clock, Web, Wiki
from tests.bot.sources.extraction.pdf_files import pdf
from tests.bot.store.runs import NOON, WIKI
from tests.fakes import Unheard

PAID = "https://gone.example/tower"
PAGE = f"""The tower was built in 1911.<ref>{{{{cite web |url={PAID} |title=Tower}}}}</ref>
It has a clock.<ref>{{{{cite web |url=https://free.example/clock |title=Clock}}}}</ref>
"""


class _Unasked:
    """A language model, and a search, that nothing of a supplied text may reach."""

    engine = Engine("elsewhere", "1")
    name = "elsewhere"

    async def ask(self, request: ModelRequest[Any]) -> ModelReply[Any]:
        raise AssertionError(f"asked: {request}")

    async def search(self, query: Query, *, limit: int) -> Sequence[Found]:
        raise AssertionError(f"searched: {query}, {limit}")


async def supplied(store: Store, body: bytes, key: str = PAID) -> SuppliedText:
    until = NOON + timedelta(hours=1)
    text = SuppliedText("t", "alice", WIKI, TITLE, key, NOON, until, body)
    store.supplied.put(text, NOON, 1_000_000)
    wiki, clock, web = Wiki({TITLE: PAGE}), Clock(), Web()
    elsewhere = _Unasked()
    tools = Tools(web, LexicalVerifier(), elsewhere, searches=(elsewhere,))
    checker = Checker(tools, Unheard(), clock)
    async with Extractor(children=1) as extractor:
        checks = SuppliedChecks(
            "worker", store, lambda _: wiki, checker, extractor, clock, lambda: 0.0
        )
        assert await checks.runner.work_once()
    assert not web.reads, "no other source is read for it"
    supplied_text = store.supplied.get("t", "alice", clock())
    assert supplied_text is not None
    assert supplied_text.ended_at is not None
    return supplied_text


@pytest.mark.parametrize(
    "body",
    [
        b"Records say that the tower was built in 1911 by the harbour board.",
        pdf([["Records say that the tower was built in 1911."]]),
    ],
    ids=["text", "PDF"],
)
async def test_a_claim_is_checked_and_nothing_is_kept_for_others(
    store: Store, body: bytes
) -> None:
    fetched = await supplied(store, body)

    [result] = fetched.results
    assert (result.claim, result.verdict) == (
        "The tower was built in 1911.",
        Verdict.SUPPORTED,
    )
    assert "built in 1911" in result.quotes[0].quote
    assert store.last_check(WIKI, TITLE) is None
    assert store.suggestions_of(WIKI, TITLE) == ()


async def test_a_text_that_fails_the_claim_reaches_no_model_and_no_search(
    store: Store,
) -> None:
    fetched = await supplied(
        store, b"The harbour board sold forty cows at the fair of Romance."
    )

    [result] = fetched.results
    assert result.verdict is not Verdict.SUPPORTED


async def test_what_is_no_text_is_said_to_be_none(store: Store) -> None:
    fetched = await supplied(store, b"\x89PNG\r\n\x1a\n" + bytes(40))

    assert fetched.results == ()
    assert "could not be read" in (fetched.problem or "")


async def test_a_source_that_the_page_no_longer_cites_is_said_to_be_none(
    store: Store,
) -> None:
    fetched = await supplied(store, b"A text.", "https://elsewhere.example/")

    assert from_note(fetched.problem or "") == message("refusal-not-cited")
