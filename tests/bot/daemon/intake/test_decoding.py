import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.daemon.intake.change_events import Decoder
from bot.records.changes import (
    Change,
    ChangeKind,
    DeadLetter,
    DeadReason,
    UserKind,
)
from tests.bot.daemon.intake.world import edit
from tests.shared_data import shared_data

_PAGE_CHANGE: dict[str, Any] = {
    "$schema": "/mediawiki/page/change/1.2.0",
    "meta": {
        "id": "a-b",
        "dt": "2023-07-29T12:00:01.250Z",
        "domain": "en.wikipedia.org",
        "stream": "mediawiki.page_change.v1",
        "topic": "eqiad.mediawiki.page_change.v1",
        "partition": 0,
        "offset": 12,
    },
    "changelog_kind": "update",
    "page_change_kind": "edit",
    "dt": "2023-07-29T12:00:00Z",
    "wiki_id": "enwiki",
    "page": {
        "page_id": 7,
        "page_title": "Clock_of_Exampletown",
        "namespace_id": 0,
        "is_redirect": False,
    },
    "performer": {
        "user_text": "Ada Penrose",
        "user_id": 9,
        "is_bot": False,
        "is_system": False,
        "is_temp": False,
        "groups": ["*", "user"],
    },
    "revision": {
        "rev_id": 20,
        "rev_parent_id": 10,
        "rev_dt": "2023-07-29T12:00:00Z",
        "rev_size": 130,
        "is_minor_edit": True,
        "comment": "repaired",
    },
    "prior_state": {"revision": {"rev_id": 10, "rev_size": 100}},
    "comment": "repaired",
}


def _decoded(event: object) -> Change | DeadLetter | None:
    text = event if isinstance(event, str) else json.dumps(event)
    return Decoder(["SidenoteBot"]).decode(text)


def _change(event: object) -> Change:
    change = _decoded(event)
    assert isinstance(change, Change), change
    return change


def _letter(event: object) -> DeadLetter:
    letter = _decoded(event)
    assert isinstance(letter, DeadLetter), letter
    return letter


def _page_change(kind: str, **fields: Any) -> dict[str, Any]:
    return {**_PAGE_CHANGE, "page_change_kind": kind, **fields}


def test_an_event_without_an_id_is_known_by_its_place_in_the_feed() -> None:
    place = {"id": None, "topic": "eqiad.mediawiki.recentchange", "offset": 5}

    assert _change(edit(1, meta=place)).event_id == "eqiad.mediawiki.recentchange/0/5"


def test_an_edit_in_recent_changes_is_read() -> None:
    place = {"topic": "eqiad.mediawiki.recentchange", "partition": 0, "offset": 5}

    change = _change(edit(1, meta=place))

    assert change == Change(
        kind=ChangeKind.EDIT,
        wiki="en.wikipedia.org",
        title="Clock 1",
        namespace=0,
        changed_at=datetime(2023, 7, 29, 12, tzinfo=UTC),
        user=UserKind.REGISTERED,
        event_id="event-1",
        revision_id=10_001,
        parent_id=1,
        comment="repaired",
    )


def test_an_edit_among_page_changes_is_read() -> None:
    change = _change(_PAGE_CHANGE)

    assert change == Change(
        kind=ChangeKind.EDIT,
        wiki="en.wikipedia.org",
        title="Clock of Exampletown",
        namespace=0,
        changed_at=datetime(2023, 7, 29, 12, tzinfo=UTC),
        user=UserKind.REGISTERED,
        event_id="a-b",
        page_id=7,
        revision_id=20,
        parent_id=10,
        is_minor=True,
        comment="repaired",
    )


def test_a_new_page_has_no_revision_before_it() -> None:
    new = edit(
        1, type="new", length={"old": None, "new": 50}, revision={"old": None, "new": 3}
    )

    change = _change(new)

    assert change.kind is ChangeKind.NEW
    assert change.revision_id == 3


