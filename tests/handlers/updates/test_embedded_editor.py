"""A citation and a mark, where they belong and nowhere else; no word is written."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from handlers.citations.templates import tags_of_language
from handlers.model import ClaimKind, Proposal, Subject, Update
from handlers.updates.editor import EmbeddedEditor
from tests.handlers.updates.bridge import (
    FIGURE,
    OPENED,
    WIKITEXT,
    bridge,
    outdated,
    says,
)
from tests.handlers.updates.builders import update


def _edited(subject: Subject, proposal: Proposal | None) -> str:
    assert proposal is not None
    text = subject.page.wikitext
    assert proposal.span.of(text) == proposal.before
    span = proposal.span
    return f"{text[: span.start]}{proposal.after}{text[span.end :]}"


async def _propose(subject: Subject, wanted: Update) -> Proposal | None:
    [turn] = await EmbeddedEditor().propose(subject, [wanted])
    return turn.value.proposal


async def test_an_outdated_statement_gets_source_and_mark_behind_its_footnotes() -> (
    None
):
    subject = bridge()

    made = await _propose(subject, outdated(says(subject, FIGURE)))

    assert made is not None
    new = made.after.removesuffix("{{Update inline|date=November 2026}}")
    assert new.startswith("<ref>{{cite web")
    assert new.endswith("}}</ref>")
    assert "https://news.example/lorries" in new
    assert not made.is_worded
    assert f"}}}}</ref>{{{{rp|12}}}}{made.after} It has" in _edited(subject, made)


async def test_a_new_fact_gets_its_citation_behind_the_statement_before_it() -> None:
    subject = bridge()

    made = await _propose(subject, update(after=says(subject, OPENED)))

    assert "{{Update" not in _edited(subject, made)
    assert f"</ref>{made.after if made else ''}\n* A toll" in _edited(subject, made)


async def test_a_new_fact_without_a_place_goes_to_the_last_paragraph() -> None:
    subject = bridge()

    made = await _propose(subject, update(section=("History",)))

    assert made == await _propose(subject, update(after=says(subject, OPENED)))


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        pytest.param(
            lambda _: update(section=("See also",)), "no paragraph", id="empty"
        ),
        pytest.param(
            lambda subject: outdated(says(subject, "820 metres")),
            "cannot take a citation",
            id="infobox",
        ),
        pytest.param(
            lambda _: update(
                sources=tuple(
                    replace(
                        one,
                        fetch=replace(
                            one.fetch,
                            url=None,
                            document=None,
                            source=replace(one.fetch.source, url=None),
                        ),
                    )
                    for one in update().sources
                )
            ),
            "cited",
            id="nothing stated",
        ),
    ],
)
async def test_what_has_no_place_for_a_citation_is_left_alone(
    wanted: Callable[[Subject], Update], reason: str
) -> None:
    subject = bridge()

    [turn] = await EmbeddedEditor().propose(subject, [wanted(subject)])

    assert turn.value.proposal is None
    assert reason in turn.value.refused[0]


async def test_a_value_of_an_infobox_that_has_a_footnote_takes_another() -> None:
    subject = bridge()
    value = says(subject, "12,000", ClaimKind.INFOBOX_VALUE)

    made = await _propose(subject, outdated(value))

    assert made is not None
    assert f"</ref>{made.after}\n}}}}" in _edited(subject, made)


async def test_a_cell_of_a_table_takes_a_citation() -> None:
    subject = bridge()
    cell = says(subject, "12,000", ClaimKind.TABLE_CELL)

    made = await _propose(subject, outdated(cell))

    assert made is not None
    assert f"|| 12,000{made.after}\n|}}" in _edited(subject, made)


async def test_a_wiki_without_a_mark_gets_no_source_behind_what_it_refutes() -> None:
    subject = bridge(wiki="sv.wikipedia.org")
    statement = says(subject, FIGURE)

    assert await _propose(subject, outdated(statement)) is None
    assert await _propose(subject, update(after=statement)) is not None


async def test_a_statement_that_is_marked_already_is_not_marked_twice() -> None:
    marked = WIKITEXT.replace("{{rp|12}}", "{{rp|12}}{{Update inline|date=May 2025}}")
    subject = bridge(marked)

    made = await _propose(subject, outdated(says(subject, FIGURE)))

    assert _edited(subject, made).lower().count("{{update inline") == 1
    assert _edited(subject, made).count("news.example/lorries") == 1


async def test_a_source_that_the_page_has_under_a_name_is_cited_by_it() -> None:
    named = (
        '<ref name="news">{{cite web|url=https://news.example/lorries|title=L}}</ref>'
    )
    text = WIKITEXT.replace("until 1950", f"until 1950.{named}")
    subject = bridge(text)

    made = await _propose(subject, update(after=says(subject, OPENED)))

    assert made is not None
    assert made.after == '<ref name="news" />'


async def test_a_source_that_stands_there_already_is_not_cited_again() -> None:
    there = "<ref>{{cite web|url=https://news.example/lorries|title=L}}</ref>"
    subject = bridge(WIKITEXT.replace("{{rp|12}}", "{{rp|12}}" + there))
    statement = says(subject, FIGURE)

    made = await _propose(subject, outdated(statement))

    assert made is not None
    assert made.after == "{{Update inline|date=November 2026}}"
    assert await _propose(subject, update(after=statement)) is None


async def test_where_the_wiki_has_it_so_a_first_footnote_stands_before_the_stop() -> (
    None
):
    plain = "Le pont a ouvert en 1932. Il est long.\n"
    subject = bridge(plain, wiki="fr.wikipedia.org")

    made = await _propose(
        subject, update(after=says(subject, "Le pont a ouvert en 1932."))
    )

    assert made is not None
    assert f"1932{made.after}. Il est long." in _edited(subject, made)


async def test_the_wiki_says_which_mark_it_has() -> None:
    subject = bridge(wiki="wiki.example")
    wanted = outdated(says(subject, FIGURE))
    english = EmbeddedEditor(lambda _: tags_of_language("en"))

    assert await _propose(subject, wanted) is None
    [turn] = await english.propose(subject, [wanted])
    assert turn.value.proposal is not None
