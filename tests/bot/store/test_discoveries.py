"""What a run of update discovery found is kept for as long as it holds."""

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from bot.report import PageReport
from bot.store import Store, StoredSuggestion, SweepRules, open_store
from handlers.citations.suggestions import suggestions_of as of_citations
from handlers.findings import UpdateFinding, finding_of
from handlers.model import (
    Criteria,
    Discovery,
    Engine,
    ModelUse,
    Role,
    SectionCriteria,
    Stopped,
    TraceStep,
    Update,
    Verdict,
    Window,
)
from handlers.updates.suggestions import suggestions_of
from tests import builders
from tests import update_runs as runs
from tests.bot.store.runs import hour


def _search(store: Store, at: float, *updates: Update, **changes: object) -> Discovery:
    run = replace(runs.discovery(*updates), **changes)  # type: ignore[arg-type]  # fields by name
    assert store.discoveries.save(run, suggestions_of(run), hour(at))
    return run


def _check(store: Store, at: float, wikitext: str, revision: int = 71) -> None:
    """Save a look at the citations of the page."""
    page = runs.page(wikitext, revision)
    report = PageReport(page, (), builders.ENGINE, hour(at), 1.0)
    assert store.save_check(report, ())


def _open(store: Store) -> list[str]:
    return sorted(one.suggestion.claim for one in _stored(store))


def _stored(store: Store) -> tuple[StoredSuggestion, ...]:
    return store.suggestions_of(runs.WIKI, runs.TITLE)


def test_a_run_is_kept_with_all_that_it_did(store: Store) -> None:
    run = _search(store, 0, runs.outdated(), troubles=("gdelt: away",))

    discovery = store.discoveries.last(runs.WIKI, runs.TITLE)

    assert discovery
    assert (discovery.trace, discovery.troubles) == (run.trace, run.troubles)
    assert (discovery.window, discovery.searched_at) == (run.subject.window, hour(0))
    assert (discovery.updates, discovery.stopped) == (1, Stopped.NOTHING_LEFT)
    assert discovery.page.revision_id == 70
    searched = store.discoveries.searched(runs.WIKI, [runs.TITLE, "Other"])
    assert searched == {runs.TITLE: hour(0)}


def test_its_suggestions_come_back_as_they_were(store: Store) -> None:
    update = runs.outdated()
    edit = runs.proposal(update, runs.CARS, "It carries many cars.", is_worded=True)
    run = _search(store, 0, update, runs.new_fact(), proposals=(edit,))

    found = {one.suggestion.identity: one.suggestion for one in _stored(store)}

    for one in suggestions_of(run):
        page = replace(one.page, revised_at=None)
        assert replace(found[one.identity], page=page) == one
    [first, _] = suggestions_of(run)
    update = finding_of(first, UpdateFinding)
    assert update
    assert update.change


def test_the_same_run_is_saved_once(store: Store) -> None:
    run = _search(store, 0, runs.outdated())

    assert not store.discoveries.save(run, suggestions_of(run), hour(0))


def test_a_check_of_citations_leaves_updates_that_hold(store: Store) -> None:
    _search(store, 0, runs.outdated(), runs.new_fact())
    before = {one.suggestion.claim: one.suggestion.place for one in _stored(store)}

    _check(store, 1, "First of all.\n\n" + runs.WIKITEXT)

    after = {one.suggestion.claim: one.suggestion.place for one in _stored(store)}
    assert after == {claim: place + 15 for claim, place in before.items()}


def test_a_check_of_citations_closes_updates_that_are_settled(store: Store) -> None:
    _search(store, 0, runs.outdated(), runs.new_fact())

    _check(store, 1, runs.WIKITEXT.replace("12,000", "15,500"))
    assert _open(store) == [runs.CLOSED]
    _check(store, 2, runs.WIKITEXT.replace("until 1950.", runs.CLOSED), 72)
    assert _open(store) == []


def test_citations_that_fail_are_none_of_a_searchs_business(store: Store) -> None:
    page = runs.page()
    check = builders.claim_check(Verdict.NOT_SUPPORTED, page.claims[0])
    report = PageReport(page, (check,), builders.ENGINE, hour(0), 1.0)
    store.save_check(report, of_citations(page, [check]))

    _search(store, 1, runs.outdated())
    _search(store, 2)

    assert _open(store) == sorted([runs.CARS, page.claims[0].text])


def test_a_later_run_keeps_what_it_does_not_come_by(store: Store) -> None:
    _search(store, 0, runs.outdated(), runs.new_fact())

    _search(store, 24)

    assert len(_open(store)) == 2


