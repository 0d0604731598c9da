"""Who is shown which note, how many of them, and in which order."""

import pytest

from bot.records.watches import ActiveWatch, Check
from bot.surfaces.opt_in.community import Community, read_community
from bot.surfaces.planning.selection import (
    Room,
    candidate,
    candidates,
    in_order,
    with_room,
)
from handlers.findings import Remedy, RemedyKind
from handlers.model import CheckKind, Flag, Verdict
from tests.bot.surfaces.planning.makers import ARTICLE, found, stored, watch

_CITATION = "{{cite web |url=https://other.example/}}"
_REMEDY = Remedy(RemedyKind.OTHER_SOURCE, "https://other.example/", _CITATION, "q", 0.9)


def _community(page: str = "{}") -> Community:
    read = read_community(page).community
    assert read is not None
    return read


def _numbers(watch: ActiveWatch, *numbers: int, room: Room) -> list[str]:
    new = candidates(
        [stored(found(each)) for each in numbers], [watch], _community(), frozenset()
    )
    return [each.note.text for each in with_room(new, room)]


def test_only_what_is_flagged_becomes_a_note() -> None:
    assert candidate(found(), watch(), _community()) is not None
    assert candidate(found(flag=None), watch(), _community()) is None


def test_what_stands_there_stays_though_it_is_a_little_less_sure_now() -> None:
    assert candidate(found(flag=None), watch(), _community(), is_shown=True) is not None


@pytest.mark.parametrize(
    ("least", "is_shown"), [(None, True), (0.98, True), (0.99, False)]
)
def test_a_watcher_says_how_sure_a_note_has_to_be(
    least: float | None, *, is_shown: bool
) -> None:
    candidate_post = candidate(found(), watch(min_confidence=least), _community())

    assert (candidate_post is not None) == is_shown


def test_a_community_raises_the_bar_for_one_kind() -> None:
    strict = _community('{"thresholds": {"not supported": 0.99}}')
    other = Flag(CheckKind.CONTRADICTED, 0.98, 0.9)

    assert candidate(found(), watch(), strict) is None
    assert candidate(found(flag=other), watch(), strict) is not None


def test_sections_that_a_community_ignores_make_no_notes() -> None:
    strict = _community('{"ignoreSections": ["history"]}')

    assert candidate(found(), watch(), strict) is None
    assert candidate(found(), watch(), strict, is_shown=True) is None


@pytest.mark.parametrize(
    ("checks", "citation"),
    [
        ((Check.CITATIONS, Check.BETTER_SOURCES), _CITATION),
        ((Check.CITATIONS,), None),
        ((Check.BETTER_SOURCES,), _CITATION),
    ],
)
def test_a_better_source_is_shown_where_it_was_asked_for(
    checks: tuple[Check, ...], citation: str | None
) -> None:
    candidate_post = candidate(
        found(remedies=(_REMEDY,)), watch(checks=checks), _community()
    )

    assert candidate_post.note.citation == citation


def test_who_asks_for_better_sources_alone_gets_no_other_notes() -> None:
    assert candidate(found(), watch(checks=(Check.DRIFT,)), _community()) is None


def test_a_community_names_the_template_that_its_editors_tag_words_with() -> None:
    own = _community('{"tags": {"failed verification": "Quelle prüfen"}}')
    other = _community('{"tags": {"dead link": "Toter Link"}}')

    candidate_post = candidate(found(), watch(), own)
    without = candidate(found(), watch(), other)

    assert candidate_post.note.tag == "Quelle prüfen"
    assert str(candidate_post.note.what_to_do[-1]).endswith("tag it {{Quelle prüfen}}.")
    assert without.note.tag is None


def test_each_watcher_gets_the_pages_they_named() -> None:
    other = watch(pages=("Other",))

    candidate_post = candidates([stored(found())], [other], _community(), frozenset())

    assert candidate_post == []


def test_the_most_urgent_come_first_and_the_rest_waits() -> None:
    urgent = found(3, verdict=Verdict.CONTRADICTED)
    new = candidates(
        [stored(found(1)), stored(found(2, probability=0.99)), stored(urgent)],
        [watch()],
        _community(),
        frozenset(),
    )

    chosen = with_room(new, Room(in_all=2, per_article=9))

    assert [each.note.text[:7] for each in chosen] == ["Claim 3", "Claim 2"]


def test_an_article_gets_no_more_than_its_share() -> None:
    told_before = Room(in_all=9, per_article=3, shown={ARTICLE: 2})

    assert len(_numbers(watch(), 1, 2, 3, room=told_before)) == 1
    assert _numbers(watch(), 1, room=Room(in_all=0, per_article=3)) == []


def test_notes_stand_by_article_with_contradictions_first() -> None:
    both = watch(pages=("B", "A"))
    said_otherwise = found(4, "A", verdict=Verdict.CONTRADICTED, probability=0.8)
    surer = found(3, "B", probability=0.99)
    new = candidates(
        [
            stored(found(1, "A")),
            stored(found(2, "B")),
            stored(surer),
            stored(said_otherwise),
        ],
        [both],
        _community(),
        frozenset(),
    )

    notes = in_order(new)

    assert [(each.page.title, each.text[:7]) for each in notes] == [
        ("A", "Claim 4"),
        ("A", "Claim 1"),
        ("B", "Claim 3"),
        ("B", "Claim 2"),
    ]
