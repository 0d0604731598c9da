"""Lists of wikis that fail, lie, or never come to an end."""

from collections.abc import Mapping
from itertools import count
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from bot.records.changes import Change, ChangeKind, UserKind
from bot.wiki.api import in_parts, title_form
from bot.wiki.changes import change_of, user_kind
from bot.wiki.lists import WikiLists
from handlers.ports import PermanentError, TemporaryError
from tests.bot.wiki.listing_wiki import ListingWiki, Says, at, entry, listing

_WIKI = "wiki.example"


def _lists(wiki: ListingWiki, **given_: Any) -> WikiLists:
    return WikiLists(wiki.host, user_agent="Tests", timeout_s=20, **given_)


def _always(body: object, status: int = 200, **headers: str) -> Says:
    def say(_: Mapping[str, str]) -> web.Response:
        if isinstance(body, str):
            return web.Response(text=body, status=status, headers=headers)
        return web.json_response(body, status=status, headers=headers)

    return say


async def _changes(lists: WikiLists) -> list[Change]:
    return [one async for one in lists.changes(at(-9), at(9999))]


async def test_changes_are_read_to_the_last_part() -> None:
    async with listing(entries=[entry(number) for number in range(40)]) as wiki:
        changes = await _changes(_lists(wiki))

    assert [one.title for one in changes] == [f"Clock {number}" for number in range(40)]
    assert len(wiki.asked) == 6
    assert set(wiki.methods) == {"GET"}


@pytest.mark.parametrize(
    "places", [["same"], ["one", "two"]], ids=["one place", "two places"]
)
async def test_a_wiki_that_goes_on_in_a_circle_is_left(places: list[str]) -> None:
    numbers = count()

    def say(_: Mapping[str, str]) -> web.Response:
        place = {"eicontinue": places[next(numbers) % len(places)]}
        return web.json_response({"query": {"embeddedin": []}, "continue": place})

    async with listing(says=say) as wiki:
        with pytest.raises(PermanentError, match="in a circle"):
            await _lists(wiki).transclusions_of("User:Bot/watch")

    assert len(wiki.asked) <= 3


async def test_a_list_that_does_not_end_is_left_after_a_stated_number_of_parts() -> (
    None
):
    numbers = count()

    def say(_: Mapping[str, str]) -> web.Response:
        number = next(numbers)
        place = {"eicontinue": str(number), "continue": "-||"}
        pages = [{"ns": 2, "title": f"User:{number}"}]
        return web.json_response({"query": {"embeddedin": pages}, "continue": place})

    async with listing(says=say) as wiki:
        with pytest.raises(PermanentError, match="does not end within 200 parts"):
            await _lists(wiki).transclusions_of("User:Bot/watch")


async def test_a_list_is_read_no_further_than_was_asked_for() -> None:
    def say(query: Mapping[str, str]) -> web.Response:
        begin = int(query.get("cmcontinue", "0"))
        pages = [{"ns": 0, "title": f"P{number}"} for number in range(begin, begin + 3)]
        place = {"cmcontinue": str(begin + 3)}
        return web.json_response(
            {"query": {"categorymembers": pages}, "continue": place}
        )

    async with listing(says=say) as wiki:
        found = await _lists(wiki).members_of("Category:X", most=5)

    assert found == ("P0", "P1", "P2", "P3", "P4")
    assert len(wiki.asked) == 2


async def test_facts_come_together_from_the_parts_of_an_answer() -> None:
    def say(query: Mapping[str, str]) -> web.Response:
        page = {"pageid": 5, "ns": 0, "title": "X", "lastrevid": 9}
        if "clcontinue" not in query:
            part = page | {"categories": [{"ns": 14, "title": "Category:A"}]}
            return web.json_response(
                {"query": {"pages": [part]}, "continue": {"clcontinue": "5|B"}}
            )
        more = {
            "categories": [{"ns": 14, "title": "Category:B: C"}],
            "templates": [{"ns": 10, "title": "Template:T"}],
        }
        return web.json_response({"query": {"pages": [page | more]}})

    async with listing(says=say) as wiki:
        facts = await _lists(wiki).facts_of(["X"])

    assert facts["X"].categories == {"A", "B: C"}
    assert facts["X"].templates == {"T"}


@pytest.mark.parametrize(
    "body",
    [
        "<html>Hotel wifi",
        "",
        [],
        {"query": {"recentchanges": "none"}},
        {"query": {}, "continue": {"retry_on_error": "1"}},
        {"query": {}, "continue": {"rccontinue": "x" * 4_000}},
        {"query": {}, "continue": {f"{'a' * n}continue": "x" for n in range(30)}},
    ],
    ids=["HTML", "nothing", "a list", "no list", "a parameter", "long", "many"],
)
async def test_what_no_wiki_says_is_reported(body: object) -> None:
    async with listing(says=_always(body)) as wiki:
        with pytest.raises(PermanentError, match="did not answer as a MediaWiki API"):
            await _changes(_lists(wiki))


@pytest.mark.parametrize(
    ("says", "retry_in_s"),
    [
        (_always({"error": {"code": "maxlag", "info": "x", "lag": 7.5}}), 7.5),
        (_always("", 429, **{"Retry-After": "120"}), 120),
        (_always('{"query": {"recentchanges": [{"ti'), 5),
    ],
    ids=["maxlag", "429", "half an answer"],
)
async def test_a_wiki_that_is_away_half_way_is_reported_after_what_it_gave(
    says: Says, retry_in_s: float
) -> None:
    async with listing(
        entries=[entry(number) for number in range(40)],
        says=lambda query: says(query) if "rccontinue" in query else None,
    ) as wiki:
        changes = _lists(wiki).changes(at(-9), at(9999))
        seen = [(await anext(changes)).title for _ in range(7)]
        with pytest.raises(TemporaryError) as caught:
            await anext(changes)

    assert caught.value.retry_in_s == retry_in_s
    assert seen == [f"Clock {number}" for number in range(7)]


