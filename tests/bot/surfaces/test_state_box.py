"""The answer to an opt-in template: what was understood, and what to do about the rest."""

import mwparserfromhell
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.surfaces.messages import LANGUAGES, Words, message
from bot.surfaces.opt_in.community import Community
from bot.surfaces.opt_in.effective import effective
from bot.surfaces.opt_in.scope import Decision
from bot.surfaces.opt_in.values import Fault
from bot.surfaces.opt_in.watch import read_watch
from bot.surfaces.planning.opt_in_answers import answered, box, withdrawn
from bot.wiki.blocks import Rewritten
from tests.bot.wiki.markup.makers import BOT, KEYS, WIKI, title

IN_SCOPE = Decision()


def answer(
    arguments: str, place: str = "User:Alice/Sidenote", decision: Decision = IN_SCOPE
) -> Rewritten:
    return answer_to(
        f"Hello.\n{{{{User:{BOT}/watch{arguments}}}}}\nBye.", place, decision
    )


def answer_to(
    page: str,
    place: str = "User:Alice/Sidenote",
    decision: Decision = IN_SCOPE,
    own: str | None = None,
) -> Rewritten:
    watch = read_watch(page, title(place), BOT, WIKI)
    assert watch is not None
    state = effective(watch, Community(), WIKI)
    return answered(page, state, decision, BOT, KEYS, own=own)


def test_what_was_understood_is_reported_below_the_template() -> None:
    page = answer("|pages=Oslo; Bergen|max=5 per week").text

    assert page.startswith(
        "Hello.\n{{User:SidenoteBot/watch|pages=Oslo; Bergen|max=5 per week}}\n<!-- sidenote begin state "
    )
    assert page.endswith("<!-- sidenote end state -->\nBye.")
    assert "'''Sidenote''' watches 2 pages for Alice" in page
    assert "| [[:Oslo|Oslo]]; [[:Bergen|Bergen]]" in page
    assert "| 5 per week" in page
    assert "[[:User:Alice/Sidenote report|" in page
    assert "to look at" not in page


def test_a_mistake_is_reported_with_its_remedy() -> None:
    page = answer("|pages=Oslo|max=many").text

    assert (
        "* '''max''' = <code>many</code>: this was not understood; write a number"
        in page
    )


def test_a_limit_is_reported_with_its_reason() -> None:
    page = answer("|pages=Oslo|surface=talk").text

    assert "the talk page of the article must request it" in page


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", "das ist unverständlich; gib Zahl und Zeitraum an, etwa „5 per week“"),
        ("fr", "cette valeur n’est pas comprise ; écrivez un nombre et une période"),
        ("es", "esto no se entiende; escribe un número y un periodo"),
        ("ar", "هذه القيمة غير مفهومة؛ اكتب عددًا ومدة"),
    ],
)
def test_a_wiki_is_answered_in_its_language(language: str, words: str) -> None:
    decision = Decision((message("reason-few-edits", 500, 12),))
    written = "pages=Oslo; A<b|max=many|interval=2 weeks|surface=talk|colour=red"
    watch = read_watch(
        f"{{{{User:{BOT}/watch|{written}}}}}", title("User:Alice"), BOT, WIKI
    )
    assert watch is not None
    state = effective(watch, Community(), WIKI)

    answers = {each: str(box(state, decision, BOT, each)) for each in LANGUAGES}

    assert words in answers[language]
    for fault in (*watch.faults, *state.limited):
        own = (
            (fault.problem, fault.remedy) if isinstance(fault, Fault) else fault.reasons
        )
        for one in own:
            english = str(Words().of(one))
            assert english in answers["en"]
            assert english not in answers[language]
    assert "2 weeks" not in answers[language]


def test_nothing_to_watch_is_reported() -> None:
    assert "watches nothing for Alice" in answer("").text


def test_who_may_not_opt_in_is_told_why() -> None:
    decision = Decision((message("reason-few-edits", 500, 12),))

    page = answer("|pages=Oslo", decision=decision).text

    assert "watches nothing for Alice" in page
    assert "Nothing has been done yet: 500 edits are required here" in page


def test_an_article_is_named() -> None:
    assert "'''Sidenote''' watches Oslo\n" in answer("", "Talk:Oslo").text


def test_answering_twice_is_answering_once() -> None:
    once = answer("|pages=Oslo|max=many")

    assert answer_to(once.text).text == once.text


def test_a_changed_template_changes_its_answer() -> None:
    once = answer("|pages=Oslo")

    again = answer_to(once.text.replace("pages=Oslo", "pages=Moss"), own=once.content)

    assert again.text.count("sidenote begin state") == 1
    assert "[[:Moss|Moss]]" in again.text
    assert "Oslo" not in again.text


def test_without_the_template_the_answer_goes() -> None:
    once = answer("|pages=Oslo")
    page = once.text.replace("{{User:SidenoteBot/watch|pages=Oslo}}", "")

    assert withdrawn(page, KEYS) == "Hello.\n\n\nBye."


def test_a_nested_template_is_answered_at_the_end_of_the_page() -> None:
    page = f"{{{{box|{{{{User:{BOT}/watch|pages=Oslo}}}}}}}}\nWords."

    assert answer_to(page).text.startswith(f"{page}\n<!-- sidenote begin state ")


def test_a_long_list_is_shown_in_part() -> None:
    pages = "; ".join(f"Page {number}" for number in range(15))

    assert "; and 5 more" in answer(f"|pages={pages}").text


@settings(deadline=None, max_examples=50)
@given(
    st.sampled_from(["pages", "categories", "max", "report", "colour", "surface"]),
    st.text("[]<>=*#:;'~_&/!-\n xyé\"", max_size=60),
)
def test_nothing_in_an_answer_comes_alive(parameter: str, raw: str) -> None:
    page = f"{{{{User:{BOT}/watch|{parameter}={raw}}}}}"
    if read_watch(page, title("User:Alice"), BOT, WIKI) is None:
        return

    done = answer_to(page, "User:Alice")

    assert done.text.startswith(page) or done.content is None
    box = mwparserfromhell.parse((done.content or "").strip())
    assert not box.filter_templates()
    assert not box.filter_comments()
    tags = {str(tag.tag) for tag in box.filter_tags()}
    assert tags <= {"table", "tr", "td", "th", "b", "li", "code"}
    assert all(str(link.title).startswith(":") for link in box.filter_wikilinks())
    assert "~~~" not in (done.content or "")
