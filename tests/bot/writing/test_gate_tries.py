"""The gate finds out what became of a try, so that a post is made once at most."""

from collections.abc import Callable
from typing import Any

import pytest

from bot.records.posts import NotNow, Posted, Refusal, Refused, Unclear
from bot.wiki.answers import NoAnswer, NotSent
from bot.wiki.keys import with_key
from tests.bot.wiki.markup.makers import KEYS
from tests.bot.writing.makers import (
    NOON,
    TALK,
    ModelSession,
    attempt,
    gate,
    no_answer,
    post,
    tried,
    wiki,
)


def test_an_edit_that_comes_between_is_no_loss() -> None:
    at = wiki()

    def between(do: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        at.put(TALK, f"Oben!\n{at.text(TALK)}")
        return do()

    outcome = attempt(at, on_edit=between)

    assert isinstance(outcome, NotNow)
    assert at.written == []
    assert isinstance(attempt(at), Posted)


@pytest.mark.parametrize(
    ("tags", "rights", "tagged"),
    [
        ((), ("applychangetags",), ""),
        (("mobile edit", "sidenote", "visualeditor"), ("applychangetags",), "sidenote"),
        (("sidenotes",), ("applychangetags",), ""),
        (("sidenote",), (), ""),
    ],
)
def test_an_edit_carries_the_change_tag_where_the_wiki_has_it(
    tags: tuple[str, ...], rights: tuple[str, ...], tagged: str
) -> None:
    at = wiki()
    at.tags, at.rights = tags, rights

    assert isinstance(attempt(at), Posted)
    assert at.tagged == [tagged]


def test_a_tag_that_the_wiki_gave_up_a_moment_ago_costs_no_post() -> None:
    at = wiki()
    at.tags = ("sidenote",)

    def given_up(do: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        at.tags = ()
        return do()

    assert isinstance(attempt(at, on_edit=given_up), NotNow)
    assert isinstance(attempt(at), Posted)


def test_a_lost_answer_is_unclear_and_then_found() -> None:
    at = wiki()

    assert isinstance(attempt(at, on_edit=no_answer), Unclear)

    outcome = gate(ModelSession(at)).attempt(tried(post(), before=NOON, tries=2))
    assert outcome == Posted(at.pages[TALK].newest.number)
    assert at.written == [TALK]


@pytest.mark.parametrize("gone", ["removed", "moved", "overwritten"])
def test_a_post_is_found_whatever_people_did_with_it(gone: str) -> None:
    at = wiki()
    with_post = attempt(at)
    if gone == "removed":
        at.put(TALK, "Leer")
    elif gone == "moved":
        at.move(TALK, "Diskussion:Archiv")
    else:
        at.pages[TALK].newest.comment = ""

    outcome = gate(ModelSession(at)).attempt(tried(post(), before=NOON, tries=2))

    assert outcome == with_post
    assert at.written == [TALK]


def test_a_post_on_a_page_that_was_deleted_is_not_made_again() -> None:
    at = wiki()
    at.delete(TALK)
    at.pass_time(5)
    attempt(at)
    at.pass_time(5)
    at.delete(TALK)

    outcome = gate(ModelSession(at)).attempt(tried(post(), before=NOON, tries=2))

    assert isinstance(outcome, Refused)
    assert outcome.reason is Refusal.DELETED
    assert at.written == [TALK]


def test_a_summary_that_somebody_else_copied_does_not_count() -> None:
    at = wiki()
    at.put(TALK, "Hallo", "Mallory", with_key("Notice", post().name, KEYS))

    outcome = gate(ModelSession(at)).attempt(tried(post(), before=NOON, tries=2))

    assert isinstance(outcome, Posted)
    assert at.written == [TALK]


def test_a_request_that_never_left_is_certain() -> None:
    def unreachable(_: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        raise NotSent("no connection", retry_in_s=7)

    outcome = attempt(wiki(), on_edit=unreachable)

    assert outcome == NotNow("no connection", 7)


def test_a_read_whose_answer_is_lost_has_written_nothing() -> None:
    def lost() -> None:
        raise NoAnswer("lost", retry_in_s=7)

    assert attempt(wiki(), on_ask=lost) == NotNow("lost", 7)


def test_a_late_copy_of_a_try_finds_its_session_gone() -> None:
    at = wiki()
    late: list[Callable[[], dict[str, Any]]] = []

    def delayed(do: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        late.append(do)
        raise NoAnswer("lost", retry_in_s=1)

    disk: dict[str, str] = {}
    before = at.text(TALK)
    attempt(at, on_edit=delayed, disk=disk)
    again = gate(ModelSession(at, disk)).attempt(tried(post(), before=NOON, tries=2))
    assert isinstance(again, Posted)
    at.put(TALK, before)  # a person does not want it

    [do] = late
    assert do()["error"]["code"] == "assertnameduserfailed"
    assert at.text(TALK) == before


def test_a_warning_of_a_filter_is_a_refusal_and_goes_with_its_session() -> None:
    at = wiki()
    at.errors = [{"error": {"code": "abusefilter-warning", "info": "Sure?"}}]
    session = ModelSession(at)

    outcome = gate(session).attempt(tried(post()))

    assert isinstance(outcome, Refused)
    assert outcome.reason is Refusal.FILTER
    assert at.sessions == set()
