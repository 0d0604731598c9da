"""Readers sign in by OAuth 2 over real HTTP, and nobody signs in as somebody else."""

import gzip
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from aiohttp import web
from structlog.testing import capture_logs

from bot.records.accounts import Browser, Device, RefusedError, SignInWay, System
from bot.store import Store, open_store
from bot.surfaces.messages import message
from gadget.identity import Readers
from gadget.identity.readers import sha256_of
from tests.gadget.identity.place import CALLBACK, HELD, Backend
from tests.rig.authorisation import AuthorisationServer, Person, silence
from tests.rig.databases import ready_sqlite

EN, DE = "en.example", "de.example"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "sidenote.sqlite"


@pytest.fixture
def store(database: Path) -> Iterator[Store]:
    with open_store(ready_sqlite(database)) as opened_store:
        yield opened_store


@pytest.fixture
async def servers() -> AsyncIterator[dict[str, AuthorisationServer]]:
    async with AsyncExitStack() as stack:
        yield {
            wiki: await stack.enter_async_context(AuthorisationServer())
            for wiki in (EN, DE)
        }


@pytest.fixture
def at(store: Store, servers: dict[str, AuthorisationServer]) -> Backend:
    return Backend(store, servers)


def _readers(at: Backend) -> Readers:
    return Readers(at.store, at.keys, at.clock, None)


async def test_a_reader_signs_in_stays_known_and_signs_out(at: Backend) -> None:
    assert await at.sign_ins.ways(EN) == (SignInWay.OAUTH,)
    sign_in = await at.begin(EN)
    assert await at.sign_ins.finish(sign_in.state, HELD) is None

    page = await at.come_back(sign_in)
    assert page.status == 200
    assert await at.sign_ins.finish(sign_in.state, HELD) is None, "not yet confirmed"
    assert "You are signed in" in (await at.confirm(page)).html()
    signed = await at.sign_ins.finish(sign_in.state, HELD)

    assert signed.user == "Ada"
    reader = await _readers(at).who(signed.token)
    assert (reader.wiki, reader.subject, reader.user) == (EN, "42", "Ada")
    assert await _readers(at).until(signed.token) == signed.expires_at
    await _readers(at).sign_out(signed.token)
    assert await _readers(at).who(signed.token) is None


async def test_the_person_is_told_when_it_was_asked_for_and_with_what(
    at: Backend,
) -> None:
    phone = Device(Browser.SAFARI, System.IOS)
    sign_in = await at.sign_ins.begin(
        EN, SignInWay.OAUTH, sha256_of(HELD), device=phone
    )

    page = await at.come_back(sign_in)

    when = sign_in.begun_at.strftime("%Y-%m-%d %H:%M UTC")
    assert page.paragraphs[1] == message(
        "callback-started", message("attempt", when, "Safari", "iOS")
    )


async def test_the_wiki_is_asked_as_its_extension_wants_it(at: Backend) -> None:
    sign_in = await at.begin(EN)
    await at.come_back(sign_in)

    address = urlsplit(sign_in.authorize_url or "")
    query = parse_qs(address.query)
    assert address.path == "/w/rest.php/oauth2/authorize"
    assert query["code_challenge_method"] == ["S256"]
    assert query["redirect_uri"] == [CALLBACK]
    form, headers = at.servers[EN].requests
    assert form["grant_type"] == "authorization_code"
    assert "client_secret" not in form
    assert headers["Authorization"].startswith("Bearer ey")


async def test_a_client_with_a_secret_shows_it(
    store: Store, servers: dict[str, AuthorisationServer]
) -> None:
    at = Backend(store, servers, client_key="of the client")

    assert (await at.come_back(await at.begin(EN))).status == 200

    assert ("client_secret", "of the client") in servers[EN].requests[0].items()


async def test_nothing_that_opens_anything_is_kept_or_logged(
    at: Backend, database: Path
) -> None:
    with capture_logs() as logs:
        sign_in = await at.begin(EN)
        page = await at.come_back(sign_in)
        await at.confirm(page)
        signed = await at.sign_ins.finish(sign_in.state, HELD)
    form, headers = at.servers[EN].requests
    bearer = headers["Authorization"].removeprefix("Bearer ")

    stored = b"".join(path.read_bytes() for path in database.parent.iterdir())
    for secret in (HELD, signed and signed.token, bearer, form["code"]):
        assert secret
        assert secret.encode() not in stored
        assert secret not in repr(logs)
        assert secret not in page.html()
    assert signed.token not in repr(signed)


async def test_a_code_that_comes_again_signs_nobody_in(at: Backend) -> None:
    sign_in = await at.begin(EN)
    brought = await at.visit(sign_in)
    first = await at.sign_ins.callback(brought)

    again = await at.sign_ins.callback(brought)

    assert again.status == 400
    assert "used already" in again.html()
    assert "signed in" in (await at.confirm(first)).html()
    assert await at.sign_ins.finish(sign_in.state, HELD)
    with pytest.raises(RefusedError, match="not known"):
        await at.sign_ins.finish(sign_in.state, HELD)
    assert (await at.sign_ins.callback(brought)).status == 400


