"""What the API answers, asked for real on loopback."""

import asyncio
import base64
import json
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

import pytest

from bot.records.accounts import (
    Browser,
    Device,
    JudgementKind,
    Preferred,
    Reader,
    SuppliedQuote,
    SuppliedResult,
    System,
)
from bot.records.accuracy import AccuracyDay
from bot.records.tasks import TaskKind
from bot.store import Store
from bot.surfaces.messages import message, to_note
from gadget.api.sign_in import device_of
from gadget.limits import Rate
from gadget.payloads.cards import PageAnswer
from handlers.model import Verdict
from tests.bot.store.runs import NOON, TITLE, WIKI
from tests.gadget.api.conftest import FIRST, HOSTILE, SECOND
from tests.gadget.api.rig import (
    ORIGIN,
    RULES,
    Asker,
    KnownReaders,
    OneSignIn,
    StoredCards,
    parts,
    served,
    sign_in,
)

PHONE = "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0"
PAGE = f"/api/v1/suggestions?wiki={WIKI}&title={quote(TITLE)}"


def _key(number: int) -> dict[str, str]:
    return {"Idempotency-Key": f"key-of-test-{number}"}


def _accept(identity: str = FIRST.identity) -> dict[str, object]:
    return {"kind": "accept", "wiki": WIKI, "identity": identity}


async def test_a_page_is_read_by_anybody(ask: Asker) -> None:
    answer = await ask("GET", f"{PAGE}&revision=12")

    page = json.loads(answer.text)
    assert answer.status == 200
    assert [card["claim"]["text"] for card in page["cards"]] == [FIRST.claim, HOSTILE]
    assert (page["title"], page["revision"]) == (TITLE, 12)
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == "public, no-cache"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["Server"] == "Sidenote"
    assert {"Origin", "Authorization"} <= set(answer.headers["Vary"].split(", "))


async def test_what_a_browser_has_is_not_sent_again(ask: Asker, token: str) -> None:
    first = await ask("GET", PAGE)
    tag = first.headers["ETag"]

    again = await ask("GET", PAGE, {"If-None-Match": f'"other", {tag}'})
    other = await ask("GET", f"{PAGE}&revision=3", {"If-None-Match": tag})
    mine = await ask.as_of(token=token)("GET", PAGE, {"If-None-Match": tag})

    assert (again.status, again.text) == (304, "")
    assert again.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert (other.status, mine.status) == (200, 200)
    assert mine.headers["Cache-Control"] == "private, no-cache"
    for path in (
        f"/api/v1/counts?wiki={WIKI}&title=A",
        f"/api/v1/suggestions/{FIRST.identity}?wiki={WIKI}",
        "/api/v1/openapi.json",
    ):
        tag = (await ask("GET", path)).headers["ETag"]
        assert (await ask("GET", path, {"If-None-Match": tag})).status == 304


class Counting(StoredCards):
    """Counts how often a page is made."""

    made: ClassVar[list[str]] = []

    async def page(
        self, wiki: str, title: str, revision: int | None, reader: Reader | None
    ) -> PageAnswer:
        self.made.append(title)
        return await super().page(wiki, title, revision, reader)


async def test_what_was_made_for_one_is_sent_to_the_next_until_it_changes(
    store: Store, tmp_path: Path
) -> None:
    reader = sign_in(store, "Decider")
    services = replace(parts(store), cards=Counting(store))
    async with served(store, tmp_path, services=services) as ask:
        plain = {"Accept-Encoding": "identity"}
        answers = [await ask("GET", PAGE), await ask("GET", PAGE, plain)]
        assert len(Counting.made) == 1
        act = ask.as_of(token=reader)
        await act("POST", "/api/v1/decisions", _key(60), json=_accept())
        answers += [await ask("GET", PAGE), await act("GET", PAGE)]
    assert len(Counting.made) == 3
    assert len({one.text for one in answers[:3]}) == 1
    assert '"mine":{"id"' in answers[3].text
    assert '"mine":{"id"' not in answers[2].text
    assert [one.headers.get("Content-Encoding") for one in answers[:2]] == [
        "gzip",
        None,
    ]


