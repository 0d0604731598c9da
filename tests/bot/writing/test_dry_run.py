"""Of a dry run, nothing but its own page comes to a gate that writes."""

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.records.posts import Attempt, NotNow, Outcome, Post, Posted, Refused, Shown
from bot.writing.dry_run import DryRun, OnePage
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
