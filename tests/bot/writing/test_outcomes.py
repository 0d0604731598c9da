"""Each answer to an edit has one meaning."""

from typing import Any

import pytest

from bot.posts import NotNow, Posted, Refusal, Refused, Unclear
from bot.writing.outcomes import outcome


def _error(code: str, **more: object) -> dict[str, Any]:
    return {"error": {"code": code, "info": "words of the wiki", **more}}


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("spamblacklist", Refusal.SPAM),
        ("abusefilter-disallowed", Refusal.FILTER),
        ("abusefilter-warning", Refusal.FILTER),
        ("abusefilter-throttled-somehow", Refusal.FILTER),
        ("hookaborted", Refusal.FILTER),
        ("captcha", Refusal.CAPTCHA),
        ("protectedpage", Refusal.PROTECTED),
        ("cascadeprotected", Refusal.PROTECTED),
        ("protectednamespace-interface", Refusal.PROTECTED),
        ("titleblacklist-forbidden", Refusal.PROTECTED),
        ("titleblacklist-forbidden-edit", Refusal.PROTECTED),
        ("permissiondenied", Refusal.PROTECTED),
        ("contenttoobig", Refusal.TOO_LONG),
        ("missingtitle", Refusal.GONE),
        ("pagedeleted", Refusal.GONE),
        ("nosuchsection", Refusal.CHANGED),
        ("no-direct-editing", Refusal.PLACE),
        ("a-code-that-nobody-knows", Refusal.UNKNOWN),
    ],
)
def test_a_refusal_is_one_and_tells_why(code: str, reason: Refusal) -> None:
    found = outcome(_error(code), 7)

    assert isinstance(found, Refused)
    assert found.reason is reason
    assert code in found.why
    assert "words of the wiki" in found.why


@pytest.mark.parametrize(
    ("code", "halts"),
    [
        ("editconflict", False),
        ("articleexists", False),
        ("badtoken", False),
        ("assertuserfailed", False),
        ("assertnameduserfailed", False),
        ("maxlag", True),
        ("readonly", True),
        ("ratelimited", True),
        ("blocked", True),
        ("autoblocked", True),
        ("writeapidenied", True),
        ("assertbotfailed", True),
    ],
)
def test_what_may_pass_is_not_now(code: str, *, halts: bool) -> None:
    found = outcome(_error(code), 7)

    assert isinstance(found, NotNow)
    assert found.halts is halts
    assert found.retry_in_s > 0


def test_the_wiki_says_for_how_long_its_databases_are_behind() -> None:
    found = outcome(_error("maxlag", lag=17.5), 7)

    assert isinstance(found, NotNow)
    assert found.retry_in_s == 17.5


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"edit": {}},
        {"edit": {"result": "Success"}},
        {"edit": {"result": "Perhaps"}},
        {"edit": ["Success"]},
        {"error": {}},
        {"error": "no"},
        {"warnings": {}},
        _error("internal_api_error_DBQueryError"),
        _error("internal_api_error_DBTransactionError"),
    ],
)
def test_an_answer_without_sense_says_nothing(answer: dict[str, Any]) -> None:
    assert isinstance(outcome(answer, 7), Unclear)


def test_success_names_its_revision() -> None:
    made = {"edit": {"result": "Success", "newrevid": 12, "oldrevid": 7}}

    assert outcome(made, 7) == Posted(12)


def test_a_text_that_stood_there_already_is_made() -> None:
    assert outcome({"edit": {"result": "Success", "nochange": True}}, 7) == Posted(7)


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        ({"captcha": {"type": "simple", "id": "1"}}, Refusal.CAPTCHA),
        ({"spamblacklist": "spam.example"}, Refusal.SPAM),
        ({"code": "abusefilter-warning", "info": "Sure?"}, Refusal.FILTER),
        ({}, Refusal.UNKNOWN),
    ],
)
def test_a_failure_is_a_refusal(edit: dict[str, Any], reason: Refusal) -> None:
    found = outcome({"edit": {"result": "Failure", **edit}}, 7)

    assert isinstance(found, Refused)
    assert found.reason is reason
