import json
from datetime import UTC, date, datetime

import pytest

from bot.sources.copies import (
    availability_url,
    read_availability,
    read_snapshot,
    wanted_date,
)
from bot.sources.settings import Services
from handlers.model import Source, SourceForm

HOSTS = Services().wayback_hosts


@pytest.mark.parametrize(
    ("written", "raw"),
    [
        (
            "https://web.archive.org/web/20200102030405/http://a.org/b?c=1#d",
            "https://web.archive.org/web/20200102030405id_/http://a.org/b?c=1#d",
        ),
        (
            "http://web.archive.org/web/20200102030405id_/a.org",
            "https://web.archive.org/web/20200102030405id_/a.org",
        ),
        (
            "https://web.archive.org/web/20200102030405if_/https://a.org/",
            "https://web.archive.org/web/20200102030405id_/https://a.org/",
        ),
        (
            "https://Web.Archive.org/2020/http://a.org/",
            "https://Web.Archive.org/web/2020id_/http://a.org/",
        ),
        (
            "https://archive.org/web/20200102/http://a.org/",
            "https://archive.org/web/20200102id_/http://a.org/",
        ),
    ],
)
def test_a_snapshot_is_asked_for_in_its_raw_form(written: str, raw: str) -> None:
    snapshot = read_snapshot(written, HOSTS)

    assert snapshot.raw_url == raw


@pytest.mark.parametrize(
    "written",
    [
        "https://web.archive.org/web/*/http://a.org/",
        "https://web.archive.org/web/20200102030405*/http://a.org/",
        "https://web.archive.org/web/20200102030405/",
        "https://web.archive.org/",
        "https://archive.org/details/somebook",
        "https://archive.today/20200102030405/http://a.org/",
        "https://web.archive.org.example/web/20200102030405/http://a.org/",
        "ftp://web.archive.org/web/20200102030405/http://a.org/",
        "",
    ],
)
def test_what_is_no_snapshot_is_not_taken_for_one(written: str) -> None:
    assert read_snapshot(written, HOSTS) is None


@pytest.mark.parametrize(
    ("digits", "moment"),
    [
        ("20200102030405", datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("20201399999999", None),
        ("2020", None),
    ],
)
def test_the_time_of_capture_is_read_where_it_is_exact(
    digits: str, moment: datetime | None
) -> None:
    snapshot = read_snapshot(
        f"https://web.archive.org/web/{digits}/http://a.org/", HOSTS
    )

    assert snapshot.captured_at == moment


def test_the_service_is_asked_for_the_day_of_access() -> None:
    url = availability_url(
        "https://s.example/x", "http://a.org/?b=1&c", date(2020, 1, 2)
    )

    assert url == (
        "https://s.example/x?url=http%3A%2F%2Fa.org%2F%3Fb%3D1%26c&timestamp=20200102"
    )


CLOSEST = {
    "status": "200",
    "available": True,
    "url": "http://web.archive.org/web/20200102030405/http://a.org/",
    "timestamp": "20200102030405",
}


def availability(**changes: object) -> bytes:
    closest = {**CLOSEST, **changes}
    return json.dumps({"archived_snapshots": {"closest": closest}}).encode()


def test_the_nearest_snapshot_is_read_from_the_answer() -> None:
    snapshot = read_availability(availability(), HOSTS)

    assert snapshot.captured_at == datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    "body",
    [
        b'{"archived_snapshots": {}}',
        b"{}",
        b"[]",
        b"null",
        b"not json",
        b"\xff\xfe",
        b"[" * 60_000,
        b'{"archived_snapshots": {"closest": []}}',
        availability(status="404"),
        availability(status="503"),
        availability(available=False),
        availability(url=5),
        availability(url="http://127.0.0.1/web/20200102030405/http://a.org/"),
        availability(url="http://evil.example/web/20200102030405/http://a.org/"),
    ],
)
def test_an_answer_without_a_usable_snapshot_names_none(body: bytes) -> None:
    assert read_availability(body, HOSTS) is None


@pytest.mark.parametrize(
    ("published", "wanted"),
    [
        ("2020-03-04", date(2020, 3, 4)),
        ("4 March 2020", date(2020, 3, 4)),
        ("March  4, 2020", date(2020, 3, 4)),
        ("Mar 4, 2020", date(2020, 3, 4)),
        ("February 2020", date(2020, 2, 29)),
        ("2020-02", date(2020, 2, 29)),
        ("2020", date(2020, 12, 31)),
        ("Spring 2020", None),
        ("0000-00-00", None),
        ("2020" * 100, None),
        (None, None),
    ],
)
def test_without_an_access_date_the_end_of_the_time_of_publication_counts(
    published: str | None, wanted: date | None
) -> None:
    source = Source(SourceForm.TEMPLATE, "", published=published)

    assert wanted_date(source) == wanted


def test_the_access_date_comes_first() -> None:
    source = Source(
        SourceForm.TEMPLATE, "", published="2019", access_date=date(2020, 5, 6)
    )

    assert wanted_date(source) == date(2020, 5, 6)