async def test_how_often_notes_are_right_is_open_by_day(
    ask: Asker, store: Store
) -> None:
    for day in (25, 26):
        figures = AccuracyDay(
            day=date(2026, 11, day),
            wiki=WIKI,
            version="1",
            configuration=0,
            bar=0.5,
            decision_days=180,
            edit_days=90,
        )
        store.accuracy.keep(figures, NOON)

    some = await ask("GET", f"/api/v1/accuracy?wiki={WIKI}&since=2026-11-26")
    every = await ask("GET", f"/api/v1/accuracy?wiki={WIKI}&since=2026-01-01")

    assert [day["day"] for day in json.loads(some.text)["days"]] == ["2026-11-26"]
    assert [day["day"] for day in json.loads(every.text)["days"]] == [
        *("2026-11-26", "2026-11-25")
    ]
    unserved = await ask("GET", "/api/v1/accuracy?wiki=other.example")
    assert unserved.status == 404


async def test_counts_one_card_and_health(ask: Asker) -> None:
    counts = await ask(
        "GET", f"/api/v1/counts?wiki={WIKI}&title={quote(TITLE)}&title=Other"
    )
    card = await ask("GET", f"/api/v1/suggestions/{FIRST.identity}?wiki={WIKI}")
    missing = await ask("GET", f"/api/v1/suggestions/{'0' * 64}?wiki={WIKI}")
    health = await ask("GET", "/api/v1/health")

    assert json.loads(counts.text) == {"counts": {TITLE: 2, "Other": 0}}
    assert json.loads(card.text)["id"] == FIRST.identity
    assert missing.status == 404
    assert json.loads(health.text) == {"is_well": True, "version": "0.1.0"}


async def test_head_is_get_without_a_body(ask: Asker) -> None:
    answer = await ask("HEAD", PAGE)

    assert (answer.status, answer.text) == (200, "")
    assert "ETag" in answer.headers


async def test_a_decision_is_kept_shown_and_taken_back(
    act: Asker, store: Store
) -> None:
    stranger = act.as_of(token=sign_in(store, "Curious"))
    done = await act("POST", "/api/v1/decisions", _key(1), json=_accept())
    details = json.loads(done.text)
    page = json.loads((await act("GET", PAGE)).text)
    path = f"/api/v1/decisions/{details['id']}"
    theirs = await stranger("DELETE", path)
    undone = await act("DELETE", path)

    assert (done.status, details["kind"], details["reason"]) == (201, "accept", None)
    assert page["cards"][0]["mine"]["id"] == details["id"]
    assert (undone.status, undone.text, theirs.status) == (204, "", 404)
    after = json.loads((await act("GET", PAGE)).text)
    assert after["cards"][0]["mine"] is None


async def test_who_is_new_decides_for_themselves_and_who_is_blocked_not_at_all(
    store: Store, tmp_path: Path
) -> None:
    known = KnownReaders(store, new=frozenset({"New"}), blocked=frozenset({"Blocked"}))
    tokens = {name: sign_in(store, name) for name in ("New", "Blocked", "Other")}
    dismissed = _accept() | {"kind": "dismiss", "reason": "source says it"}
    async with served(
        store, tmp_path, RULES, replace(parts(store), readers=known)
    ) as ask:
        people = {name: ask.as_of(token=token) for name, token in tokens.items()}
        answers = {
            name: await person("POST", "/api/v1/decisions", _key(70), json=dismissed)
            for name, person in people.items()
        }
        assert {name: answer.status for name, answer in answers.items()} == {
            "New": 201,
            "Blocked": 403,
            "Other": 201,
        }
        assert store.decisions.closed(WIKI) == frozenset(), "two, but one is new"
        shown = json.loads((await people["New"]("GET", PAGE)).text)["cards"][0]
        assert shown["mine"]["kind"] == "dismiss"
        why = json.loads(answers["Blocked"].text)["error"]["reason"]["key"]
        assert why == "refusal-account-blocked"
        for name in ("New", "Other"):
            path = f"/api/v1/decisions/{json.loads(answers[name].text)['id']}"
            assert (await people[name]("DELETE", path)).status == 204
            assert (await people["Blocked"]("DELETE", path)).status == 403