def test_a_later_run_keeps_the_identity_of_what_it_finds_again(store: Store) -> None:
    _search(store, 0, runs.new_fact())
    [before] = _stored(store)
    more = runs.source(runs.CLOSED, "https://third.example/")

    _search(store, 24, runs.new_fact(1, more, *runs.new_fact().sources))

    [after] = _stored(store)
    assert after.suggestion.identity == before.suggestion.identity
    assert (after.first_seen, after.last_seen) == (hour(0), hour(24))
    assert len(after.suggestion.finding.facts.quotes) == 2


def test_a_newer_figure_closes_the_one_before(store: Store) -> None:
    _search(store, 0, runs.outdated())
    newest = runs.MORE_CARS.replace("15,500", "17,000")

    _search(store, 24, runs.outdated(1, runs.source(newest), text=newest))

    [only] = _stored(store)
    finding = finding_of(only.suggestion, UpdateFinding)
    assert finding
    assert finding.fact == newest
    assert len(store.suggestions_of(runs.WIKI, runs.TITLE, with_closed=True)) == 2


def test_what_is_sensitive_is_known_without_its_texts(store: Store) -> None:
    run = runs.discovery(runs.outdated())
    run = replace(run, subject=replace(run.subject, is_sensitive=True))
    store.discoveries.save(run, suggestions_of(run), hour(0))

    [ranked] = store.panel.ranked(runs.WIKI, [runs.TITLE])

    assert ranked.is_sensitive


def test_what_a_language_model_took_is_counted(store: Store) -> None:
    run = replace(runs.discovery(), use=ModelUse(calls=3, input_tokens=900))

    store.discoveries.save(run, (), hour(0), model="some-model")

    [cost] = store.status(hour(1)).costs_day
    assert (cost.model, cost.calls) == ("some-model", 3)


def test_old_runs_are_forgotten_but_for_the_last_of_a_page(store: Store) -> None:
    for at in (0, 24, 48):
        _search(store, at)

    counts = store.sweep(hour(24 * 60), SweepRules())

    assert counts["discoveries"] == 2
    discovery = store.discoveries.last(runs.WIKI, runs.TITLE)
    assert discovery
    assert discovery.searched_at == hour(48)


def test_a_story_without_end_is_cut(store: Store) -> None:
    endless = tuple(
        TraceStep(Role.SEARCH, "x" * 9_000, 1.0, "https://a.example/" + "y" * 9_000)
        for _ in range(4_000)
    )

    _search(store, 0, trace=endless)

    discovery = store.discoveries.last(runs.WIKI, runs.TITLE)
    assert discovery
    assert len(discovery.trace) == 3_000
    assert (len(discovery.trace[0].what), discovery.trace[0].address) == (500, None)


def test_criteria_are_kept_for_one_outline_of_one_article(store: Store) -> None:
    sections = (
        SectionCriteria((), ("what matters most",)),
        SectionCriteria(("History", "Later"), ("events",), is_open=False),
    )
    criteria = Criteria(sections, "a" * 64, Engine("gpt", "5"))
    here = runs.page().id

    store.criteria.put(here, replace(criteria, sections=()), hour(0))
    store.criteria.put(here, criteria, hour(1))

    assert store.criteria.get(here, "a" * 64) == criteria
    assert store.criteria.get(here, "b" * 64) is None
    assert store.criteria.get(replace(here, title="Other"), "a" * 64) is None
    assert store.sweep(hour(24 * 200), SweepRules())["criteria"] == 1
    assert store.criteria.get(here, "a" * 64) is None


def test_a_window_without_ends_is_kept(store: Store) -> None:
    run = runs.discovery()
    for at, window in enumerate((Window(), Window(date(2026, 1, 1), None))):
        subject = replace(run.subject, window=window)
        _search(store, at, subject=subject)
        discovery = store.discoveries.last(runs.WIKI, runs.TITLE)
        assert discovery
        assert discovery.window == window


@pytest.mark.parametrize("change", [runs.outdated, runs.new_fact])
def test_other_words_for_the_same_quote_are_no_other_update(
    store: Store, change: Callable[..., Update]
) -> None:
    _search(store, 0, change(text="In 2026 it has 15,500 of 9.", is_worded=True))
    first = [one.suggestion.identity for one in _stored(store)]
    _search(store, 1, change(text="There are many more now.", is_worded=True))

    assert [one.suggestion.identity for one in _stored(store)] == first


@pytest.mark.parametrize(
    "criteria", ["", "null", "[[1, 2, 3, 4]]", '[["a", "b", "c", "d"]]', "[" * 9_000]
)
def test_unreadable_criteria_are_made_again(tmp_path: Path, criteria: str) -> None:
    with open_store(f"sqlite:///{tmp_path / 'one.sqlite'}") as store:
        store.criteria.put(
            runs.page().id, Criteria((), "a" * 64, Engine("g", "5")), hour(0)
        )
        with sqlite3.connect(tmp_path / "one.sqlite") as direct:
            direct.execute("UPDATE kept_criteria SET criteria = ?", (criteria,))

        assert store.criteria.get(runs.page().id, "a" * 64) is None
