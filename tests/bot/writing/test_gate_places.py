"""The gate writes to talk and user pages alone, and a draft to its person's folder."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bot.records.posts import (
    Append,
    Create,
    Post,
    Posted,
    Refusal,
    Refused,
    ReplaceStretch,
)
from tests.bot.writing.makers import ARTICLE, TALK, attempt, post, wiki
from tests.bot.writing.model_wiki import BOT, ModelWiki


def _with_model(at: ModelWiki, model: str) -> None:
    at.put("Benutzer:Ada/x.js", "var x;")
    at.pages["Benutzer:Ada/x.js"].model = model


@pytest.mark.parametrize(
    ("title", "prepare"),
    [
        (TALK, lambda at: at.put(TALK, "#REDIRECT [[Uhr am Kai]]")),
        (TALK, lambda at: at.move(TALK, "Uhr am Kai (alt)")),
        ("Benutzer:Ada/x.js", lambda at: _with_model(at, "javascript")),
        ("Benutzer:Ada/x.js", lambda at: _with_model(at, "flow-board")),
    ],
    ids=["redirect", "moved to the articles", "script", "board"],
)
def test_a_page_that_is_not_what_it_seems_is_left_alone(
    title: str, prepare: Callable[[ModelWiki], object]
) -> None:
    at = wiki()
    prepare(at)

    outcome = attempt(at, post(title=title))

    assert isinstance(outcome, Refused)
    assert outcome.reason is Refusal.PLACE
    assert at.written == []


@pytest.mark.parametrize(
    "title",
    [
        f"Benutzer:{BOT}/Run/talk",
        f"Benutzer:{BOT}/Run",
        "Diskussion:Benutzer:Ada",
        "Diskussion:de:Uhr",
        "diskussion:Uhr am Kai",
        "Diskussion:uhr am Kai",
        "Talk:Uhr am Kai",
        "Diskussion: Uhr am Kai",
        "Diskussion:Uhr am Kai#Frage",
        "Diskussion:Uhr am Kai|Uhr am Kai",
        ":Diskussion:Uhr am Kai",
        ARTICLE,
        "Vorlage:Uhr",
        "MediaWiki:Common.js",
    ],
)
def test_nothing_is_written_outside_talk_and_user_pages(title: str) -> None:
    at = wiki()

    outcome = attempt(at, post(title=title))

    assert isinstance(outcome, Refused)
    assert outcome.reason is Refusal.PLACE
    assert at.written == []


def test_part_of_a_page_is_replaced_in_user_space_alone() -> None:
    at = wiki()

    outcome = attempt(at, post(change=ReplaceStretch("Welche", "Diese")))

    assert isinstance(outcome, Refused)
    assert outcome.reason is Refusal.PLACE


_FOLDER = "Benutzer:Ada/Sidenote drafts/"


def _draft(**changes: Any) -> Post:
    draft_post = post(
        title=f"{_FOLDER}Hafenuhr",
        task="draft",
        user="Ada",
        change=Create("== Uhr =="),
    )
    return replace(draft_post, **changes)


def test_a_draft_makes_a_page_in_its_persons_folder() -> None:
    at = wiki()
    at.go("draft")

    assert isinstance(attempt(at, _draft()), Posted)
    assert at.text(f"{_FOLDER}Hafenuhr") == "== Uhr =="


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "Hafenuhr"},
        {"title": "Diskussion:Hafenuhr"},
        {"title": "Benutzer Diskussion:Ada/Sidenote drafts/Hafenuhr"},
        {"title": "Benutzer:Ada"},
        {"title": "Benutzer:Ada/Hafenuhr"},
        {"title": "Benutzer:Ada/Sidenote drafts"},
        {"title": "Benutzer:Ada/Sidenote drafts/"},
        {"title": f"{_FOLDER}../../Bo"},
        {"title": f"{_FOLDER}common.js"},
        {"title": "Benutzer:Bo/Sidenote drafts/Hafenuhr"},
        {"user": ""},
        {"user": "Ada/Sidenote drafts"},
        {"change": Append("== Uhr ==")},
        {"change": ReplaceStretch("a", "b")},
    ],
)
def test_a_draft_goes_nowhere_else_and_changes_no_page(
    changes: dict[str, object],
) -> None:
    at = wiki()
    at.go("draft")
    at.put(f"{_FOLDER}Notizen", "a")

    outcome = attempt(at, _draft(**changes))

    assert isinstance(outcome, Refused)
    assert outcome.reason is Refusal.PLACE
    assert at.written == []


def test_a_new_page_is_not_made_where_one_is() -> None:
    at = wiki()
    at.go("draft")
    at.put(f"{_FOLDER}Hafenuhr", "Mine.")

    outcome = attempt(at, _draft())

    assert isinstance(outcome, Refused)
    assert outcome.reason is Refusal.CHANGED
    assert at.written == []
