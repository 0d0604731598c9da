from datetime import UTC, date, datetime, timedelta

import pytest

from bot.research.evaluation.updates.human_edits import (
    EditHistory,
    Unwanted,
    why_no_example,
    why_not_factual,
)
from bot.wiki.human_edits import (
    Fate,
    HumanEdit,
    Revision,
    RevisionNote,
    latency_days,
    published_on,
)
from tests.builders import source

_START = datetime(2024, 5, 1, 12, tzinfo=UTC)
_REF = "<ref>{{cite news|url=https://news.example/a|title=A|date=28 April 2024}}</ref>"
_BASE = "The hall opened in 1998 and holds about nine hundred people.\n"
_FACT = "In April 2024 its roof was replaced by Weir & Sons."


def _read(*saved: tuple[str, str] | tuple[str, str, float]) -> tuple[HumanEdit, ...]:
    """Read a history of (user, text, hours since the first)."""
    edit_history = EditHistory("en.wikipedia.org", "Ashdown Arena")
    for number, (user, text, *hours) in enumerate(saved):
        at = _START + timedelta(hours=hours[0] if hours else 2 * number)
        edit_history.add(Revision(RevisionNote(number + 1, at, user), text))
    return edit_history.edits()


def _with(*sentences: str) -> str:
    return " ".join([_BASE.strip(), *sentences])


def test_a_fact_with_a_source_that_stays_is_factual_and_makes_an_example() -> None:
    [edit] = _read(("Bea", _BASE), ("Ada", _with(_FACT + _REF)))

    assert edit.fate is Fate.KEPT
    assert why_not_factual(edit) is None
    assert why_no_example(edit, edit.changes[0]) is None
    days = [published_on(one) for one in edit.sources]
    assert latency_days(edit.note.saved_at.date(), days) == (3,)


def test_a_source_that_follows_its_sentence_minutes_later_belongs_to_it() -> None:
    [edit] = _read(
        ("Bea", _BASE, 0),
        ("Ada", _with(_FACT), 1),
        ("Ada", _with(_FACT + _REF), 1.2),
    )

    assert edit.insertions == (_FACT,)
    assert edit.sources
    assert edit.note.revision_id == 3


def test_another_day_or_another_person_is_another_edit() -> None:
    edits = _read(
        ("Bea", _BASE, 0),
        ("Ada", _with("It was damp."), 1),
        ("Ada", _with("It was damp.", "It was dry."), 26),
        ("Cem", _with("It was damp.", "It was dry.", "It was hot."), 26.1),
    )

    assert [edit.insertions for edit in edits] == [
        ("It was damp.",),
        ("It was dry.",),
        ("It was hot.",),
    ]


def test_what_is_reverted_and_the_revert_itself_are_undone() -> None:
    edits = _read(
        ("Bea", _BASE),
        ("Ada", _with(_FACT + _REF)),
        ("Vandal", "poo"),
        ("Cem", _with(_FACT + _REF)),
    )

    assert [edit.fate for edit in edits] == [Fate.KEPT, Fate.UNDONE, Fate.UNDONE]


@pytest.mark.parametrize(
    ("later", "fate", "why"),
    [
        ("Its bar is open.", Fate.UNDONE, Unwanted.UNDONE),
        (
            "In April 2024 its whole roof was replaced by Weir." + _REF,
            Fate.REWORDED,
            None,
        ),
    ],
)
def test_a_fact_is_undone_by_hand_or_lives_on_in_other_words(
    later: str, fate: Fate, why: Unwanted | None
) -> None:
    fact, *_ = _read(
        ("Bea", _BASE), ("Ada", _with(_FACT + _REF)), ("Cem", _with(later))
    )

    assert fact.fate is fate
    assert why_not_factual(fact) is why
    assert why_no_example(fact, fact.changes[0]) is Unwanted.UNDONE


def test_hidden_revisions_are_passed_over() -> None:
    edit_history = EditHistory("en.wikipedia.org", "X")
    for number, text in enumerate((_BASE, None, _with(_FACT))):
        note = RevisionNote(number, _START + timedelta(hours=number), "Ada")
        edit_history.add(Revision(note, text))

    assert edit_history.revisions == 2
    assert [edit.insertions for edit in edit_history.edits()] == [(_FACT,)]


@pytest.mark.parametrize(
    ("user", "before", "after", "why"),
    [
        pytest.param("CiteBot", _BASE, _with(_FACT + _REF), Unwanted.PROGRAM, id="bot"),
        pytest.param("Ada", _BASE, _with(_FACT), Unwanted.NO_NEW_SOURCE, id="bare"),
        pytest.param("Ada", _with(_FACT), _BASE, Unwanted.NO_WORDS, id="removal"),
        pytest.param(
            "Ada",
            _BASE,
            _BASE.replace("people", "peeple").strip() + _REF,
            Unwanted.SUPERFICIAL,
            id="spelling",
        ),
        pytest.param(
            "Ada",
            "== Further reading ==\n* One",
            f"== Further reading ==\n* One\n* Weir, A history of halls{_REF}",
            Unwanted.APPARATUS,
            id="list of books",
        ),
        pytest.param(
            "Ada",
            _BASE,
            _with("Its caf\ufffd was closed in 2024." + _REF),
            Unwanted.NOISE,
            id="unreadable",
        ),
    ],
)
def test_edits_that_bring_no_facts_are_left_out_for_a_reason(
    user: str, before: str, after: str, why: Unwanted
) -> None:
    [edit] = _read(("Bea", before), (user, after))

    assert why_not_factual(edit) is why


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (_BASE, _BASE.replace("1998", "1999").strip()),
        ("It was not sold in 2020.", "It was sold in 2020."),
    ],
)
def test_a_changed_number_or_a_lost_not_is_more_than_small_words(
    before: str, after: str
) -> None:
    [edit] = _read(("Bea", before), ("Ada", after + _REF))

    assert why_not_factual(edit) is None


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        pytest.param(
            _BASE,
            "The old hall holds shops, flats, a school and a cinema since 2019.",
            Unwanted.REPHRASED,
            id="said anew",
        ),
        pytest.param("", _FACT, Unwanted.NO_PARAGRAPH, id="a paragraph of its own"),
        pytest.param(_BASE, _with("Shut."), Unwanted.TOO_SHORT, id="one word"),
        pytest.param(
            _BASE, _with("Weir built halls. " * 60), Unwanted.TOO_LONG, id="an essay"
        ),
        pytest.param(_BASE, _with(_FACT + " {{open"), Unwanted.NOISE, id="open braces"),
    ],
)
def test_changes_that_teach_nothing_make_no_examples(
    before: str, after: str, why: Unwanted
) -> None:
    [edit] = _read(("Bea", before), ("Ada", after.strip() + _REF))

    assert why_no_example(edit, edit.changes[0]) is why


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("28 April 2024", date(2024, 4, 28)),
        ("2024-04-28", date(2024, 4, 28)),
        ("April 2024", None),
        ("2024-04", None),
        ("2024", None),
        (None, None),
    ],
)
def test_a_day_is_known_only_where_the_citation_gives_one(
    written: str | None, day: date | None
) -> None:
    assert published_on(source(published=written)) == day
