"""Edits saved through the panel: how they are known, and what became of them."""

from collections.abc import Mapping
from datetime import datetime, timedelta

import pytest
from aiohttp import web

from bot.records.panel_edits import EditCounts, EditKind, FoundBy
from bot.store import Store
from bot.surfaces.panel_edits import PanelEditSweep, Summaries
from bot.wiki.changes import ListedEdit
from bot.wiki.lists import WikiLists
from tests.bot.wiki.listing_wiki import BEGAN, ListingWiki, at, entry, listing

BOT = "SidenoteBot"
OURS = f"Cited “The Times” ([[User:{BOT}|Sidenote]])"
DAY = timedelta(days=1)


def listed(comment: str, *tags: str) -> ListedEdit:
    return ListedEdit(7, BEGAN, comment, frozenset(tags))


@pytest.mark.parametrize(
    ("comment", "tags", "kind", "found_by"),
    [
        (OURS, (), EditKind.CITE, FoundBy.SUMMARY),
        (f"/* Bells */ {OURS}, thanks", ("sidenote",), EditKind.CITE, FoundBy.TAG),
        (f"copy edit ([[User:{BOT}|Sidenote]])", (), EditKind.SECTION, FoundBy.SUMMARY),
        (f"fixed [[User:{BOT}|Sidenote]]", (), EditKind.OTHER, FoundBy.SUMMARY),
        ("my own words", ("sidenote",), EditKind.OTHER, FoundBy.TAG),
    ],
)
def test_an_edit_of_the_panel_is_known_by_its_tag_or_its_summary(
    comment: str, tags: tuple[str, ...], kind: EditKind, found_by: FoundBy
) -> None:
    found = Summaries(BOT, "en").panel_edit(listed(comment, *tags))

    assert (found.kind, found.found_by) == (kind, found_by)


def test_a_summary_is_read_in_the_language_of_its_wiki() -> None:
    summary = f"Beleg „Die Zeit“ ergänzt ([[User:{BOT}|Sidenote]])"
    found = Summaries(BOT, "de").panel_edit(listed(summary))

    assert found.kind is EditKind.CITE


@pytest.mark.parametrize(
    "comment",
    ["copy edit", "Reverted edits by [[User:Sidenote|Sidenote]]", f"as {BOT} says"],
)
def test_other_edits_are_nobodys_business(comment: str) -> None:
    assert Summaries(BOT, "en").panel_edit(listed(comment)) is None


class _Run:
    """A sweep over a wiki on loopback, which tells what became of revisions, too."""

    def __init__(self, store: Store, wiki: ListingWiki) -> None:
        self.store, self.wiki = store, wiki
        self.now = at(600)
        self.tags: dict[int, list[str]] = {}
        wiki.says = self.says
        reader = WikiLists(wiki.host, user_agent="SidenoteTests/0 (loopback only)")
        self.name = reader.wiki
        self.sweep = PanelEditSweep(
            store.panel_edits, lambda _: reader, lambda _: (0,), BOT, lambda: self.now
        )

    def says(self, query: Mapping[str, str]) -> web.StreamResponse | None:
        if "revids" not in query:
            return None
        ids = map(int, query["revids"].split("|"))
        known = self.tags
        revisions = [
            {"revid": each, "tags": known[each]} for each in ids if each in known
        ]
        return web.json_response({"query": {"pages": [{"revisions": revisions}]}})

    async def at(self, now: datetime) -> dict[EditKind, EditCounts]:
        self.now = now
        await self.sweep.run([self.name])
        counts = self.store.panel_edits.counts(self.name, BEGAN - DAY, now)
        return {one.kind: one for one in counts}


async def test_what_became_of_edits_is_reported_for_days(store: Store) -> None:
    entries = [
        entry(1, comment=OURS, tags=["sidenote"]),
        entry(2, comment=OURS, tags=[]),
        entry(3, comment=OURS, tags=[]),
        entry(4, comment="typo", tags=[]),
        {**entry(5), "comment": None, "commenthidden": True},
    ]
    async with listing(entries=entries) as wiki:
        run = _Run(store, wiki)
        assert await run.at(at(600)) == {
            EditKind.CITE: EditCounts(EditKind.CITE, open=3)
        }
        assert wiki.asked[0]["rcshow"] == "!bot"

        run.tags = {1001: [], 1002: ["mw-reverted"]}  # the third was deleted
        found = await run.at(at(600) + DAY)
        assert found[EditKind.CITE] == EditCounts(
            EditKind.CITE, reverted=1, gone=1, open=1
        )

        found = await run.at(at(600) + 8 * DAY)
        assert found[EditKind.CITE].stayed == 1
        run.tags[1001] = ["mw-reverted"]
        found = await run.at(at(600) + 9 * DAY)
        assert (found[EditKind.CITE].stayed, found[EditKind.CITE].reverted) == (0, 2)
        assert found[EditKind.CITE].saved == 3


async def test_a_sweep_goes_on_where_the_last_one_ended(store: Store) -> None:
    async with listing(entries=[entry(1, comment=OURS)]) as wiki:
        run = _Run(store, wiki)
        await run.at(at(600))
        wiki.asked.clear()
        run.tags = {1001: []}

        await run.at(at(4200))
        await run.at(at(4200) - timedelta(hours=2))  # a clock that was set back

    starts = [one["rcstart"] for one in wiki.asked if "rcstart" in one]
    assert starts == ["2026-11-01T12:05:00Z"]
    assert store.panel_edits.swept_until(run.name) == at(3900)


async def test_a_wiki_that_is_away_is_gone_on_with_next_time(store: Store) -> None:
    async with listing(entries=[entry(1, comment=OURS)]) as wiki:
        run = _Run(store, wiki)
        wiki.says = lambda _: web.Response(status=503)
        await run.at(at(600))
        assert store.panel_edits.swept_until(run.name) is None

        wiki.says = run.says
        assert (await run.at(at(600)))[EditKind.CITE].saved == 1