async def test_a_stolen_state_is_worth_nothing(at: Backend) -> None:
    sign_in = await at.begin(EN)
    await at.confirm(await at.come_back(sign_in))

    with pytest.raises(RefusedError, match="not known"):
        await at.sign_ins.finish(sign_in.state, "guessed")

    assert await at.sign_ins.finish(sign_in.state, HELD), "whoever began it still can"


async def test_a_stolen_code_is_worth_nothing(at: Backend) -> None:
    """Mallory brings the code of Ada to a sign-in of her own."""
    stolen = (await at.visit(await at.begin(EN)))["code"]
    hers = await at.begin(EN, held="of Mallory's script")

    page = await at.sign_ins.callback({"state": hers.state, "code": stolen})

    assert page.status == 400
    with pytest.raises(RefusedError, match="code_verifier"):
        await at.sign_ins.finish(hers.state, "of Mallory's script")


async def test_a_sign_in_that_somebody_else_began_needs_the_persons_word(
    at: Backend,
) -> None:
    """Mallory sends Ada to the wiki's address; the wiki sends Ada on without asking."""
    hers = await at.begin(EN, held="of Mallory's script")
    page = await at.come_back(hers)  # in Ada's browser

    assert "If someone sent you a link" in page.html().replace("\n", " ")
    for guess in ("", "0" * 64, hers.state):
        answer = await at.sign_ins.callback({"state": hers.state, "confirm": guess})
        assert answer.status == 400
    assert await at.sign_ins.finish(hers.state, "of Mallory's script") is None


async def test_a_code_of_another_wiki_is_not_taken(at: Backend) -> None:
    there = await at.visit(await at.begin(DE))
    sign_in = await at.begin(EN)

    page = await at.sign_ins.callback({"state": sign_in.state, "code": there["code"]})

    assert page.status == 400
    with pytest.raises(RefusedError, match=r"en\.example|127\.0\.0\.1"):
        await at.sign_ins.finish(sign_in.state, HELD)


async def test_whoever_declines_is_told_so(at: Backend) -> None:
    at.servers[EN].allows = False
    sign_in = await at.begin(EN)

    page = await at.come_back(sign_in)

    assert page.status == 403
    assert "You did not allow it" in page.html()
    assert await at.sign_ins.finish(sign_in.state, HELD) is None, "it names no state"
    named = await at.sign_ins.callback(
        {"state": sign_in.state, "error": "access_denied"}
    )
    assert named.status == 403
    with pytest.raises(RefusedError, match="did not allow"):
        await at.sign_ins.finish(sign_in.state, HELD)


@pytest.mark.parametrize(
    "person", [Person("Eve", 7, is_blocked=True), Person("Eve", 7, is_hidden=True)]
)
async def test_whoever_is_blocked_or_hidden_is_not_signed_in(
    at: Backend, person: Person
) -> None:
    at.servers[EN].person = person
    sign_in = await at.begin(EN)

    assert (await at.come_back(sign_in)).status == 403

    with pytest.raises(RefusedError, match="blocked"):
        await at.sign_ins.finish(sign_in.state, HELD)


async def test_what_takes_too_long_has_to_begin_again(at: Backend) -> None:
    sign_in = await at.begin(EN)
    brought = await at.visit(sign_in)
    at.clock.ahead = timedelta(seconds=601)

    assert (await at.sign_ins.callback(brought)).status == 400
    with pytest.raises(RefusedError, match="ten minutes"):
        await at.sign_ins.finish(sign_in.state, HELD)


async def test_a_code_that_ran_out_at_the_wiki_is_reported(at: Backend) -> None:
    at.servers[EN].habits.code_s = -1
    sign_in = await at.begin(EN)

    assert "expired" in (await at.come_back(sign_in)).html()


async def test_a_token_that_ran_out_at_once_is_reported(at: Backend) -> None:
    at.servers[EN].habits.token_s = -1

    assert "could not be verified" in (await at.come_back(await at.begin(EN))).html()


async def test_a_client_that_the_wiki_does_not_know_is_reported_to_the_operator(
    at: Backend,
) -> None:
    sign_in = await at.begin(EN)
    brought = await at.visit(sign_in)
    at.servers[EN].clients.clear()

    assert "correct `oauth_clients`.<" in (await at.sign_ins.callback(brought)).html()


async def _error(_: web.Request) -> web.StreamResponse:
    return web.Response(status=500, text="<b>Fatal error</b>")


async def _huge(_: web.Request) -> web.StreamResponse:
    return web.Response(text='{"access_token": "' + "x" * 2_000_000 + '"}')


async def _bomb(_: web.Request) -> web.StreamResponse:
    packed = gzip.compress(b'{"sub": 1, "username": "' + b"x" * 5_000_000 + b'"}')
    return web.Response(body=packed, headers={"Content-Encoding": "gzip"})


async def _page(_: web.Request) -> web.StreamResponse:
    return web.Response(text="<!DOCTYPE html><p>Log in", content_type="text/html")


