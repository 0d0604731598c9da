"""Pywikibot's connection to a strict api.php on loopback that fails in every way."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from errno import ENOSPC
from pathlib import Path

import pytest
from pywikibot import config
from pywikibot.comms import http

from bot.records.posts import NotNow, Outcome, Posted, Refusal, Refused, Unclear
from bot.wiki.address import parse_address
from bot.wiki.session import Account, WikiSession
from bot.writing.gate import Gate
from handlers.ports import PermanentError
from tests.bot.writing import standin
from tests.bot.writing.makers import (
    RULES,
    TALK,
    post,
    tried,
    wiki,
)
from tests.bot.writing.model_wiki import BOT
from tests.bot.writing.standin import Fault, StandIn, serve

_AGENT = "SidenoteTests/0 (loopback only)"
_ROOT = str(Path(__file__).parents[3])
_NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # away from the project's own account file


@pytest.fixture
def server() -> Iterator[StandIn]:
    with serve(wiki()) as served:
        yield served


@pytest.fixture
def open_session(server: StandIn, tmp_path: Path) -> Callable[..., WikiSession]:
    def opened(word: str = "right") -> WikiSession:
        """Open a session as a process does that has just begun."""
        session = WikiSession(
            server.address,
            Account(BOT, f"{BOT}@test", word),
            user_agent=_AGENT,
            folder=tmp_path / "pywikibot",
            timeout_s=1.0,
        )
        http.cookie_jar.clear()
        return session

    return opened


def _gate(session: WikiSession) -> Gate:
    return Gate(session, RULES, now=lambda: _NOON)


def _attempts(
    open_session: Callable[..., WikiSession], *, most: int = 4
) -> list[Outcome]:
    """Try a post as the publisher does, each time in a process that was restarted."""
    outcomes: list[Outcome] = []
    for number in range(1, most + 1):
        before = _NOON if any(isinstance(one, Unclear) for one in outcomes) else None
        outcome = _gate(open_session()).attempt(
            tried(post(), before=before, tries=number)
        )
        outcomes.append(outcome)
        if isinstance(outcome, Posted | Refused):
            break
    return outcomes


def test_a_post_is_made_over_the_wire_with_one_write(
    server: StandIn, open_session: Callable[..., WikiSession]
) -> None:
    [outcome] = _attempts(open_session)

    assert outcome == Posted(server.at.pages[TALK].newest.number)
    assert server.actions("edit") == 1
    assert server.agents == {_AGENT}


def test_a_session_goes_on_where_the_last_process_left_it(
    server: StandIn, open_session: Callable[..., WikiSession], tmp_path: Path
) -> None:
    for number in range(3):
        _gate(open_session()).attempt(tried(post(number)))

    assert server.at.logins == 1
    [file] = (tmp_path / "pywikibot").glob("*.lwp")
    assert file.stat().st_mode & 0o077 == 0


def test_nothing_is_written_while_the_disk_has_no_room_for_the_session(
    server: StandIn,
    open_session: Callable[..., WikiSession],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = open_session()

    def save(**_: object) -> None:
        raise OSError(ENOSPC, "no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(http.cookie_jar, "save", save)
        outcome = _gate(session).attempt(tried(post()))

    assert "the disk is full; free some space" in outcome.why
    assert not outcome.halts
    assert server.actions("edit") == 0
    assert isinstance(_gate(open_session()).attempt(tried(post())), Posted)


@pytest.mark.parametrize(
    "fault",
    [
        standin.reply_dropped,
        standin.half_a_reply,
        standin.no_reply_in_time,
        standin.page(200, done=True),
        standin.page(502, done=True),
        standin.page(503, done=True),
        standin.page(504, done=True),
        standin.request_dropped,
        standin.page(504, done=False),
    ],
    ids=[
        "reply dropped",
        "half a reply",
        "no reply in time",
        "200 with a page",
        "502",
        "503",
        "504",
        "request dropped",
        "504 and not done",
    ],
)
def test_a_lost_answer_never_doubles_a_post(
    server: StandIn, open_session: Callable[..., WikiSession], fault: Fault
) -> None:
    server.faults = [fault]

    first, second = _attempts(open_session)

    assert isinstance(first, Unclear)
    assert isinstance(second, Posted)
    assert server.at.written == [TALK]
    assert server.at.text(TALK).count("== Note 1 ==") == 1


def test_five_lost_answers_do_not_double_a_post_either(
    server: StandIn, open_session: Callable[..., WikiSession]
) -> None:
    server.faults = [standin.request_dropped] * 3 + [standin.reply_dropped]

    *lost, last = _attempts(open_session, most=6)

    assert [type(one) for one in lost] == [Unclear] * 4
    assert isinstance(last, Posted)
    assert server.at.written == [TALK]


@pytest.mark.parametrize("late_s", [0.0, 0.05, 0.3])
def test_a_first_try_that_arrives_late_does_not_double_a_post(
    server: StandIn, open_session: Callable[..., WikiSession], late_s: float
) -> None:
    server.faults = [standin.late(late_s)]

    outcomes = _attempts(open_session)
    time.sleep(late_s + 0.2)

    assert isinstance(outcomes[-1], Posted)
    assert server.at.text(TALK).count("== Note 1 ==") == 1


def test_too_many_requests_wait_as_long_as_the_wiki_says(
    server: StandIn, open_session: Callable[..., WikiSession]
) -> None:
    server.faults = [standin.page(429, done=False, Retry_After="77")]

    [outcome] = _attempts(open_session, most=1)

    assert isinstance(outcome, NotNow)
    assert outcome.retry_in_s == 77


def test_a_redirect_is_not_followed(
    server: StandIn, open_session: Callable[..., WikiSession]
) -> None:
    elsewhere = f"http://127.0.0.1:{server.port}/w/other.php"
    server.faults = [standin.page(302, done=False, Location=elsewhere)]

    [outcome] = _attempts(open_session, most=1)

    assert isinstance(outcome, NotNow)
    assert server.actions("edit") == 1


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("spamblacklist", Refusal.SPAM),
        ("abusefilter-warning", Refusal.FILTER),
        ("protectedpage", Refusal.PROTECTED),
    ],
)
def test_a_refusal_is_asked_for_once(
    server: StandIn,
    open_session: Callable[..., WikiSession],
    code: str,
    reason: Refusal,
) -> None:
    server.at.errors = [{"error": {"code": code, "info": "no"}}]

    [outcome] = _attempts(open_session)

    assert isinstance(outcome, Refused)
    assert outcome.reason is reason
    assert server.actions("edit") == 1


def test_a_session_that_ended_begins_again(
    server: StandIn, open_session: Callable[..., WikiSession]
) -> None:
    session = open_session()
    _gate(session).attempt(tried(post(1)))
    server.at.sessions.clear()

    assert isinstance(_gate(session).attempt(tried(post(2))), Posted)
    assert server.at.logins == 2


def test_a_wrong_password_halts_and_is_reported_without_it(
    server: StandIn, open_session: Callable[..., WikiSession]
) -> None:
    session = open_session("hunter2-wrong")

    outcome = _gate(session).attempt(tried(post()))

    assert outcome.halts
    assert "bot password" in outcome.why
    assert "hunter2" not in outcome.why
    assert server.actions("edit") == 0


def test_a_wiki_that_cannot_be_reached_is_certain(tmp_path: Path) -> None:
    with serve(wiki()) as gone:
        address = gone.address
    session = WikiSession(
        address,
        Account(BOT, f"{BOT}@test", "right"),
        user_agent=_AGENT,
        folder=tmp_path,
    )

    assert isinstance(_gate(session).attempt(tried(post())), NotNow)


def test_nobody_writes_without_an_account(server: StandIn, tmp_path: Path) -> None:
    session = WikiSession(server.address, None, user_agent=_AGENT, folder=tmp_path)

    with pytest.raises(PermanentError, match="no account"):
        session.edit({"title": TALK})


def test_a_session_that_ended_by_itself_can_be_ended(
    server: StandIn, open_session: Callable[..., WikiSession]
) -> None:
    session = open_session()
    _gate(session).attempt(tried(post()))
    server.at.sessions.clear()

    session.end()

    assert server.at.sessions == set()
    assert server.at.logins == 2


def test_the_tokens_of_oauth_sign_for_an_account_without_a_password_alone(
    server: StandIn,
    open_session: Callable[..., WikiSession],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host = f"127.0.0.1:{server.port}"
    monkeypatch.setitem(config.authenticate, host, ("a", "b", "c", "d"))

    assert isinstance(_gate(open_session("")).attempt(tried(post(1))), Posted)
    assert (server.signed, server.at.logins) == ({True}, 0)

    assert isinstance(_gate(open_session()).attempt(tried(post(2))), Posted)
    assert (server.signed, server.at.logins) == ({True, False}, 1)


def test_nothing_is_written_where_pywikibot_only_simulates(
    server: StandIn,
    open_session: Callable[..., WikiSession],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(config, "simulate", True)

    outcome = _gate(open_session()).attempt(tried(post()))

    assert outcome.halts
    assert server.actions("edit") == 0


@pytest.mark.parametrize(
    "answer",
    [
        {"error": "no"},
        {"error": {"code": "editconflict"}, "warnings": 1, "servedby": "mw1"},
        {"edit": {"result": "Success"}, "warnings": {"main": "odd"}},
        {"edit": []},
        {},
        [],
    ],
)
def test_an_odd_answer_to_an_edit_is_no_reason_to_send_it_again(
    server: StandIn, open_session: Callable[..., WikiSession], answer: object
) -> None:
    server.faults = [standin.says(answer)]

    [outcome] = _attempts(open_session, most=1)

    assert isinstance(outcome, NotNow | Unclear)
    assert server.actions("edit") == 1


def test_a_known_wiki_has_pywikibots_family_and_another_one_of_its_own() -> None:
    def family_of(wiki: str) -> tuple[str, str]:
        session = WikiSession(
            parse_address(wiki), None, user_agent=_AGENT, folder=Path("none")
        )
        assert session.base_url(session.apipath()) == parse_address(wiki).api
        return session.family.name, session.code

    assert family_of("de.wikipedia.org") == ("wikipedia", "de")
    assert family_of("http://de.wikipedia.org/x/") == ("dewikipediaorg",) * 2
    assert family_of("127.0.0.1:8180") == ("1270018180",) * 2


_ASK = """
import os, sys
from pathlib import Path
from bot.app.wiring.wiki import Credentials, open_account
from bot.settings import Settings
from handlers.ports import PermanentError
settings = Settings(bot_account="SidenoteBot", bot_password="wrong")
try:
    open_account(settings, sys.argv[1], Credentials.BOT, Path("session")).ask({})
except PermanentError:
    assert "PYWIKIBOT_DIR" not in os.environ
"""


def test_pywikibot_is_silent_and_keeps_to_its_folder(
    server: StandIn, tmp_path: Path
) -> None:
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()

    done = subprocess.run(
        [sys.executable, "-c", _ASK, f"127.0.0.1:{server.port}"],
        cwd=here,
        env={"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": _ROOT},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [each.name for each in here.iterdir()] == ["session"]
    assert list(home.iterdir()) == []
    assert server.actions("clientlogin") == 1
