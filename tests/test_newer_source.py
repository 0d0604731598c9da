"""From one dated page of news to the report and the panel, without a language model."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from bot.models.encoder import RememberingEncoder
from bot.models.lexical import shipped_lexical
from bot.models.neural import NeuralVerifier
from bot.records.watches import Check
from bot.store import open_store
from bot.surfaces import report_page
from bot.surfaces.opt_in.community import Community
from bot.surfaces.planning.selection import candidates
from handlers.model import Discovery, PageId
from handlers.page import parse
from handlers.sources.reliability import ReliabilityLists
from handlers.updates.discovery import discover, embedded
from handlers.updates.roles import Budget, Tools
from handlers.updates.suggestions import suggestions_of
from tests.bot.surfaces.makers import REPORT
from tests.bot.surfaces.planning.makers import watch
from tests.bot.wiki.markup.makers import KEYS
from tests.gadget.cards.rig import WIKI, Rig, Wiki
from tests.handlers.updates.builders import TODAY
from tests.handlers.updates.test_embedded import (
    ARTICLE,
    NOVEMBER,
    REPAIRED,
    A,
    Folder,
    page,
)
from tests.rig.databases import ready_sqlite

TITLE = "Harbour Bridge"


def _discovered(revision: int) -> Discovery:
    verifier, encoder, lists = (
        NeuralVerifier(),
        RememberingEncoder(),
        ReliabilityLists(()),
    )
    folder = Folder({A: page(REPAIRED)})
    return asyncio.run(
        discover(
            parse(ARTICLE, PageId(WIKI, TITLE, revision_id=revision)),
            NOVEMBER,
            TODAY,
            roles=embedded(verifier, encoder, lists, shipped_lexical().model.rarity),
            tools=Tools((folder,), folder, verifier, encoder, lists),
            budget=Budget(),
            elapsed_s=monotonic,
        )
    )


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    with open_store(ready_sqlite(tmp_path / "kept.sqlite")) as store:
        yield Rig(store, Wiki())


def test_one_accepted_source_with_its_day_reaches_the_report_and_the_panel(
    rig: Rig,
) -> None:
    revision = rig.wiki.edit(TITLE, ARTICLE)
    run = _discovered(revision)
    assert rig.store.discoveries.save(run, suggestions_of(run), rig.now)

    kept = rig.store.suggestions_of(WIKI, TITLE)
    asked = watch(wiki=WIKI, pages=(TITLE,), checks=(Check.UPDATES,))
    [chosen] = candidates(kept, [asked], Community(), frozenset())
    text = report_page.report([chosen.note], REPORT, KEYS)

    assert "A newer source worth reading" in text
    assert "Newer sources say, 2026-10-04: “In October 2026 inspectors closed" in text
    assert "The page’s metadata give its day." in text
    assert "So far only one site says so." in text

    [card] = rig.see(revision, title=TITLE).cards
    assert card.is_flagged
    assert [one.quote for one in card.quotes] == [REPAIRED]
    assert card.note
    lines = [line.key for line in card.note.lines]
    assert lines == ["backing-one", "day-metadata"]
