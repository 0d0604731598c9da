"""The shipped articles, checked by the engine that needs no model, as cards."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.daemon.check import Checker
from bot.daemon.progress import LoggedProgress
from bot.models.lexical import LexicalVerifier
from bot.models.operating_points import shipped_points
from bot.sources.extraction import Extractor
from bot.sources.folder import SourceFolder
from bot.sources.reliability import load_reliability
from bot.store import open_store
from bot.surfaces.feedback import Feedback
from bot.wiki.folder import WikiFolder
from bot.wiki.pages import WikiPage
from gadget.cards import Cards
from gadget.payloads.cards import EditKind, PageAnswer
from handlers.citations.flags import OperatingPoints
from handlers.citations.suggestions import suggestions_of
from handlers.model import Page, SourceOutcome
from handlers.page import parse
from handlers.ports import Tools
from tests.gadget.cards.pages import edited, statements
from tests.rig.databases import ready_sqlite

_DEMO = Path(__file__).parents[3] / "bot" / "demo"
_NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
_WIKI = "en.wikipedia.org"
_TITLES = ("Parasitic ant", "2020 Jonesboro tornado")


@dataclass(frozen=True, slots=True)
class _Shown:
    page: Page
    answer: PageAnswer


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[_Shown, ...]:
    """Return two articles with what a reader is shown beside them."""
    folder = tmp_path_factory.mktemp("demo")
    articles = [_DEMO / "articles" / f"{title}.wikitext" for title in _TITLES]
    wiki = WikiFolder(_WIKI, articles, {}, lambda _: None, _NOON)
    with _cards(folder, wiki) as cards:
        return tuple(asyncio.run(_show(cards, wiki, title)) for title in _TITLES)


@contextmanager
def _cards(folder: Path, wiki: WikiFolder) -> Iterator[Cards]:
    with open_store(ready_sqlite(folder / "kept.sqlite")) as store:

        async def check() -> None:
            async with Extractor() as extractor:
                sources = SourceFolder(_DEMO / "sources", extractor)
                checker = Checker(
                    Tools(sources, LexicalVerifier()),
                    LoggedProgress(),
                    now=lambda: _NOON,
                    points=OperatingPoints(shipped_points()),
                )
                for title in _TITLES:
                    page: WikiPage = await wiki.page(title)
                    report = await checker.check(page.wikitext, page.id)
                    found = suggestions_of(report.page, report.checks)
                    store.save_check(report, found)

        asyncio.run(check())
        lists = load_reliability()
        yield Cards(store, lambda _: wiki, lists, Feedback, now=lambda: _NOON)


async def _show(cards: Cards, wiki: WikiFolder, title: str) -> _Shown:
    page = await wiki.page(title)
    answer = await cards.page(_WIKI, title, page.id.revision_id, None)
    return _Shown(parse(page.wikitext, page.id), answer)


def test_each_card_stands_by_its_claim_with_a_quote_from_a_source_of_it(
    shown: tuple[_Shown, ...],
) -> None:
    source_text = " ".join(
        " ".join(path.read_text("utf-8").split()) for path in _DEMO.glob("sources/*")
    )
    for one in shown:
        assert any(card.is_flagged for card in one.answer.cards)
        claims = {claim.span.start: claim for claim in one.page.claims}
        for card in one.answer.cards:
            claim = claims[card.place]
            assert card.claim.text == claim.text
            assert "".join(each.text for each in card.claim.pieces) == claim.text
            assert card.note
            lacks = card.note.reason and card.note.reason.key == "nothing-near"
            assert card.quotes or lacks or card.kind == "compare"
            assert {source.key for source in claim.sources} == {
                source.key for source in card.sources
            }
            for quote in card.quotes:
                assert " ".join(quote.quote.split()) in source_text
        assert one.answer.outdated == 0


def test_each_claim_that_could_not_be_checked_says_what_to_do(
    shown: tuple[_Shown, ...],
) -> None:
    for one in shown:
        texts = {claim.text for claim in one.page.claims}
        assert one.answer.unchecked
        for each in one.answer.unchecked:
            assert each.claim.text in texts
            assert SourceOutcome(each.outcome)
            assert each.advice.endswith(".")


def test_each_edit_that_is_offered_can_be_made(shown: tuple[_Shown, ...]) -> None:
    for one in shown:
        for card in one.answer.cards:
            for edit in card.edits:
                after = parse(edited(one.page, edit), one.page.id)
                assert statements(after.claims) == statements(one.page.claims)
                if edit.kind is EditKind.TAG:
                    assert f"{{{{{edit.label}|date=November 2026}}}}" in after.wikitext
        assert all(card.edits for card in one.answer.cards)


def test_sentences_with_the_same_words_are_told_apart(
    shown: tuple[_Shown, ...],
) -> None:
    for one in shown:
        named = [
            (card.claim.sentence, card.claim.occurrence, card.claim.text, card.place)
            for card in one.answer.cards
        ]
        assert len({each[:3] for each in named}) == len(named)
