"""What the aggregator without a language model makes of a candidate."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

import pytest

from handlers.model import (
    Add,
    CandidateUpdate,
    ClaimKind,
    Corroborate,
    Ignore,
    Ignored,
    Probabilities,
    Replace,
    Ruling,
    Subject,
    Update,
    Window,
)
from handlers.updates.aggregating import EmbeddedAggregator
from tests.handlers.updates.aggregating.judges import (
    AGAINST,
    IN_PART,
    SAID,
    ByWords,
    SharedWords,
)
from tests.handlers.updates.builders import candidate, statement, subject, update

Answers = Mapping[tuple[str, str], Probabilities]
CARS = statement(
    "As of May 2024, the bridge carries 12,000 cars a day.", as_of=date(2024, 5, 1)
)
MORE_CARS = "The bridge carries 15,000 cars a day."
DISPUTE: Answers = {("15,000", "12,000"): AGAINST}
OTHER = "https://paper.example/bridge"


def _rule(
    given: CandidateUpdate,
    answers: Answers,
    *found: Update,
    about: Subject | None = None,
) -> Ruling:
    aggregator = EmbeddedAggregator(ByWords(answers), SharedWords())
    subj = about or subject(statements=(statement(), CARS))
    return asyncio.run(aggregator.rule(subj, given, found)).value


def _why(ruling: Ruling) -> Ignored:
    assert isinstance(ruling, Ignore)
    return ruling.why


def test_what_nothing_in_the_article_says_is_added_to_its_section() -> None:
    ruling = _rule(candidate(), {})
    assert isinstance(ruling, Add)
    assert ruling.section == ("History",)
    assert ruling.probability == pytest.approx(0.95)
    assert ruling.after in {statement(), CARS}


def test_an_article_without_statements_lacks_everything() -> None:
    ruling = _rule(candidate(), {}, about=subject(statements=()))
    assert isinstance(ruling, Add)
    assert ruling.after is None


def test_what_the_article_bears_out_is_not_said_again() -> None:
    ruling = _rule(candidate(), {("lorries", "mayor"): SAID})
    assert _why(ruling) is Ignored.ALREADY_SAID


def test_what_is_said_for_the_most_part_is_not_said_again() -> None:
    text = "The bridge carries 12,000 cars a day, officials said."
    answers: Answers = {("officials", "12,000"): IN_PART}
    assert _why(_rule(candidate(text=text), answers)) is Ignored.ALREADY_SAID
    much_new = candidate(
        text=f"{text[:-1]}, and the ferries of Northern Lines in winter."
    )
    assert isinstance(_rule(much_new, answers), Add)


def test_a_newer_figure_shows_that_a_statement_is_outdated() -> None:
    ruling = _rule(candidate(text=MORE_CARS), DISPUTE)
    assert isinstance(ruling, Replace)
    assert ruling.statement == CARS
    assert ruling.probability > 0.9


@pytest.mark.parametrize(
    ("dated", "why"),
    [
        (date(2023, 5, 1), Ignored.OLDER_THAN_ARTICLE),
        (None, Ignored.DISPUTED),
    ],
)
def test_a_figure_that_is_not_known_to_be_newer_replaces_nothing(
    dated: date | None, why: Ignored
) -> None:
    assert _why(_rule(candidate(text=MORE_CARS, dated=dated), DISPUTE)) is why


def test_another_day_for_a_past_event_is_a_dispute_and_no_update() -> None:
    opened = statement("The bridge opened on 19 March 1932.")
    given = candidate(text="The bridge opened on 20 March 1932.")
    answers: Answers = {("20 March", "19 March"): AGAINST, ("19", "20"): AGAINST}
    ruling = _rule(given, answers, about=subject(statements=(opened,)))
    assert _why(ruling) is Ignored.DISPUTED


def test_the_same_in_another_year_is_another_event() -> None:
    repairs = statement("The bridge was closed for repairs in March 1932.")
    given = candidate(text="The bridge was closed for repairs in May 2026.")
    answers: Answers = {("May", "March"): AGAINST, ("March", "May"): AGAINST}
    ruling = _rule(given, answers, about=subject(statements=(repairs,)))
    assert isinstance(ruling, Add)


def test_what_says_more_than_a_statement_does_not_refute_it() -> None:
    """The model takes it for a contradiction."""
    closed = statement("The bridge is closed to lorries.")
    given = candidate(
        text="The bridge is closed to lorries, said Anna Smith, who heads the council's"
        " committee on roads and wants a tunnel instead."
    )
    answers: Answers = {("Anna", "lorries"): AGAINST, ("lorries", "Anna"): AGAINST}
    ruling = _rule(given, answers, about=subject(statements=(closed,)))
    assert isinstance(ruling, Add)


@pytest.mark.parametrize(
    ("text", "is_outdated"),
    [
        ("The trust named Jane Doe director of Harbour Bridge.", True),
        ("Director Mary Jones resigned from Harbour Bridge in October.", True),
        ("Director Mary Jones spoke at Harbour Bridge in October.", False),
        ("Former director Jane Doe was appointed to a court.", False),
        ("Harbour Bridge became part of Port University, said the director.", False),
    ],
)
def test_who_holds_an_office_goes_out_of_date(text: str, is_outdated: bool) -> None:
    boss = statement("Its director is Mary Jones.")
    ruling = _rule(candidate(text=text), {}, about=subject(statements=(boss,)))
    assert isinstance(ruling, Replace) is is_outdated


@pytest.mark.parametrize(
    ("old", "new", "is_outdated"),
    [
        ("The storm killed 23 people.", "The death toll rose to 41.", True),
        ("The storm killed 23 people.", "In one village 7 people died.", False),
        ("The storm killed 23 people.", "The storm of 1999 killed 310 people.", False),
        ("The trust employs 520 people.", "It has a staff of 480.", True),
        ("It has over 500 members.", "It has 520 members.", False),
        ("It has over 500 members.", "It has 900 members.", True),
        ("It has about 500 members.", "It has 520 members.", False),
        ("It has some 500 members.", "It lost its members 20 years ago.", False),
        ("The song was viewed 6 million times.", "It has 9 million views.", True),
    ],
)
def test_figures_of_one_thing_are_compared_however_it_is_called(
    old: str, new: str, is_outdated: bool
) -> None:
    about = subject(statements=(statement(old),))
    ruling = _rule(candidate(text=f"On Harbour Bridge: {new}"), {}, about=about)
    assert isinstance(ruling, Replace) is is_outdated


def test_the_first_and_the_second_are_two() -> None:
    first = statement("Its first tower of red brick is being built.")
    given = candidate(text="Its second tower of red brick is being built.")
    answers: Answers = {("second", "first"): AGAINST, ("first", "second"): AGAINST}
    ruling = _rule(given, answers, about=subject(statements=(first,)))
    assert isinstance(ruling, Add)


def test_a_figure_of_unknown_day_is_a_dispute_only_if_the_model_says_so() -> None:
    told = statement("The trust has 500 members.")
    given = candidate(text="The trust has 900 members.", dated=None)
    about = subject(statements=(told,))
    assert isinstance(_rule(given, {}, about=about), Add)
    answers: Answers = {("900", "500"): AGAINST}
    assert _why(_rule(given, answers, about=about)) is Ignored.DISPUTED


def test_a_figure_in_passing_is_no_figure_of_the_same() -> None:
    passing = statement(
        "Rebels said that their fighters attacked the bridge at dawn in revenge for two"
        " men killed during a long chase through harbour, market, forest and valley."
    )
    given = candidate(
        text="Protests elsewhere left 12 people killed, so students told reporters."
    )
    ruling = _rule(given, {}, about=subject(statements=(passing,)))
    assert isinstance(ruling, Add)


def test_the_figures_of_somebody_named_anew_are_his_own() -> None:
    ours = statement("Staff: 500 workers.")
    for text, kind in (
        ("Elsewhere, so Acme Rail reports, 900 workers were hired by its head.", Add),
        (
            "Elsewhere, so somebody reports, 900 workers were hired by its head.",
            Replace,
        ),
    ):
        ruling = _rule(candidate(text=text), {}, about=subject(statements=(ours,)))
        assert isinstance(ruling, kind)


def test_a_plan_gives_way_to_what_happened() -> None:
    plan = statement("The bridge is scheduled to close to lorries in 2027.")
    answers: Answers = {("was closed", "scheduled"): AGAINST}
    ruling = _rule(candidate(), answers, about=subject(statements=(plan,)))
    assert isinstance(ruling, Replace)
    assert ruling.statement == plan


def test_the_value_of_an_infobox_goes_out_of_date() -> None:
    value = statement(
        "12,000", kind=ClaimKind.INFOBOX_VALUE, section=(), header="cars a day"
    )
    ruling = _rule(
        candidate(text=MORE_CARS), DISPUTE, about=subject(statements=(value,))
    )
    assert isinstance(ruling, Replace)
    assert ruling.statement == value


def test_another_persons_figure_refutes_nothing() -> None:
    hers = statement("In a season Anna Smith scored 12 goals for the bridge.")
    given = candidate(text="In a season Mary Jones scored 15 goals for the bridge.")
    answers: Answers = {("15 goals", "12 goals"): AGAINST}
    ruling = _rule(given, answers, about=subject(statements=(hers,)))
    assert isinstance(ruling, Add)


def test_with_no_days_asked_for_an_undated_statement_is_not_known_to_be_older() -> None:
    undated = statement("The bridge carries 12,000 cars a day.")
    about = subject(statements=(undated,), window=Window())
    assert _why(_rule(candidate(text=MORE_CARS), DISPUTE, about=about)) is (
        Ignored.DISPUTED
    )


def test_the_same_fact_elsewhere_bears_it_out_and_on_the_same_page_does_not() -> None:
    answers: Answers = {("lorries", "lorries"): SAID}
    earlier = update(3)
    about = subject(statements=(CARS,))
    assert _rule(candidate(OTHER), answers, earlier, about=about) == Corroborate(
        3, probability=SAID.supported
    )
    again = _rule(candidate(), answers, earlier, about=about)
    assert _why(again) is Ignored.DUPLICATE


def test_less_than_was_found_before_is_a_duplicate() -> None:
    short = candidate(OTHER, "Lorries are barred from Harbour Bridge since October.")
    answers: Answers = {("are barred", "was closed"): SAID}
    assert _why(_rule(short, answers, update(1))) is Ignored.DUPLICATE


FIGURE = update(2, text="The bridge carries 14,000 cars a day.")
RIVALS: Answers = {("15,000", "14,000"): AGAINST}


def test_a_newer_figure_replaces_one_found_before() -> None:
    newer = candidate(OTHER, MORE_CARS, dated=date(2026, 11, 1))
    ruling = _rule(newer, RIVALS, FIGURE, about=subject(statements=()))
    assert isinstance(ruling, Replace)
    assert (ruling.update, ruling.statement) == (2, None)


@pytest.mark.parametrize(
    ("dated", "why"),
    [
        (date(2026, 9, 2), Ignored.DUPLICATE),
        (date(2026, 10, 4), Ignored.DISPUTED),
        (None, Ignored.DISPUTED),
    ],
)
def test_a_figure_that_is_not_newer_than_one_found_before_changes_nothing(
    dated: date | None, why: Ignored
) -> None:
    given = candidate(OTHER, MORE_CARS, dated=dated)
    assert _why(_rule(given, RIVALS, FIGURE, about=subject(statements=()))) is why


def test_a_second_source_of_what_replaced_a_statement_bears_it_out() -> None:
    known = update(1, text=MORE_CARS)
    answers: Answers = {("15,000", "15,000"): SAID, **DISPUTE}
    ruling = _rule(candidate(OTHER, MORE_CARS), answers, known)
    assert isinstance(ruling, Corroborate)


def test_a_day_is_no_count_that_bears_another_out() -> None:
    known = update(1, text="The bridge employs 15 people since November.")
    answers: Answers = {("15 people", "new lamps"): SAID}
    text = "The bridge was given new lamps on 15 November 2026 since it was dark."
    assert isinstance(_rule(candidate(OTHER, text), answers, known), Add)


@pytest.mark.parametrize(
    ("text", "is_same"),
    [
        ("In autumn, the bridge saw 15,000 cars a day.", True),
        ("In autumn, the bridge saw 16,000 cars a day.", False),
    ],
)
def test_a_second_paper_with_the_figure_that_replaced_a_statement_bears_it_out(
    text: str, is_same: bool
) -> None:
    known = replace(update(1, text=MORE_CARS), replaces=CARS)
    answers: Answers = {("autumn", "12,000"): AGAINST, ("12,000", "autumn"): AGAINST}
    ruling = _rule(candidate(OTHER, text), answers, known)
    assert isinstance(ruling, Corroborate if is_same else Replace)


def test_sensitive_subjects_raise_the_bar() -> None:
    unsure = Probabilities(0.05, 0.05, 0.36, 0.54)
    perhaps = Probabilities(0.45, 0.1, 0.4, 0.05)
    cars, lorries = candidate(text=MORE_CARS), candidate()
    calm = subject(statements=(CARS,))
    careful = subject(statements=(CARS,), is_sensitive=True)
    answers: Answers = {("15,000", "12,000"): unsure, ("lorries", "cars"): perhaps}
    assert isinstance(_rule(cars, answers, about=calm), Replace)
    assert not isinstance(_rule(cars, answers, about=careful), Replace)
    assert isinstance(_rule(lorries, answers, about=calm), Add)
    assert _why(_rule(lorries, answers, about=careful)) is Ignored.ALREADY_SAID


def test_a_section_that_takes_no_facts_or_is_none_gets_none() -> None:
    for section in (("References",), ("Nowhere",)):
        ruling = _rule(candidate(section=section), {})
        assert _why(ruling) is Ignored.NO_SECTION


def test_next_to_nothing_is_no_fact() -> None:
    assert _why(_rule(candidate(text="Harbour Bridge was big."), {})) is (
        Ignored.NOT_A_FACT
    )


def test_a_name_that_is_new_to_the_article_is_looked_for_next() -> None:
    given = candidate(text="Harbour Bridge was sold to Northern Crossings Limited.")
    ruling = _rule(given, {})
    assert ruling.hint == "Harbour Bridge Northern Crossings Limited"
    known = statement("Northern Crossings Limited painted it.")
    assert _rule(given, {}, about=subject(statements=(known,))).hint is None


def test_few_questions_are_asked_of_the_model() -> None:
    many: Sequence[object] = [
        statement(f"The bridge carries {n} cars a day.") for n in range(100, 160)
    ]
    judge = ByWords({})
    aggregator = EmbeddedAggregator(judge, SharedWords())
    about = subject(statements=tuple(many))
    known = [update(n, text=f"The bridge carries {n},000 cars.") for n in range(20)]
    asyncio.run(aggregator.rule(about, candidate(text=MORE_CARS), known))
    assert judge.questions <= 16