async def test_who_decides_says_no_more_than_the_wording_allows(act: Asker) -> None:
    wrong = _accept() | {"kind": "wrong verdict", "right_verdict": "supported"}
    dismissed = _accept() | {"kind": "dismiss", "reason": "already fixed"}
    with_verdict = dismissed | {"verdict": "supported", "engine": "mine"}

    assert (await act("POST", "/api/v1/decisions", _key(2), json=wrong)).status == 201
    answer = await act("POST", "/api/v1/decisions", _key(3), json=dismissed)
    assert json.loads(answer.text)["reason"] == "already fixed"
    refused = await act("POST", "/api/v1/decisions", _key(4), json=with_verdict)
    assert refused.status == 400
    bodies: list[object] = [
        _accept() | {"kind": "dismiss"},
        _accept() | {"kind": "accept", "reason": "other"},
        _accept() | {"kind": "delete"},
        _accept() | {"revision": "12"},
        _accept() | {"revision": True},
        _accept() | {"identity": ["a"]},
        [],
        "text",
    ]
    for bad in bodies:
        answer = await act("POST", "/api/v1/decisions", _key(5), json=bad)
        assert answer.status == 400, bad
        assert json.loads(answer.text)["error"]["code"] == "bad-request"


async def test_the_same_key_is_the_same_act(act: Asker, store: Store) -> None:
    first = await act("POST", "/api/v1/decisions", _key(10), json=_accept())
    again = await act("POST", "/api/v1/decisions", _key(10), json=_accept())
    reordered = dict(reversed(_accept().items()))
    same = await act("POST", "/api/v1/decisions", _key(10), json=reordered)
    other = await act(
        "POST", "/api/v1/decisions", _key(10), json=_accept(SECOND.identity)
    )
    elsewhere = await act(
        "POST",
        "/api/v1/reviews",
        _key(10),
        json={"wiki": WIKI, "identity": FIRST.identity, "outcome": "accept"},
    )
    stranger = act.as_of(token=sign_in(store, "Stranger"))
    theirs = await stranger(
        "POST", "/api/v1/decisions", _key(10), json=_accept(SECOND.identity)
    )

    assert (first.status, first.text) == (again.status, again.text)
    assert same.text == first.text
    assert (other.status, elsewhere.status, theirs.status) == (409, 409, 201)
    assert json.loads(other.text)["error"]["code"] == "key-reused"


async def test_what_was_not_there_is_not_there_the_second_time(act: Asker) -> None:
    answers = [
        await act("POST", "/api/v1/decisions", _key(11), json=_accept("f" * 64))
        for _ in range(2)
    ]

    assert [one.status for one in answers] == [404, 404]
    assert answers[0].text == answers[1].text


async def test_many_tries_at_once_are_one(act: Asker) -> None:
    body = _accept(SECOND.identity)

    answers = await asyncio.gather(
        *(act("POST", "/api/v1/decisions", _key(12), json=body) for _ in range(8))
    )

    assert {one.status for one in answers} == {201}
    assert len({one.text for one in answers}) == 1


async def test_the_queue_is_walked_through_in_parts(act: Asker, ask: Asker) -> None:
    first = json.loads((await act("GET", "/api/v1/queue?limit=1")).text)
    rest = json.loads((await act("GET", f"/api/v1/queue?after={first['next']}")).text)

    assert [card["id"] for card in first["cards"]] == [FIRST.identity]
    assert [card["id"] for card in rest["cards"]] == [SECOND.identity]
    assert (rest["next"], rest["total"]) == (None, 2)
    assert (await ask("GET", "/api/v1/queue")).status == 401
    for bad in ("limit=0", "limit=51", "limit=1.0", "limit=%2B1", "after=", "page=2"):
        assert (await act("GET", f"/api/v1/queue?{bad}")).status == 400, bad


