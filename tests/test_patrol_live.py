"""A dozen edits of a real wiki that nobody watches: what is noted, and what is not.

Anonymous people edit an article that ships, and whose sources ship as well; the daemon of
the demo hears of it from the wiki's own feed.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from time import monotonic, sleep
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from bot.app.wiring.demo import ARTICLE
from bot.records.patrol import PatrolCounts
from bot.store import Store
from handlers.edits.finding import ChangedFinding
from handlers.findings import Suggestion
from tests.demo_program import demo
from tests.panel_place import beside_it
from tests.rig.wiki.mediawiki import mediawiki_here

pytestmark = pytest.mark.mediawiki

_PATIENCE_S = 240.0
_BAD = (
    ("The tornado injured 22 people", "The tornado injured 73 people"),
    ("approximately 140 miles per", "approximately 427 miles per"),
    ("The tornado, rated EF3 on", "The tornado, rated EF5 on"),
)
_HARMLESS = (
    ("reaching a maximum width", "reaching '''a''' maximum width"),
    ("News channel", "[[News channel]]"),
    ("Two of the injured", "Two of  the injured"),
)
_OTHERS = (
    ("on the ground for 16 minutes", "on the ground for 55 minutes"),
    ("''[[KAIT]]''", "''[[CNN]]''"),
    ("{{r|nesdis}}", ""),
    ("The lack of fatalities", "It was the worst night of the decade. The lack"),
    ("totaled an estimated", "never totaled an estimated"),
)


@dataclass
class _Place:
    """The wiki, and the store of the daemon that patrols it."""

    wiki: str
    store: Store
    original: str = field(init=False)

    def __post_init__(self) -> None:
        self.original = self.text()

    @property
    def host(self) -> str:
        return self.wiki.removeprefix("http://")

    def text(self) -> str:
        asked = urlencode({"title": ARTICLE, "action": "raw"})
        with urlopen(f"{self.wiki}/w/index.php?{asked}", timeout=_PATIENCE_S) as answer:  # noqa: S310
            text: str = answer.read().decode()
        return text

    def save(self, *changes: tuple[str, str], text: str | None = None) -> None:
        text = self.text() if text is None else text
        for before, after in changes:
            assert text.count(before) == 1, before
            text = text.replace(before, after)
        form = {
            "action": "edit",
            "format": "json",
            "title": ARTICLE,
            "text": text,
            "token": "+\\",
        }
        body = urlencode(form).encode()
        with urlopen(f"{self.wiki}/w/api.php", body, _PATIENCE_S) as answer:  # noqa: S310
            assert json.load(answer)["edit"]["result"] == "Success"

    @property
    def notes(self) -> list[Suggestion]:
        found = self.store.suggestions_of(self.host, ARTICLE)
        return [one.suggestion for one in found]

    @property
    def counts(self) -> PatrolCounts:
        today = datetime.now(UTC)
        return self.store.patrols.counts(today)[self.host]

    def waits_until(self, happened: Callable[[], bool]) -> float:
        began_s = monotonic()
        while not happened():
            assert monotonic() - began_s < _PATIENCE_S, [
                one.claim for one in self.notes
            ]
            sleep(0.2)
        return monotonic() - began_s


@pytest.fixture(scope="module")
def place() -> Iterator[_Place]:
    mediawiki_here()
    with (
        demo({"SIDENOTE_PATROL": "on"}) as running,
        beside_it(running) as store,
    ):
        yield _Place(running.wiki, store)


def _has(notes: list[Suggestion], before: str, after: str) -> bool:
    """Return whether a note shows what stood before and what stands now."""
    return any(
        isinstance(one.finding, ChangedFinding)
        and before in one.finding.before
        and after in one.claim
        for one in notes
    )


def _are_known_once(notes: list[Suggestion]) -> bool:
    claims = [one.claim for one in notes]
    return len(set(claims)) == len(claims)


def test_a_dozen_edits_of_a_page_that_nobody_watches(place: _Place) -> None:
    for change in _BAD:
        place.save(change)
        sleep(1.2)  # else all are one edit
    took_s = place.waits_until(
        lambda: all(_has(place.notes, *change) for change in _BAD)
    )
    noted = {one.identity for one in place.notes}

    read = place.counts.diffs
    for change in (*_HARMLESS, *_OTHERS):
        place.save(change)
        sleep(0.4)
    place.waits_until(lambda: place.counts.diffs > read)

    assert _are_known_once(place.notes)
    assert noted <= {one.identity for one in place.notes}
    assert place.store.last_check(place.host, ARTICLE) is None
    assert place.store.patrols.noted(place.host) == (ARTICLE,)

    place.save(text=place.original)
    back_s = place.waits_until(lambda: not place.notes)

    before = datetime.now(UTC) - timedelta(hours=1)
    due_later = place.store.noted_edits.counts(before, place.host)
    assert sum(one.waiting for one in due_later) >= len(_BAD)
    scheduled = place.store.status(datetime.now(UTC)).scheduled
    assert "noted edits" in {one.name for one in scheduled}

    counts = place.counts
    assert counts.events == len(_BAD) + len(_HARMLESS) + len(_OTHERS) + 1
    assert counts.notes >= len(_BAD)
    assert counts.sources > 0
    print(f"noted {took_s:.0f} s after the last save, closed after {back_s:.0f} s")  # noqa: T201
    print(counts)  # noqa: T201
