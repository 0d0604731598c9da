"""The gate finds out what became of a try, so that a post is made once at most."""

from collections.abc import Callable
from typing import Any

import pytest

from bot.records.posts import NotNow, Parked, Posted, Refusal, Refused, Unclear
from bot.wiki.answers import NoAnswer, NotSent
from bot.wiki.keys import with_key
from bot.writing.edit import outcome
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
        ("abusefilter-blocked-domains-attempted", Refusal.SPAM),
        ("flow-error-protected-page", Refusal.PLACE),
        ("http-contenttoolarge", Refusal.TOO_LONG),
    ],
)
def test_a_refusal_is_recognised_and_says_why(code: str, reason: Refusal) -> None:
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
        ("nosuchrevid", False),
        ("stashfailed", False),
        ("stashfailed-nosession", False),
        ("uploadstash-exception", False),
        ("maxlag", True),
        ("readonly", True),
        ("readonlytext", True),
        ("readonly_lag", True),
        ("mwoauth-db-readonly", True),
        ("ratelimited", True),
        ("actionthrottledtext", True),
        ("timeouterror", True),
        ("pool-timeout", True),
        ("pool-queuefull", True),
        ("pool-errorunknown", True),
        ("poolcounter-connection-error", True),
        ("backend-fail-internal", True),
        ("captcha", True),
        ("blocked", True),
        ("autoblocked", True),
        ("systemblocked", True),
        ("globalblocking-blockedtext-user", True),
        ("globalblocking-blockedtext-autoblock-xff", True),
        ("globalblocking-ipblocked-range", True),
        ("wikimedia-globalblocking-ipblocked", True),
        ("torblock-blocked", True),
        ("torblocked", True),
        ("wikimedia-torblock-blocked", True),
        ("ipreputation-blocked-ip-reputation", True),
        ("centralauth-error-locked", True),
        ("mwoauth-invalid-authorization", True),
        ("mwoauth-invalid-authorization-invalid-user", True),
        ("mwoauth-consumer-not-approved", True),
        ("confirmemail", True),
        ("noapiwrite", True),
        ("writeapidenied", True),
        ("assertbotfailed", True),
    ],
)
def test_what_may_pass_is_not_now(code: str, *, halts: bool) -> None:
    found = outcome(_error(code), 7)

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
    answer = {"edit": {"result": "Success", "newrevid": 12, "oldrevid": 7}}

    assert outcome(answer, 7) == Posted(12)


def test_a_text_that_stood_there_already_is_made() -> None:
    assert outcome({"edit": {"result": "Success", "nochange": True}}, 7) == Posted(7)


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        ({"spamblacklist": "spam.example"}, Refusal.SPAM),
        ({"code": "abusefilter-warning", "info": "Sure?"}, Refusal.FILTER),
    ],
)
def test_a_failure_is_a_refusal(edit: dict[str, Any], reason: Refusal) -> None:
    found = outcome({"edit": {"result": "Failure", **edit}}, 7)

    assert isinstance(found, Refused)
    assert found.reason is reason


@pytest.mark.parametrize(
    "answer",
    [
        _error("a-code-that-nobody-knows"),
        _error("abusefilter"),
        {"edit": {"result": "Failure", "code": "new-in-1-47", "info": "Sorry"}},
        {"edit": {"result": "Failure"}},
    ],
)
def test_a_refusal_that_nobody_knows_is_parked(answer: dict[str, Any]) -> None:
    found = outcome(answer, 7)

    assert isinstance(found, Parked)
    assert found.reason is Refusal.UNKNOWN
    assert found.retry_in_s == 86_400


@pytest.mark.parametrize("code", ["blocked", "globalblocking-blockedtext-user"])
def test_a_block_of_some_pages_is_no_block_of_all(code: str) -> None:
    def found(*, partial: bool) -> object:
        return outcome(_error(code, blockinfo={"blockpartial": partial}), 7)

    here, all_over = found(partial=True), found(partial=False)
    assert isinstance(here, Refused)
    assert here.reason is Refusal.BLOCKED
    assert all_over.halts


def test_a_filter_may_answer_with_any_word() -> None:
    found = outcome(_error("our-own-word", abusefilter={"id": 4}), 7)

    assert isinstance(found, Refused)
    assert found.reason is Refusal.FILTER


def test_a_request_that_was_seen_before_is_no_end_of_a_grant() -> None:
    answer = _error("mwoauth-invalid-authorization")
    answer["error"]["info"] = "The headers are not valid: Nonce already used: 12"

    found = outcome(answer, 7)

    assert not found.halts
