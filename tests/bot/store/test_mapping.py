"""Fields and columns of one name hold one value, whichever way it goes."""

from dataclasses import replace

import pytest

from bot.records.accounts import Decision, DecisionKind
from bot.records.posts import Append, Post
from bot.records.watches import ActiveWatch, Check, Rate, WatcherKind
from bot.store.mapping import NotKnown, as_columns, as_value
from bot.store.schema import decisions, posts, watches
from handlers.ports import PermanentError
from tests.bot.store.decided import decision
from tests.bot.store.runs import NOON, WIKI

_WATCH = ActiveWatch(
    WIKI, "User:Ada", WatcherKind.USER, "Ada", ("Clock",), tuple(Check), most=Rate(3)
)
_POST = Post("a" * 64, WIKI, "Clock", "talk", Append("x"), "s", NOON)


def test_enums_lists_and_engines_come_back() -> None:
    columns = as_columns(watches, _WATCH)
    given = {"pages": _WATCH.pages, "most": _WATCH.most}
    assert as_value(ActiveWatch, columns, **given) == _WATCH

    decided = decision("1", decided_at=NOON)
    columns = as_columns(decisions, decided)
    assert as_value(Decision, columns, flag=decided.flag) == decided


def test_text_is_cleaned_and_clipped_but_what_is_given_is_taken_as_it_is() -> None:
    long = "\0" * 200_000
    columns = as_columns(posts, replace(_POST, summary=long), user="", text=long)

    assert columns["summary"] == "\ufffd" * 99_999 + "…"
    assert columns["text"] == long


@pytest.mark.parametrize("name", ["POSTPONE", ""])
def test_a_member_of_a_newer_version_is_left_to_it(name: str) -> None:
    columns = as_columns(decisions, decision("1")) | {"kind": name}

    with pytest.raises(NotKnown):
        as_value(Decision, columns, flag=None)
    assert name not in DecisionKind.__members__


@pytest.mark.parametrize("name", ["reason", "adds", "engine_name"])
def test_a_field_without_its_column_does_not_become_its_default(name: str) -> None:
    columns = as_columns(decisions, decision("1")) | as_columns(posts, _POST, user="")
    del columns[name]
    kind, given = (Post, "change") if name == "adds" else (Decision, "flag")

    with pytest.raises(KeyError):
        as_value(kind, columns, **{given: None})


@pytest.mark.parametrize("name", ["", "x" * 65])
def test_what_identifies_is_refused_where_it_would_not_fit(name: str) -> None:
    with pytest.raises(PermanentError):
        as_columns(posts, replace(_POST, name=name))
    assert as_columns(posts, replace(_POST, subject=""), user="")["subject"] == ""