async def test_an_entry_that_cannot_be_read_spoils_no_other() -> None:
    entries = [
        entry(0),
        entry(1, title="a\x00b"),
        entry(2, rcid=3, ns="no number"),
        entry(3),
    ]
    async with listing(entries=entries) as wiki:
        with capture_logs() as logs:
            changes = await _changes(_lists(wiki))

    assert [one.title for one in changes] == ["Clock 0", "Clock 3"]
    assert [line["event"] for line in logs] == ["a change cannot be read"] * 2


async def test_a_wiki_without_a_list_of_refused_addresses_refuses_none() -> None:
    error = {"error": {"code": "badvalue", "info": "Unrecognized value: action"}}
    async with listing(says=_always(error)) as wiki:
        assert not await _lists(wiki).refused_addresses(["https://x.example"])


async def test_an_address_that_is_too_long_to_ask_for_counts_as_refused() -> None:
    long = "https://x.example/" + "a" * 3_000
    async with listing(says=_always({"spamblacklist": {"result": "ok"}})) as wiki:
        refused = await _lists(wiki).refused_addresses([long, "https://x.example"])

    assert refused == {long}
    assert len(wiki.asked) == 1


@pytest.mark.parametrize("body", [{}, {"spamblacklist": {"result": "perhaps"}}])
async def test_an_unclear_word_about_addresses_is_not_taken_for_yes(
    body: object,
) -> None:
    async with listing(says=_always(body)) as wiki:
        with pytest.raises(PermanentError):
            await _lists(wiki).refused_addresses(["https://x.example"])


async def test_the_token_of_the_watchlist_stands_in_no_address() -> None:
    with_titles = {"watchlistraw": [{"ns": 0, "title": "X"}]}
    async with listing(says=_always(with_titles)) as wiki:
        lists = _lists(wiki, account="Bot", watchlist_token="secret")  # noqa: S106 - none
        assert await lists.watchlist() == ("X",)

    assert wiki.methods == ["POST"]


async def test_without_a_token_nothing_is_asked() -> None:
    async with listing() as wiki:
        with pytest.raises(PermanentError, match="bot_watchlist_token"):
            await _lists(wiki, account="Bot").watchlist()

    assert wiki.asked == []


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"type": "log", "logtype": "delete", "logaction": "delete"}, "DELETE"),
        ({"type": "log", "logtype": "delete", "logaction": "restore"}, "RESTORE"),
        ({"type": "log", "logtype": "upload", "logaction": "upload"}, "OTHER"),
        ({"type": "new"}, "NEW"),
        ({"type": "external"}, "OTHER"),
    ],
)
def test_past_changes_have_the_form_of_the_feed(
    fields: dict[str, str], expected: str
) -> None:
    change = change_of(entry(1, **fields), _WIKI, ())

    assert isinstance(change, Change)
    assert change.kind is ChangeKind[expected]


def test_an_entry_that_hides_its_page_is_passed_over() -> None:
    hidden = {"type": "log", "rcid": 5, "timestamp": "2026-11-01T12:00:00Z"}

    assert change_of(hidden, _WIKI, ()) is None


@pytest.mark.parametrize("params", [{}, [], {"target_title": ""}, None])
def test_a_move_to_nowhere_is_no_entry(params: object) -> None:
    move = entry(1, type="log", logtype="move", logaction="move", logparams=params)

    assert isinstance(change_of(move, _WIKI, ()), ValueError)


@pytest.mark.parametrize(
    ("name", "is_bot", "kind"),
    [
        ("Ada", False, UserKind.REGISTERED),
        ("Ada", True, UserKind.BOT),
        ("Ours", True, UserKind.OURS),
        (None, False, UserKind.HIDDEN),
        ("~2026-12-3", False, UserKind.TEMPORARY),
        ("2001:db8::1", False, UserKind.ADDRESS),
    ],
)
def test_only_the_kind_of_a_user_is_kept(
    name: str | None,
    is_bot: bool,
    kind: UserKind,
) -> None:
    assert user_kind(name, is_bot=is_bot, our_names=("Ours",)) is kind
    change = change_of(entry(1, user=name, bot=is_bot), _WIKI, ("Ours",))
    assert isinstance(change, Change)
    assert change.user is kind
    assert "Ada" not in repr(change)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(sorted(entry(1))), inner, max_size=9)
    ),
    max_leaves=12,
)


@given(_JSON, st.dictionaries(st.sampled_from(sorted(entry(1))), _JSON, max_size=3))
def test_whatever_an_entry_is_reading_it_raises_nothing(
    whole: object, fields: dict[str, Any]
) -> None:
    for read in (whole, entry(1, **fields)):
        found = change_of(read, _WIKI, ())
        assert found is None or isinstance(found, Change | ValueError)


@given(st.lists(st.text(max_size=300), max_size=120))
def test_parts_hold_every_value_once_and_fit_a_request(values: list[str]) -> None:
    askable = [form for value in values if (form := title_form(value)) is not None]

    parts = list(in_parts(askable))

    assert [value for part in parts for value in part] == list(dict.fromkeys(askable))
    assert all(0 < len(part) <= 50 for part in parts)
    assert not any("|" in value or "\x1f" in value for value in askable)


def test_no_more_are_named_at_once_than_a_wiki_takes() -> None:
    titles = [f"P{number}" for number in range(120)]

    assert [len(part) for part in in_parts(titles)] == [50, 50, 20]