def test_a_move_has_the_old_title_and_where_it_went() -> None:
    prior = {"page": {"page_title": "Old_clock", "namespace_id": 2}}

    by_page = _change(_page_change("move", prior_state=prior))
    by_log = _change(
        edit(
            1,
            type="log",
            title="Old clock",
            namespace=2,
            log_type="move",
            log_action="move_redir",
            log_params={"target": "Clock_of_Exampletown"},
        )
    )

    for change in (by_page, by_log):
        assert change.kind is ChangeKind.MOVE
        assert (change.title, change.namespace) == ("Old clock", 2)
        assert change.moved_to == "Clock of Exampletown"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("delete", ChangeKind.DELETE),
        ("undelete", ChangeKind.RESTORE),
        ("visibility_change", ChangeKind.VISIBILITY),
        ("something new", ChangeKind.OTHER),
    ],
)
def test_each_kind_of_page_change_is_known(kind: str, expected: ChangeKind) -> None:
    assert _change(_page_change(kind)).kind is expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"user": "Ada Penrose"}, UserKind.REGISTERED),
        ({"user": "192.0.2.7"}, UserKind.ADDRESS),
        ({"user": "2001:DB8::7"}, UserKind.ADDRESS),
        ({"user": "~2026-12345-67"}, UserKind.TEMPORARY),
        ({"user": "Some bot", "bot": True}, UserKind.BOT),
        ({"user": "SidenoteBot", "bot": True}, UserKind.OURS),
        ({"user": None}, UserKind.HIDDEN),
    ],
)
def test_a_user_is_only_of_a_kind(fields: dict[str, Any], expected: UserKind) -> None:
    change = _change(edit(1, **fields))

    assert change.user is expected
    assert "Ada" not in repr(change)


def test_a_redacted_event_names_no_user() -> None:
    event = edit(1)
    del event["user"]
    page_change = {
        name: value for name, value in _PAGE_CHANGE.items() if name != "performer"
    }

    assert _change(event).user is UserKind.HIDDEN
    assert _change(page_change).user is UserKind.HIDDEN


def test_a_canary_is_no_change() -> None:
    assert _decoded(edit(1, meta={"domain": "canary"})) is None
    assert (
        _decoded(
            _page_change(
                "edit", meta={"dt": "2023-07-29T12:00:00Z", "domain": "canary"}
            )
        )
        is None
    )


def test_a_log_that_hides_its_page_is_no_change() -> None:
    assert _decoded(edit(1, type="log", title="")) is None


def test_an_event_without_an_id_is_known_by_its_place() -> None:
    event = edit(1, meta={"topic": "t", "partition": 3, "offset": 9})
    del event["meta"]["id"]

    assert _change(event).event_id == "t/3/9"


def test_the_shape_of_2018_is_still_read() -> None:
    event = edit(1, meta={"schema_uri": "mediawiki/recentchange/1"})
    del event["$schema"]

    assert _change(event).title == "Clock 1"


@pytest.mark.parametrize(
    ("event", "reason", "detail"),
    [
        ("", DeadReason.BAD_JSON, "EOF"),
        ("{", DeadReason.BAD_JSON, "EOF"),
        ('{"a": NaN}', DeadReason.BAD_JSON, ""),
        ("[" * 100_000, DeadReason.BAD_JSON, "recursion"),
        ('{"title": "\\ud800"}', DeadReason.BAD_JSON, ""),
        ("[]", DeadReason.BAD_SHAPE, ""),
        ("null", DeadReason.BAD_SHAPE, ""),
        ("{}", DeadReason.BAD_SHAPE, "meta"),
        (edit(1, title=5), DeadReason.BAD_SHAPE, "title"),
        (edit(1, title="A\ufffdB"), DeadReason.BAD_SHAPE, "title"),
        (edit(1, title="A\nB"), DeadReason.BAD_SHAPE, "title"),
        (edit(1, title="A" * 601), DeadReason.BAD_SHAPE, "title"),
        (edit(1, title=""), DeadReason.BAD_SHAPE, "title"),
        (edit(1, namespace="0"), DeadReason.BAD_SHAPE, "namespace"),
        (edit(1, namespace=None), DeadReason.BAD_SHAPE, "namespace"),
        (edit(1, revision=None), DeadReason.BAD_SHAPE, "revision.new"),
        (edit(1, revision={"old": 1, "new": -1}), DeadReason.BAD_SHAPE, "revision.new"),
        (edit(1, revision={"old": 1, "new": 2**70}), DeadReason.BAD_SHAPE, "revision.new"),
        (edit(1, bot="yes"), DeadReason.BAD_SHAPE, "bot"),
        (edit(1, timestamp=10**30), DeadReason.BAD_SHAPE, "timestamp"),
        (edit(1, meta={"dt": "yesterday"}), DeadReason.BAD_SHAPE, "meta.dt"),
        (edit(1, meta={"dt": "2023-07-29T12:00:00"}), DeadReason.BAD_SHAPE, "meta.dt"),
        (edit(1, meta={"dt": "0001-01-01T00:00:00+23:00"}), DeadReason.BAD_SHAPE, "meta.dt"),
        (edit(1, meta={"id": None}), DeadReason.BAD_SHAPE, "meta.id"),
        (edit(1, meta={"domain": None}, server_name=None), DeadReason.BAD_SHAPE, "meta.domain"),
        ({**edit(1), "$schema": "/mediawiki/recentchange/2.0.0"}, DeadReason.UNKNOWN_SCHEMA, "2.0.0"),
        ({**edit(1), "$schema": None}, DeadReason.UNKNOWN_SCHEMA, "none"),
    ],
)  # fmt: skip
def test_what_is_not_an_event_becomes_a_dead_letter(
    event: object, reason: DeadReason, detail: str
) -> None:
    letter = _letter(event)

    assert letter.reason is reason
    assert detail in letter.detail
    assert len(letter.detail) <= 300
    assert len(letter.raw) <= 2_000


