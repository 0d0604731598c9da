"""What is asked and opened next, and when that ends."""

import asyncio
from dataclasses import replace
from datetime import date

from handlers.model import Ask, Move, Open, SoFar, Stop, Stopped, Subject
from handlers.updates.navigating import EmbeddedNavigator, NavigationPolicy
from tests.handlers.updates.builders import found, statement, subject


def _next(so_far: SoFar, about: Subject | None = None, **policy: int) -> Move:
    navigator = EmbeddedNavigator(NavigationPolicy(**policy))
    return asyncio.run(navigator.next_move(about or subject(), so_far)).value


def _asked(about: Subject, so_far: SoFar, times: int) -> list[str]:
    """Return what is asked one after another, where nothing is ever found."""
    claims = []
    for _ in range(times):
        move = _next(so_far, about)
        if not isinstance(move, Ask):
            break
        claims.append(move.query.claim)
        so_far = SoFar(queries=(*so_far.queries, move.query), hints=so_far.hints)
    return claims


def test_first_the_subject_is_asked_for_within_the_window() -> None:
    move = _next(SoFar())

    assert isinstance(move, Ask)
    assert (move.query.claim, move.query.title) == ("Harbour Bridge", "Harbour Bridge")
    assert (move.query.window, move.query.language) == (subject().window, "en")


def test_then_hints_other_names_and_open_sections_follow_and_nothing_twice() -> None:
    about = subject(names=("Harbour Bridge", "The Span"))
    so_far = SoFar(hints=("lorry ban", "harbour bridge"))

    assert _asked(about, so_far, 9) == [
        "Harbour Bridge",
        "lorry ban",
        "The Span",
        "Harbour Bridge History",
    ]


def test_sections_that_tell_of_newer_days_are_asked_for_first() -> None:
    base = subject().criteria.sections
    later = base[1].__class__(("Traffic",), ())
    about = subject(
        criteria=subject().criteria.__class__(
            (*base[:2], later), "0" * 64, subject().criteria.engine
        ),
        statements=(
            statement("It opened in 1932."),
            statement("It was widened in March 2025.", section=("Traffic",)),
            statement("It will close in 2099.", section=("History",)),
        ),
        today=date(2026, 1, 1),
    )

    assert _asked(about, SoFar(), 9)[1:] == [
        "Harbour Bridge Traffic",
        "Harbour Bridge History",
    ]


def test_a_page_that_names_the_subject_is_opened_before_more_is_asked() -> None:
    other = found("https://news.example/cake", "How to bake a cake")
    about_it = found("https://news.example/2026/harbour-bridge-closed", "Closed!")

    move = _next(SoFar(hits=(other, about_it)))

    assert isinstance(move, Open)
    assert move.found is about_it


def test_a_few_pages_of_which_nothing_is_shown_are_opened_before_more_is_asked() -> (
    None
):
    shown = replace(found("https://news.example/1", "A cake"), excerpt="Flour, sugar.")
    hits = tuple(found(f"https://news.example/{at}", "Closed!") for at in (2, 3))

    move = _next(SoFar(hits=(shown, *hits)), unseen=1)
    after = SoFar(hits=(shown, *hits), opened=frozenset({"news.example/2"}))

    assert isinstance(move, Open)
    assert move.found is hits[0]
    assert isinstance(_next(after, unseen=1), Ask)


def test_no_page_is_opened_twice() -> None:
    hit = found()
    opened = frozenset({"https://news.example/lorries", "news.example/lorries"})

    assert not isinstance(_next(SoFar(hits=(hit,), opened=opened)), Open)


def test_it_stops_when_nothing_is_left_or_enough_was_opened() -> None:
    queries = tuple(
        move.query
        for claim in _asked(subject(), SoFar(), 9)
        if isinstance(move := _next(SoFar()), Ask) and claim
    )

    assert _next(SoFar(queries=queries), queries=1) == Stop(Stopped.NOTHING_LEFT)
    assert _next(
        SoFar(hits=(found("https://b.example/"),), opened=frozenset({"a"})), pages=1
    ) == Stop(Stopped.ENOUGH)