async def test_a_comparison_is_blind_and_what_is_preferred_is_kept_as_what_it_is(
    ask: Asker, store: Store
) -> None:
    shown = set()
    for number in range(12):
        act = ask.as_of(token=sign_in(store, f"Judge {number}"))
        answer = json.loads((await act("GET", "/api/v1/comparisons/next")).text)
        first, second = answer["first"], answer["second"]
        is_present = first["source"]["title"] == "Cited"
        shown.add(is_present)
        assert {*first} == {*second}
        for name in ("before", "after", "cut_before", "read_at", "is_archived"):
            assert first["quotes"][0][name] == second["quotes"][0][name]
        assert first["source"]["key"] == second["source"]["key"]
        path = f"/api/v1/comparisons/{answer['comparison']}"
        choice = {"preferred": "first"}
        stored = await act("POST", path, _key(20), json=choice)
        assert stored.status == 201
        assert (await act("GET", "/api/v1/comparisons/next")).status == 204
        foreign = await ask.as_of(token=sign_in(store, f"Other {number}"))(
            "POST", path, _key(21), json=choice
        )
        assert foreign.status == 404
        judged = list(store.judgements.all(JudgementKind.PREFERENCE))[-1][1]
        wanted = Preferred.PRESENT if is_present else Preferred.RECOMMENDED
        assert (judged.preferred, judged.shown_first) == (wanted, wanted)
        assert judged.recommended_probability == 0.9

    assert shown == {True, False}


async def test_a_review_is_kept_with_its_errors(act: Asker, store: Store) -> None:
    body = {
        "wiki": WIKI,
        "identity": FIRST.identity,
        "outcome": "accept with changes",
        "errors": ["badly worded", "badly worded"],
    }

    answer = await act("POST", "/api/v1/reviews", _key(30), json=body)

    judged = list(store.judgements.all(JudgementKind.REVIEW))[-1][1]
    assert answer.status == 201
    assert [one.value for one in judged.errors] == ["badly worded"]


async def test_a_check_that_nobody_asked_for_is_not_known(
    ask: Asker, act: Asker
) -> None:
    named = f"wiki={WIKI}&title=Nobody"
    state = await ask("GET", f"/api/v1/checks?{named}")
    events = await ask("GET", f"/api/v1/checks/events?{named}")
    refused = await act(
        "POST", "/api/v1/checks", json={"wiki": WIKI, "title": "Nobody"}
    )

    assert state.status == 404
    assert events.text == "retry: 3000\n\nevent: end\ndata: {}\n\n"
    assert refused.status == 403
    problem = json.loads(refused.text)["error"]
    assert problem["reason"]["key"] == "refusal-page-unknown"
    assert problem["reason"]["values"] == [WIKI]
    assert WIKI in problem["message"]


async def test_a_sign_in_waits_and_then_hands_out_its_token(ask: Asker) -> None:
    ways = await ask("GET", f"/api/v1/ways?wiki={WIKI}")
    sign_in = await ask(
        "POST",
        "/api/v1/sign-ins",
        json={"wiki": WIKI, "way": "oauth", "secret_sha256": "0" * 64},
        headers={"User-Agent": PHONE},
    )
    finish = "/api/v1/sign-ins/state-of-a-sign-in/finish"
    waiting = await ask("POST", finish, json={"secret": "another-secret"})
    signed = await ask("POST", finish, json={"secret": OneSignIn.secret})

    assert json.loads(ways.text) == {"ways": ["oauth", "proof"]}
    assert sign_in.status == 201
    answer = json.loads(sign_in.text)
    assert (answer["browser"], answer["system"]) == ("Firefox", "Android")
    [other] = json.loads(signed.text)["others"]
    assert (other["browser"], other["system"]) == ("Firefox", "Linux")
    assert set(other) == {"begun_at", "browser", "system"}
    assert (waiting.status, waiting.text) == (202, '{"waiting":true}')
    assert json.loads(signed.text)["token"]
    assert signed.headers["Cache-Control"] == "no-store"


async def test_who_signs_out_is_nobody(ask: Asker, store: Store) -> None:
    act = ask.as_of(token=sign_in(store, "Leaver"))

    known = json.loads((await act("GET", "/api/v1/reader")).text)
    assert (known["user"], known["wiki"]) == ("Leaver", WIKI)
    assert [each["browser"] for each in known["attempts"]] == ["Firefox"]
    assert (await act("DELETE", "/api/v1/reader")).status == 204
    gone = await act("GET", "/api/v1/reader")
    assert (gone.status, (await act("GET", PAGE)).status) == (401, 200)
    assert gone.headers["WWW-Authenticate"].startswith("Bearer")