def test_a_dead_letter_keeps_the_beginning_without_names_of_users() -> None:
    event = edit(1, title=5, user='Ada "Clock" Penrose', parsedcomment="x" * 9_000)

    letter = _letter(event)

    assert letter.size_bytes > 9_000
    assert b'"title": 5' in letter.raw
    assert b"Ada" not in letter.raw
    assert b"Clock" not in letter.raw.partition(b'"user"')[2]


@settings(deadline=None)
@given(st.text(max_size=50))
def test_no_text_breaks_it(text: str) -> None:
    assert isinstance(_decoded(text), DeadLetter)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2)
    | st.dictionaries(st.sampled_from(["id", "dt", "old", "new", "target"]), inner, max_size=2),
    max_leaves=4,
)  # fmt: skip


@settings(deadline=None)
@given(st.sampled_from(sorted(edit(1))), _JSON)
def test_no_value_of_any_field_breaks_it(name: str, value: object) -> None:
    _decoded({**edit(1, type="log", log_type="move", log_action="move"), name: value})


@settings(deadline=None)
@given(st.sampled_from(sorted(_PAGE_CHANGE)), _JSON)
def test_no_value_of_any_field_of_a_page_change_breaks_it(
    name: str, value: object
) -> None:
    _decoded({**_PAGE_CHANGE, name: value})


# --- recorded events ------------------------------------------------------------


def _recorded(name: str) -> Iterator[str]:
    path = shared_data("recentchange") / name
    raw = (
        gzip.decompress(path.read_bytes()) if name.endswith("gz") else path.read_bytes()
    )
    yield from raw.decode().splitlines()


@pytest.mark.shared_data
def test_every_recorded_event_of_2023_is_read_as_it_stands() -> None:
    lines = list(_recorded("enwiki_2023-07-29.ndjson"))
    assert len(lines) == 100

    for line in lines:
        event, change = json.loads(line), _change(line)
        assert change.kind is ChangeKind.EDIT
        assert change.wiki == "en.wikipedia.org"
        assert change.title == event["title"]
        assert change.revision_id == event["revision"]["new"]
        assert change.event_id == event["meta"]["id"]
        assert change.comment == event["comment"]
        values = [getattr(change, name) for name in Change.__slots__]
        assert event["user"] not in values


@pytest.mark.shared_data
def test_every_recorded_event_of_2018_is_read() -> None:
    kinds: dict[str, int] = {}
    for line in _recorded("wikidata_2018.ndjson.gz"):
        change = _change(line)
        assert change.wiki == "www.wikidata.org"
        kinds[change.kind.name] = kinds.get(change.kind.name, 0) + 1

    assert kinds.pop("EDIT") == 5_596
    assert kinds.pop("NEW") == 72
    assert sum(kinds.values()) == 29


@pytest.mark.shared_data
def test_no_json_that_tests_parsers_breaks_it() -> None:
    folder = shared_data("security_corpora/jsontestsuite")
    count = 0
    for path in sorted(folder.rglob("*.json")):
        _decoded(path.read_bytes().decode("utf-8", "replace"))
        count += 1
    assert count > 100