async def _elsewhere(_: web.Request) -> web.StreamResponse:
    return web.Response(status=307, headers={"Location": "http://127.0.0.1:9/steal"})


async def _header(_: web.Request) -> web.StreamResponse:
    answer = {"access_token": "a\r\nHost: evil", "token_type": "Bearer"}
    return web.json_response(answer)


async def _nobody(_: web.Request) -> web.StreamResponse:
    return web.json_response({"sub": 0, "username": "127.0.0.1", "blocked": False})


async def _half_letter(_: web.Request) -> web.StreamResponse:
    return web.Response(text='{"sub": 1, "username": "\\ud800", "blocked": false}')


async def _endless_number(_: web.Request) -> web.StreamResponse:
    return web.Response(text=f'{{"sub": {"9" * 4000}, "username": "Ada"}}')


async def _nested(_: web.Request) -> web.StreamResponse:
    return web.Response(text="[" * 100_000)


@pytest.mark.parametrize("endpoint", ["access_token", "profile"])
@pytest.mark.parametrize(
    ("instead", "message"),
    [
        (_error, r"out of order or busy \(500\)"),
        (_huge, "more than"),
        (_bomb, "not answer"),  # it stays packed
        (_page, "not answer"),
        (_elsewhere, "refused the sign-in"),
        (_header, "not answer"),
        (_nobody, "not answer"),
        (_half_letter, "not answer"),
        (_endless_number, "not answer"),
        (_nested, "not answer"),
        (silence, "did not answer within"),
    ],
)
async def test_a_wiki_that_answers_badly_signs_nobody_in(
    store: Store,
    servers: dict[str, AuthorisationServer],
    endpoint: str,
    instead: object,
    message: str,
) -> None:
    # However busy the machine is, only silence comes to the end of its time.
    at = Backend(store, servers, timeout_s=0.3 if instead is silence else 60.0)
    servers[EN].instead[endpoint] = instead  # type: ignore[assignment]  # of the list above
    sign_in = await at.begin(EN)

    page = await at.come_back(sign_in)

    assert page.status in {400, 503}
    with pytest.raises(RefusedError, match=message):
        await at.sign_ins.finish(sign_in.state, HELD)


async def test_a_name_of_any_letters_stands_on_the_page_as_text(at: Backend) -> None:
    at.servers[EN].person = Person("<script>alert(1)</script>\"'&", 66)

    page = await at.come_back(await at.begin(EN))

    assert "<script" not in page.html()
    assert "&lt;script&gt;" in page.html()
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "script-src" not in policy
    assert page.headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"state": "x" * 65, "code": "y"},
        {"state": "ä", "code": "y"},
        {"code": "y"},
        {"error": "x" * 10_000},
    ],
)
async def test_whatever_is_brought_back_there_is_an_answer(
    at: Backend, query: dict[str, str]
) -> None:
    assert (await at.sign_ins.callback(query)).status in {400, 403}


async def test_a_session_ends_after_thirty_days_at_most(at: Backend) -> None:
    long = replace(at.sign_ins, rules=replace(at.sign_ins.rules, session_days=365))
    sign_in = await at.begin(EN)
    await at.confirm(await at.come_back(sign_in))
    signed = await long.finish(sign_in.state, HELD)
    assert signed is not None

    at.clock.ahead = timedelta(days=30, seconds=1)

    assert await _readers(at).who(signed.token) is None


async def test_a_reader_is_one_by_their_number_whatever_they_are_called(
    at: Backend,
) -> None:
    keys = []
    for wiki, name in ((EN, "Ada"), (EN, "Ada (renamed)"), (DE, "Ada")):
        at.servers[wiki].person = Person(name, 42)
        sign_in = await at.begin(wiki)
        await at.confirm(await at.come_back(sign_in))
        signed = await at.sign_ins.finish(sign_in.state, HELD)
        reader = await _readers(at).who(signed.token) if signed else None
        keys.append(reader.key)

    assert keys[0] == keys[1] != keys[2]
    assert "42" not in keys[0] or len(keys[0]) == 64


@pytest.mark.parametrize("secrets", ["", "too short", "   "])
async def test_without_a_secret_nobody_signs_in_and_the_remedy_is_reported(
    store: Store, servers: dict[str, AuthorisationServer], secrets: str
) -> None:
    at = Backend(store, servers, secrets=secrets)

    assert await at.sign_ins.ways(EN) == ()
    with pytest.raises(RefusedError, match="SIDENOTE_BOT_SECRET"):
        await at.begin(EN)


async def test_a_way_that_the_wiki_does_not_have_is_refused(at: Backend) -> None:
    with pytest.raises(RefusedError, match="another way"):
        await at.sign_ins.begin(EN, SignInWay.PROOF, sha256_of(HELD), "Ada")


@pytest.mark.parametrize("token", ["", "x" * 10_000, "no such token", "ä\ud800"])
async def test_a_token_that_was_never_given_out_is_nobodys(
    at: Backend, token: str
) -> None:
    assert await _readers(at).who(token) is None