async def test_the_wiki_sends_people_back_to_a_page_of_its_own_headers(
    ask: Asker,
) -> None:
    stranger = ask.as_of(origin="https://auth.example")

    answer = await stranger("GET", "/oauth/callback?code=1&state=2")

    assert (answer.status, answer.headers["X-Of"]) == (200, "the page")
    assert "<h1>2 parts</h1>" in answer.text
    assert "Access-Control-Allow-Origin" not in answer.headers
    assert (await stranger("POST", "/oauth/callback")).status == 405
    assert (await stranger("GET", "/oauth/callback/")).status == 404


async def test_what_is_counted_stands_among_the_operators_metrics(
    ask: Asker, token: str
) -> None:
    await ask.as_of(token=token)("GET", PAGE)
    await ask("GET", "/api/v1/nothing/of-the-kind")

    metrics = (await ask.as_of(origin=None)("GET", "/metrics")).text

    route = 'route="/api/v1/suggestions"'
    assert (
        f'sidenote_api_requests_total{{method="GET",{route},status="200"}} 1.0'
        in metrics
    )
    assert 'method="GET",route="unknown",status="404"' in metrics
    assert f'sidenote_api_request_seconds_bucket{{le="0.005",{route}}}' in metrics
    assert "of-the-kind" not in metrics
    assert token not in metrics


async def test_large_answers_are_compressed(ask: Asker) -> None:
    answer = await ask("GET", "/api/v1/openapi.json")

    assert answer.headers["Content-Encoding"] in {"gzip", "deflate"}
    assert json.loads(answer.text)["openapi"] == "3.1.0"


async def test_limits_say_when_to_come_again(
    store: Store, tmp_path: Path, token: str
) -> None:
    rules = replace(
        RULES,
        reads=Rate(1, at_once=12),
        writes=Rate(1, at_once=3),
    )
    async with served(store, tmp_path, rules) as ask:
        act = ask.as_of(token=token)
        answers = [
            await act("POST", "/api/v1/decisions", _key(40 + n), json=_accept())
            for n in range(4)
        ]
        assert [one.status for one in answers] == [201, 201, 201, 429]
        assert int(answers[-1].headers["Retry-After"]) >= 1
        assert json.loads(answers[-1].text)["error"]["retry_in_s"] >= 1
        other = ask.as_of(token=sign_in(store, "Another"))
        assert (
            await other("POST", "/api/v1/decisions", _key(50), json=_accept())
        ).status == 201
        read = [await ask("GET", "/api/v1/health") for _ in range(9)]
        assert [one.status for one in read][-2:] == [429, 429]
        assert read[-1].headers["Access-Control-Allow-Origin"] == ORIGIN


async def test_a_session_that_ran_out_is_none(store: Store, tmp_path: Path) -> None:
    token = sign_in(store, "Short", hours=0.5)
    services = parts(store)
    late = replace(services.readers, now=NOON + timedelta(hours=1))  # type: ignore[type-var]
    async with served(store, tmp_path, services=replace(services, readers=late)) as ask:
        answer = await ask.as_of(token=token)("GET", "/api/v1/reader")
    assert answer.status == 401


_MOZILLA = "Mozilla/5.0"
_WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("user_agent", "device"),
    [
        (
            f"{_MOZILLA} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            Device(Browser.FIREFOX, System.LINUX),
        ),
        (
            f"{_MOZILLA} (Windows NT 10.0; Win64; x64) {_WEBKIT} Chrome/140.0.0.0"
            " Safari/537.36 Edg/140.0.0.0",
            Device(Browser.EDGE, System.WINDOWS),
        ),
        (
            f"{_MOZILLA} (Linux; Android 10; K) {_WEBKIT} Chrome/140.0.0.0 Mobile"
            " Safari/537.36",
            Device(Browser.CHROME, System.ANDROID),
        ),
        (
            f"{_MOZILLA} (iPhone; CPU iPhone OS 18_5 like Mac OS X)"
            " AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148"
            " Safari/604.1",
            Device(Browser.SAFARI, System.IOS),
        ),
        (
            f"{_MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) {_WEBKIT}"
            " Chrome/140.0.0.0 Safari/537.36 OPR/120.0.0.0",
            Device(Browser.OPERA, System.MACOS),
        ),
        ("curl/8.0", Device()),
        ("", Device()),
    ],
)
def test_a_browser_and_its_system(user_agent: str, device: Device) -> None:
    assert device_of(user_agent) == device


