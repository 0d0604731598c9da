"""What is kept of a page that is on, or only mentions, the subject."""

from handlers.model import Ignored, Window
from handlers.updates.extracting.about import About, Focus
from handlers.updates.extracting.picking import On, Picker, Picking
from tests.handlers.updates.builders import document, statement, subject

RACE = subject(
    names=("Port Example Run",),
    statements=(
        statement("The Port Example Run is a race of Acme in Boston."),
        statement("Jane Roe won it."),
    ),
    window=Window(),
)


def picked(text: str, focus: Focus, *, of_fiction: bool = False, is_review: bool = False) -> Picking:  # fmt: skip
    picker = Picker(RACE, About(RACE), frozenset(), frozenset({"en"}), 10_000, of_fiction)  # fmt: skip
    source = document(text=text).document
    assert source is not None
    on = On(focus, None, "news.example", is_review)
    return picker.pick(source, picker.prose(source), on)


def texts(picking: Picking) -> list[str]:
    return [one.text for one in picking.picked]


def test_a_person_whom_nobody_introduces_is_left_out() -> None:
    known = "Roe lost her shoe in the Port Example Run of 2022."
    strange = "Rosette lost her shoe in the Port Example Run of 2022."
    assert texts(picked(known, Focus.CENTRAL)) == [known]
    [why] = picked(strange, Focus.CENTRAL).refused
    assert why.why is Ignored.NOT_A_FACT


def test_a_story_counts_only_where_the_article_is_on_no_fiction() -> None:
    text = "Port Example Run was lost by the Roe family in 2022."
    assert texts(picked(text, Focus.CENTRAL)) == [text]
    assert not texts(picked(text, Focus.CENTRAL, of_fiction=True))


def test_a_page_on_something_else_counts_where_the_subject_is_what_it_speaks_of() -> (
    None
):
    first = "The Port Example Run was held in Leeds by Acme in 2022."
    last = "Mary Major of Leeds was a teacher and in 2022 saw the Port Example Run."
    assert texts(picked(first, Focus.MENTIONS)) == [first]
    assert not texts(picked(last, Focus.MENTIONS))
    assert texts(picked(last, Focus.CENTRAL)) == [last]


def test_a_sentence_on_strangers_is_not_about_the_subject() -> None:
    theirs = "Kings Landing was rebuilt by Acme of Boston and Jane Roe."
    ours = "Jane Roe was hired by Acme of Boston and Kings Landing."
    assert not texts(picked(theirs, Focus.CENTRAL))
    assert texts(picked(ours, Focus.CENTRAL)) == [ours]


def test_talk_counts_only_with_a_figure() -> None:
    without = "Jane Roe of Acme ran the Port Example Run with Mary Major."
    figure = "Jane Roe of Acme ran the Port Example Run in 31 minutes."
    assert texts(picked(f"{without} {figure}", Focus.CENTRAL, is_review=True)) == [figure]  # fmt: skip


def test_how_a_sentence_is_said_costs_it() -> None:
    event = "Jane Roe won the Port Example Run of 2022 in 31 minutes."
    praise = "Jane Roe won the most important Port Example Run in 31 minutes."
    [plain] = picked(event, Focus.CENTRAL).picked
    [coloured] = picked(praise, Focus.CENTRAL).picked
    assert plain.cost == 0.0
    assert coloured.cost > 0.0
