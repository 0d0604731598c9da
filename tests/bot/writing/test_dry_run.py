"""A dry run: what would be posted stands in a folder."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.records.posts import (
    Append,
    Attempt,
    NotNow,
    Outcome,
    Post,
    Posted,
    Refusal,
    Refused,
    ReplaceStretch,
    Shown,
)
from bot.writing.dry_run import DryRun, LocalGate, LocalPages, OnePage
from tests.bot.writing.makers import post, tried

_PAGE = post(title="Benutzer:Ada/Probelauf", task="dry-run")
_TITLES = [_PAGE.title, "Benutzer:Ada/probelauf", "Benutzer:Ada/Probelauf ", "Uhr"]
_TITLES += ["benutzer:Ada/Probelauf", "Benutzer:Ada/Probelauf/x", ":" + _PAGE.title, ""]


@dataclass
class _Gate:
    outcome: Outcome
    tried: list[Post] = field(default_factory=list)

    def attempt(self, attempt: Attempt) -> Outcome:
        self.tried.append(attempt.post)
        return self.outcome


def _run(live: Outcome) -> tuple[_Gate, _Gate, DryRun]:
    shows, writes = _Gate(Shown("a file")), _Gate(live)
    page = OnePage(writes, _PAGE.wiki, _PAGE.title, _PAGE.task)
    return shows, writes, DryRun(shows, page)


@given(
    wiki=st.sampled_from([_PAGE.wiki, "other.example", ""]),
    title=st.sampled_from(_TITLES),
    task=st.sampled_from(["dry-run", "talk", "report", "opt-in", "", "Dry-run"]),
)
def test_every_other_post_is_shown(wiki: str, title: str, task: str) -> None:
    shows, writes, run = _run(Posted(7))
    given = replace(_PAGE, wiki=wiki, title=title, task=task)
    is_page = given == _PAGE

    outcome = run.attempt(tried(given))
    alone = run.page.attempt(tried(given))

    assert outcome == (Posted(7) if is_page else Shown("a file"))
    assert shows.tried == ([] if is_page else [given])
    assert writes.tried == ([given, given] if is_page else [])
    assert isinstance(alone, Posted if is_page else Refused)


@pytest.mark.parametrize("halts", [True, False])
def test_what_stops_the_page_does_not_stop_what_is_shown(halts: bool) -> None:
    _, _, run = _run(NotNow("blocked", 3_600, halts=halts))
    assert run.attempt(tried(_PAGE)) == NotNow("blocked", 3_600, halts=False)


REPORT = "User:Reader/Sidenote report"


@pytest.fixture
def pages(tmp_path: Path) -> LocalPages:
    return LocalPages(tmp_path, now=lambda: datetime(2026, 11, 21, tzinfo=UTC))


def test_what_is_written_is_what_the_next_post_finds(pages: LocalPages) -> None:
    gate = LocalGate(pages, "Sidenote")
    first = post(1, wiki="w", title=REPORT, change=Append("\n\nOne note."))
    second = post(2, wiki="w", title=REPORT, change=ReplaceStretch("One", "No"))

    assert isinstance(gate.attempt(tried(first)), Shown)
    assert isinstance(gate.attempt(tried(second)), Shown)

    assert pages.text("w", REPORT) == "No note."
    assert pages.text("w", "User:Somebody else") is None


def test_what_no_longer_stands_there_is_not_replaced(pages: LocalPages) -> None:
    gate = LocalGate(pages, "Sidenote")
    change = ReplaceStretch("One", "No")

    refused = gate.attempt(tried(post(1, wiki="w", title=REPORT, change=change)))

    assert isinstance(refused, Refused)
    assert refused.reason is Refusal.GONE


@pytest.mark.parametrize("title", ["Golden Gate Bridge", "User:Sidenote/Run/report"])
def test_nothing_is_written_where_the_wiki_would_not_have_it(
    pages: LocalPages, title: str
) -> None:
    refused = LocalGate(pages, "Sidenote").attempt(tried(post(1, title=title)))

    assert isinstance(refused, Refused)
    assert refused.reason is Refusal.PLACE
    assert pages.text("wiki.example", title) is None


def test_what_a_killed_process_had_written_is_not_written_twice(
    pages: LocalPages, tmp_path: Path
) -> None:
    gate = LocalGate(pages, "Sidenote")
    first = post(1, wiki="w", title=REPORT, change=Append("\n\nOne note."))
    gate.attempt(tried(first))

    again = gate.attempt(tried(first, before=datetime(2026, 11, 20, tzinfo=UTC)))

    assert Path(again.place).read_text("utf-8") == "One note."
    [history] = tmp_path.glob("w/*.history.txt")
    assert history.read_text("utf-8").count("\n") == 1


def test_a_folder_that_cannot_be_written_keeps_the_post_waiting(
    tmp_path: Path,
) -> None:
    (tmp_path / "w").write_text("a file where the folder of the wiki should be")
    pages = LocalPages(tmp_path, now=lambda: datetime(2026, 11, 21, tzinfo=UTC))

    held = LocalGate(pages, "Sidenote").attempt(tried(post(1, wiki="w", title=REPORT)))

    assert held.halts