PLACE = "/api/v1/supplied-texts"
ASKED: dict[str, object] = {"wiki": WIKI, "title": TITLE, "source": "isbn:1"}


@pytest.mark.filterwarnings("ignore:Sending a large body:ResourceWarning")
async def test_what_a_reader_supplies_in_all_is_bounded(
    act: Asker, store: Store
) -> None:
    body = {**ASKED, "content": "It rang. " * 700_000}
    kept = await act("POST", PLACE, _key(1), json=body)
    refused = await act("POST", PLACE, _key(2), json=body)

    assert (kept.status, refused.status) == (202, 429)
    assert json.loads(refused.text)["error"]["reason"]["key"] == "refusal-texts-waiting"
    lease = store.tasks.lease([TaskKind.SUPPLIED], "worker", NOON)
    assert lease is not None
    store.supplied.answer(lease, (), NOON)


async def test_a_text_is_supplied_and_its_answer_fetched(
    act: Asker, ask: Asker, store: Store
) -> None:
    pdf = b"%PDF-1.4 " + bytes(range(256)) * 1_500
    content = base64.b64encode(pdf).decode()
    body = {**ASKED, "content": content, "encoding": "base64"}
    begun = await act("POST", PLACE, json=body)
    assert begun.status == 202
    answer = json.loads(begun.text)
    assert (answer["has_ended"], answer["results"]) == (False, [])
    lease = store.tasks.lease([TaskKind.SUPPLIED], "worker", NOON)
    assert (lease.task.body, lease.task.source_key) == (pdf, "isbn:1")

    quote = SuppliedQuote("rang", "It ", " twice", 3)
    found = (SuppliedResult("It rang.", Verdict.SUPPORTED, (quote,)),)
    store.supplied.answer(lease, found, NOON)

    where = f"{PLACE}/{answer['id']}?wiki={WIKI}"
    answered = json.loads((await act("GET", where)).text)
    assert answered["has_ended"]
    assert answered["results"] == [
        {
            "claim": "It rang.",
            "verdict": "supported",
            "quotes": [
                {"quote": "rang", "before": "It ", "after": " twice", "page": 3}
            ],
        }
    ]
    assert (await ask("GET", where)).status == 401
    other = ask.as_of(token=sign_in(store, "Another"))
    assert (await other("GET", where)).status == 404


@pytest.mark.parametrize(
    ("problem", "key", "english"),
    [
        (to_note(message("refusal-not-cited")), "refusal-not-cited", "cites"),
        ("w.example has no page", "refusal-check-failed", "w.example has no page"),
    ],
)
async def test_why_there_is_no_result_is_said_in_the_readers_language_too(
    act: Asker, store: Store, problem: str, key: str, english: str
) -> None:
    begun = json.loads((await act("POST", PLACE, json={**ASKED, "content": "A"})).text)
    lease = store.tasks.lease([TaskKind.SUPPLIED], "worker", NOON)
    assert lease is not None
    store.supplied.answer(lease, (), NOON, problem)

    answer = json.loads((await act("GET", f"{PLACE}/{begun['id']}?wiki={WIKI}")).text)

    assert answer["reason"]["key"] == key
    assert english in answer["problem"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (ASKED, 400),
        ({**ASKED, "content": ""}, 400),
        ({**ASKED, "content": "A", "encoding": "rot13"}, 400),
        ({**ASKED, "content": "A", "wiki": "other.example.org"}, 404),
    ],
)
async def test_what_makes_no_sense_is_refused(
    act: Asker, body: dict[str, object], status: int
) -> None:
    assert (await act("POST", PLACE, json=body)).status == status


async def test_strangers_may_not_send_so_much(ask: Asker) -> None:
    body = {**ASKED, "content": "x" * 20_000}

    refused = await ask("POST", PLACE, {"Origin": ORIGIN}, json=body)

    assert refused.status == 413
