"""An operator takes back what one reader decided, and signs them out."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bot.app.cli import sidenote
from bot.records.accounts import ReaderSession, SignIn, SignInWay
from bot.settings import Settings
from bot.store import Store, open_store
from gadget.identity import IdentityKeys
from handlers.ports import TemporaryError
from tests.bot.store.decided import BEN, decision, known
from tests.bot.store.runs import WIKI
from tests.bot.writing.people import Person
from tests.rig.databases import ready_sqlite
from tests.rig.wiki.mediawiki import Wiki

_SECRET = "of-the-operator-long-enough"  # noqa: S105 - of a test
_NOBODY_THERE = "127.0.0.1:9"
Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"SIDENOTE_{name.upper()}", raising=False)
    monkeypatch.setenv("SIDENOTE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("SIDENOTE_BOT_SECRET", _SECRET)
    return lambda *given: CliRunner().invoke(sidenote, ["readers", *given])


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(ready_sqlite(tmp_path / "sidenote.sqlite")) as opened:
        yield opened


def _decide(store: Store, host: str, subject: str, *claims: str) -> list[str]:
    key = IdentityKeys(_SECRET).reader(host, subject)
    names = known(store, *claims)
    for name in names:
        store.decisions.decide(key, decision(name))
    return names


def _sign_in(store: Store, host: str, user: str, subject: str, token: str) -> None:
    now = datetime.now(UTC)
    later = now + timedelta(days=30)
    store.readers.begin(SignIn(token, host, SignInWay.OAUTH, "0" * 64, now, later))
    assert store.readers.open(
        token, token, ReaderSession(host, subject, user, now, later)
    )


@pytest.mark.mediawiki
def test_a_name_is_looked_up_on_the_wiki(run: Run, store: Store, wiki: Wiki) -> None:
    dora = Person(wiki.host, "Dora of Northmere").make_account().log_in()
    info = dora.get(action="query", meta="userinfo")["query"]["userinfo"]
    one, two = _decide(store, wiki.host, f"local {info['id']}", "1.", "2.")
    store.decisions.decide(BEN, decision(one))
    assert store.decisions.closed(WIKI) == {one}

    done = run("take-back", "dora of Northmere", "--wiki", wiki.host)

    assert done.exit_code == 0, done.output
    assert f"Dora of Northmere on {wiki.host}: 2 decisions taken back" in done.output
    assert store.decisions.closed(WIKI) == frozenset()
    assert set(store.decisions.of_reader(BEN, WIKI, [one, two])) == {one}
    unknown = run("take-back", "Nobody of Northmere", "--wiki", wiki.host)
    assert "has no account called 'Nobody of Northmere'" in str(unknown.exception)


def test_who_is_signed_in_is_known_while_the_wiki_is_away(
    run: Run, store: Store
) -> None:
    for number, user in enumerate(["Ada", "Ada", "Bea"]):
        subject = f"local {7 if user == 'Ada' else 8}"
        _sign_in(store, _NOBODY_THERE, user, subject, f"token{number}")
    _decide(store, _NOBODY_THERE, "local 7", "1.")

    ended = run("sign-out", "Ada", "--wiki", _NOBODY_THERE)

    assert "2 sessions ended" in ended.output
    now = datetime.now(UTC)
    left = [store.readers.reader(f"token{number}", now) for number in range(3)]
    assert [one and one.user for one in left] == [None, None, "Bea"]
    away = run("take-back", "Ada", "--wiki", _NOBODY_THERE)
    assert isinstance(away.exception, TemporaryError)
    _sign_in(store, _NOBODY_THERE, "Ada", "local 7", "token9")
    assert "1 decision taken" in run("take-back", "Ada", "--wiki", _NOBODY_THERE).output
