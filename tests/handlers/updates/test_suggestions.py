"""Updates are kept under an identity that lasts, for as long as they hold."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from handlers.findings import Suggestion, UpdateFinding, finding_of
from handlers.model import (
    Backing,
    CheckKind,
    Ignored,
    Reliability,
    Role,
    Span,
    TraceStep,
    Trust,
    Update,
    UpdateKind,
    Verdict,
    Window,
)
from handlers.registry import PageNow, stands
from handlers.updates.subject import statements_of
from handlers.updates.suggestions import (
    Thresholds,
    closed_by_run,
    smallest,
    suggestions_of,
    with_stored_identities,
)
from tests import update_runs as runs


def _made(*updates: Update, **changes: Any) -> tuple[Suggestion, ...]:
    return suggestions_of(runs.discovery(*updates, **changes))


def _note(found: Suggestion) -> UpdateFinding:
    note = finding_of(found, UpdateFinding)
    assert note
    return note


def _sensitive(*updates: Update) -> tuple[Suggestion, ...]:
    run = runs.discovery(*updates)
    subject = replace(run.subject, is_sensitive=True)
    return suggestions_of(replace(run, subject=subject))


# --- what is kept -----------------------------------------------------------------


def test_an_outdated_statement_is_kept_with_what_newer_sources_say() -> None:
    older = runs.source(runs.MORE_CARS, dated=date(2026, 9, 3))
    newer = runs.source(runs.MORE_CARS, "https://b.example/", dated=date(2026, 10, 9))

    [found] = _made(runs.outdated(1, older, newer))

    assert (found.claim, found.verdict) == (runs.CARS, Verdict.CONTRADICTED)
    assert found.place == runs.WIKITEXT.index(runs.CARS)
    assert found.engine == runs.ENGINE
    news = [(one.quote.quote, one.dated) for one in _note(found).news]
    assert news == [
        (runs.MORE_CARS, date(2026, 10, 9)),
        (runs.MORE_CARS, date(2026, 9, 3)),
    ]
    note = _note(found)
    assert (note.statement, note.fact) == (runs.CARS, runs.MORE_CARS)
    assert note.sites == ("news.example", "b.example")
    assert note.dated == date(2026, 10, 9)


def test_a_new_fact_is_kept_with_the_words_of_its_source_and_its_place() -> None:
    worded = runs.new_fact(text="Lorries are banned.", is_worded=True)

    [found] = _made(worded)

    assert (found.claim, found.verdict) == (runs.CLOSED, Verdict.SUPPORTED)
    assert (_note(found).fact, _note(found).is_worded) == ("Lorries are banned.", True)
    assert _note(found).statement == runs.OPENED
    after = runs.WIKITEXT[found.place :]
    assert after.startswith("<ref>{{cite web|url=https://old.example/1932")
    assert "url=https://news.example/lorries" in (_note(found).citation or "")


def test_it_has_the_steps_to_itself_and_none_to_other_updates() -> None:
    first, second = _made(runs.outdated(), runs.new_fact())

    steps = [(step.role, step.what) for step in _note(second).why]
    assert steps == [
        (Role.NAVIGATOR, "asks “Harbour Bridge”: its title"),
        (Role.NAVIGATOR, "opens a page: it is new"),
        (Role.AGGREGATOR, "new fact"),
    ]
    assert len(_note(first).why) == 5


def test_of_many_steps_the_first_and_the_last_are_kept() -> None:
    update = runs.outdated()
    steps = tuple(
        TraceStep(Role.AGGREGATOR, f"step {n}", n, update=update.number)
        for n in range(40)
    )

    [found] = _made(update, trace=steps)

    steps = [step.what for step in _note(found).why]
    assert (len(steps), steps[0], steps[-1]) == (12, "step 0", "step 39")


# --- what is put before people -------------------------------------------------------


_RELIABLE = replace(
    runs.source(runs.MORE_CARS), reliability=Reliability(Trust.RELIABLE, "")
)

_REFUSED = replace(
    _RELIABLE, reliability=Reliability(Trust.SELF_PUBLISHED, "A wiki for all.")
)


@pytest.mark.parametrize(
    ("update", "is_flagged"),
    [
        (runs.outdated(), True),
        (runs.outdated(probability=0.7), True),  # by two sites
        (runs.outdated(probability=0.55), False),
        (runs.outdated(1, _RELIABLE, backing=Backing.LOW), True),
        (runs.outdated(1, _RELIABLE, backing=Backing.LOW, probability=0.7), False),
        (runs.outdated(backing=Backing.LOW), True),
        # One source that the wiki accepts is enough, if it has a day.
        (runs.new_fact(), True),
        (runs.new_fact(2, _RELIABLE), True),
        (runs.new_fact(kind=UpdateKind.POINTER), True),
        (runs.new_fact(2, _REFUSED), False),
        (runs.new_fact(2, replace(_RELIABLE, dated=None)), False),
        (runs.new_fact(backing=Backing.HIGH), True),
        (runs.new_fact(backing=Backing.HIGH, probability=0.6), False),
    ],
)
def test_what_one_accepted_source_says_with_its_day_is_flagged(
    update: Update, is_flagged: bool
) -> None:
    [found] = _made(update)

    assert (found.flag is not None) == is_flagged
    if found.flag:
        assert found.flag.kind in {CheckKind.OUTDATED, CheckKind.NEW_FACT}
        assert found.flag.expected is None


def test_the_bar_is_higher_for_living_persons() -> None:
    one_unlisted = runs.outdated(backing=Backing.LOW, probability=0.95)
    unsure = runs.new_fact(backing=Backing.HIGH, probability=0.88)

    for update in (one_unlisted, unsure):
        [found] = _sensitive(update)
        assert found.flag is None
        assert _note(found).is_sensitive
    one_reliable = runs.outdated(1, _RELIABLE, backing=Backing.LOW, probability=0.95)
    for update in (one_reliable, runs.outdated()):
        [sure] = _sensitive(update)
        assert sure.flag


def test_an_operator_may_choose_another_bar() -> None:
    run = runs.discovery(runs.outdated(probability=0.6))
    bar = Thresholds(overrides={"*": {CheckKind.OUTDATED: 0.55}})

    [found] = suggestions_of(run, bar)

    assert found.flag
    assert found.flag.threshold == 0.55


# --- the change -----------------------------------------------------------------------


def test_a_proposal_is_cut_to_what_differs_and_what_finds_it() -> None:
    update = runs.outdated()
    after = runs.CARS.replace("12,000", "15,500")
    edit = runs.proposal(update, runs.CARS, after, is_worded=True)

    [found] = _made(update, proposals=(edit,))

    change = _note(found).change
    assert change
    assert change.is_worded
    assert runs.WIKITEXT.count(change.before) == 1
    applied = runs.WIKITEXT.replace(change.before, change.after)
    assert applied == runs.WIKITEXT.replace("12,000", "15,500")


def test_a_refused_proposal_leaves_its_reasons_and_no_change() -> None:
    update = runs.outdated()
    edit = runs.proposal(update, runs.CARS, "Spam.", refused=("a reference is gone",))

    [found] = _made(update, proposals=(edit,))

    assert _note(found).change is None
    assert _note(found).refused == ("a reference is gone",)


@pytest.mark.parametrize(
    ("wikitext", "span", "after", "cut"),
    [
        ("a b c", Span(2, 3), "b", None),
        ("one two", Span(0, 7), "one, two", ("one two", "one, two")),
        ("one", Span(0, 3), "one two", ("one", "one two")),
        ("aaa b", Span(0, 3), "aaaa", ("aaa b", "aaaa b")),
        ("a b", Span(1, 1), "<ref/>", ("a b", "a<ref/> b")),
        ("ab " * 3_000, Span(4_500, 4_502), "x", None),
    ],
)
def test_a_change_is_small_and_its_words_stand_there_once(
    wikitext: str, span: Span, after: str, cut: tuple[str, str] | None
) -> None:
    change = smallest(wikitext, span, after, is_worded=False)

    assert (change and (change.before, change.after)) == cut


def test_far_around_a_change_nothing_is_kept() -> None:
    before = "".join(f"{n} " for n in range(500))
    at = before.index("250")

    change = smallest(before, Span(at, at + 3), "new", is_worded=False)

    assert change
    assert len(change.before) < 100
    changed = before.replace(change.before, change.after)
    assert changed == before.replace("250", "new")


# --- the same again ---------------------------------------------------------------------


def test_another_source_leaves_an_update_the_same() -> None:
    before = _made(runs.outdated(), runs.new_fact())
    more = runs.source("Lorries! " + runs.CLOSED, "https://third.example/")
    both_values = runs.new_fact(1, more, *runs.new_fact().sources)

    [found] = with_stored_identities(_made(both_values), before)

    assert found.identity == before[1].identity
    assert len(found.source_keys) == 2


def test_a_newer_figure_is_another_update() -> None:
    before = _made(runs.outdated())
    newest = runs.MORE_CARS.replace("15,500", "17,000")
    again = runs.outdated(1, runs.source(newest), text=newest)

    [found] = with_stored_identities(_made(again), before)

    assert found.identity != before[0].identity
    assert closed_by_run(before, [found], runs.discovery(again)) == {before[0].identity}


def test_what_a_run_did_not_come_by_stays() -> None:
    before = _made(runs.outdated(), runs.new_fact())

    assert closed_by_run(before, (), runs.discovery()) == frozenset()


def test_what_a_run_read_again_and_did_not_take_is_over() -> None:
    before = _made(runs.new_fact())
    read = runs.discovery(runs.new_fact())
    address = "https://news.example/lorries"
    gone = TraceStep(Role.READER, "gone", 1.0, address, ignored=Ignored.NOT_READ)
    unread = replace(read, trace=(*read.trace, gone))
    later = replace(
        read, subject=replace(read.subject, window=Window(date(2026, 11, 1), None))
    )

    assert closed_by_run(before, (), read) == {before[0].identity}
    assert closed_by_run(before, (), unread) == frozenset()
    assert closed_by_run(before, (), later) == frozenset()


# --- whether it holds ---------------------------------------------------------------------


def _stood(found: Suggestion, wikitext: str) -> int | None:
    page = runs.page(wikitext)
    stood = stands(found, PageNow(page))
    return stood.place if stood else None


@pytest.mark.parametrize(
    ("old", "new", "holds"),
    [
        ("is a bridge", "is a fine bridge", True),
        ("12,000", "15,500", False),
        (runs.CARS, "", False),
        (runs.CARS, f"{runs.CARS}{{{{update inline|date=May 2026}}}}", False),
        (runs.CARS, f"{runs.CARS}<ref>A</ref>{{{{Update inline}}}}", False),
        (runs.OPENED, f"{runs.OPENED}{{{{update inline}}}}", True),
        ("== Traffic ==", "== Cars ==", True),
    ],
)
def test_an_outdated_statement_holds_until_it_is_changed_or_marked(
    old: str, new: str, holds: bool
) -> None:
    [found] = _made(runs.outdated())
    changed = runs.WIKITEXT.replace(old, new)

    place = _stood(found, changed)

    assert place == (changed.index(runs.CARS) if holds else None)


def test_what_was_tagged_before_a_newer_source_was_found_holds_until_the_tag_goes() -> (
    None
):
    tagged = runs.WIKITEXT.replace(runs.CARS, f"{runs.CARS}{{{{update inline}}}}")
    run = runs.discovery(runs.outdated())
    subject = replace(run.subject, page=runs.page(tagged))

    [found] = suggestions_of(replace(run, subject=subject))

    facts = found.finding.facts
    assert str(facts.lines[-1]) == "Once the article says so, {{update inline}} can go."
    assert facts.tag is None
    assert _stood(found, tagged) == tagged.index(runs.CARS)
    assert _stood(found, runs.WIKITEXT) is None


@pytest.mark.parametrize(
    ("old", "new", "holds"),
    [
        ("12,000", "15,500", True),
        ("It was opened in 1932", "It opened in 1932", True),
        ("== History ==", "== Past ==", True),
        ("until 1950.", f"until 1950. {runs.CLOSED}", False),
        (
            "until 1950.",
            "until 1950.<ref>{{cite web|url=https://news.example/lorries}}</ref>",
            False,
        ),
    ],
)
def test_a_new_fact_holds_until_the_article_says_it_or_cites_its_source(
    old: str, new: str, holds: bool
) -> None:
    [found] = _made(runs.new_fact())

    assert (_stood(found, runs.WIKITEXT.replace(old, new)) is not None) == holds


def test_a_new_fact_is_at_the_start_of_its_section_when_its_statement_is_gone() -> None:
    [found] = _made(runs.new_fact())
    heading = "== History =="
    without = runs.WIKITEXT.replace(runs.OPENED, "It spans the harbour.")

    assert _stood(found, without) == without.index("It spans")
    assert _stood(found, without.replace(heading, "== Past ==")) == 0


def test_a_source_that_was_cited_already_settles_nothing() -> None:
    known = runs.source(runs.CLOSED, "https://old.example/1932")

    [found] = _made(runs.new_fact(2, known))

    assert _note(found).known_keys == ("https://old.example/1932",)
    assert _stood(found, runs.WIKITEXT) is not None


def test_the_second_of_two_equal_statements_is_found_again() -> None:
    twice = runs.WIKITEXT.replace("until 1950.", f"until 1950. {runs.CARS}")
    page = runs.page(twice)
    second = [one for one in statements_of(page) if one.text == runs.CARS][1]
    moved = runs.outdated(replaces=second, section=second.section)
    run = runs.discovery(moved, of=page)

    [found] = suggestions_of(run)

    assert found.details.occurrence == 1
    assert _stood(found, twice) == twice.rindex(runs.CARS)
