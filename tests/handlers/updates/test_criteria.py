"""What belongs into each section, told by the article alone."""

import asyncio

from handlers.model import Criteria, Page
from handlers.updates.criteria import EmbeddedCriteria, outline_sha256
from handlers.updates.subjects import statements_of
from tests.handlers.updates.builders import article, stems

_TEXT = """\
'''Film''' is a film.
== Production ==
Filming began in [[Oslo]] in May 2021. Shooting wrapped in [[Oslo]] in July 2021. Oslo paid for it in 2022.
== Reception ==
Critics praised it.
== See also ==
* [[Other film]]
"""


def _criteria(page: Page, *, by_content: bool = True) -> Criteria:
    maker = EmbeddedCriteria(by_content=by_content)
    return asyncio.run(maker.criteria(page, statements_of(page))).value


def test_every_section_has_criteria_and_lists_of_links_take_no_facts() -> None:
    made = _criteria(article(_TEXT))

    assert [(one.path, one.is_open) for one in made.sections] == [
        ((), True),
        (("Production",), True),
        (("Reception",), True),
        (("See also",), False),
    ]


def test_headings_own_words_and_what_such_sections_hold_mark_a_section() -> None:
    by_path = {one.path: dict(one.terms) for one in _criteria(article(_TEXT)).sections}
    production, reception = by_path["Production",], by_path["Reception",]

    assert stems("production filming Oslo screenplay") <= production.keys()
    assert stems("rating review critics") <= reception.keys()
    assert not stems("Oslo") & reception.keys()
    assert all(weight > 0 for weight in production.values())


def test_a_word_that_all_sections_say_weighs_less_and_length_does_not_win() -> None:
    text = (
        "Lead.\n== Short ==\nThe bridge opened wide.\n"
        "== Long ==\nThe bridge opened. " + "Lorries crossed slowly. " * 20
    )
    by_path = {one.path: dict(one.terms) for one in _criteria(article(text)).sections}
    [bridge], [wide] = stems("bridge"), stems("wide")

    assert by_path["Short",][wide] > by_path["Short",][bridge]
    assert by_path["Short",][bridge] > by_path["Long",][bridge]


def test_what_a_section_wants_is_told_from_its_sentences() -> None:
    by_path = {one.path: one.wants for one in _criteria(article(_TEXT)).sections}

    assert by_path["Production",][0] == "dated events"
    assert by_path["Production",][-1].startswith("what concerns Oslo")
    assert by_path["Reception",] == ("facts that belong under “Reception”",)


def test_section_names_alone_make_the_ablation() -> None:
    by_path = {
        one.path: dict(one.terms)
        for one in _criteria(article(_TEXT), by_content=False).sections
    }

    assert by_path["Production",].keys() == stems("production")


def test_an_outline_keeps_its_fingerprint_until_a_heading_changes() -> None:
    first = outline_sha256(article(_TEXT))

    assert outline_sha256(article(_TEXT.replace("praised", "liked"))) == first
    assert (
        outline_sha256(article(_TEXT.replace("== Reception", "== Response"))) != first
    )
    assert (
        outline_sha256(article(_TEXT.replace("== Reception ==", "=== Reception ===")))
        != first
    )
