"""When a report says that a page has changed since it was cited."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from handlers.citations.drift import DriftPolicy, find_drift
from handlers.model import (
    ClaimCheck,
    Drift,
    Origin,
    Passage,
    Source,
    SourceFetch,
    SourceForm,
    SourceOutcome,
    SourceText,
    Span,
    Verdict,
)
from tests.builders import citation, claim, page, source, unread
from tests.handlers.citations.better_world import (
    FakeArchive,
    opinion,
    text,
    tools,
    web,
)

URL = "https://cited.example/page"
RAW = f"{{{{cite web |url={URL} |title=The page |access-date=1 May 2020}}}}"
CITED = source(url=URL, raw=RAW, access_date=date(2020, 5, 1))
CAPTURE = f"https://web.archive.org/web/20200510030405id_/{URL}"
ARCHIVED = f"https://web.archive.org/web/20200510030405/{URL}"


def captured(
    words: str, day: date = date(2020, 5, 10), url: str = CAPTURE
) -> SourceFetch:
    """A capture of that day that says `words`."""
    return text(
        words,
        url,
        origin=Origin.ARCHIVE,
        read_at=datetime(day.year, day.month, day.day, tzinfo=UTC),
    )


def failing(
    verdict: Verdict | None = Verdict.NOT_SUPPORTED,
    cited: Source = CITED,
    **changes: object,
) -> ClaimCheck:
    """A claim that today's page does not support."""
    today = replace(text("silent:0.7 today", URL), source=cited)
    passage = Passage(cited.key, "silent:0.7", Span(0, 10))
    found = opinion(verdict, 0.7, passage) if verdict else None
    default = ClaimCheck(claim(citations=(citation(cited),)), (today,), verdict, found)
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


async def drift_of(
    check: ClaimCheck, capture: SourceFetch | None, max_days: int = 180
) -> Drift | None:
    given = tools(web(), archive=FakeArchive(capture))
    [done] = await find_drift(page(), [check], given, DriftPolicy(max_days=max_days))
    assert replace(done, drift=None) == check, "all else stays as it was"
    return done.drift


async def test_a_page_that_said_it_when_it_was_cited_has_drifted() -> None:
    found = await drift_of(failing(), captured("supports:0.9 it was so"))

    assert found.evidence.quote == "supports:0.9 it was so"
    assert found.probability == pytest.approx(0.9)
    assert found.present == pytest.approx(0.1)
    assert found.cited_on == date(2020, 5, 1)
    assert found.archive_url == ARCHIVED
    assert found.template.replace(" |", "|").replace(" }}", "}}") == (
        f"{{{{cite web|url={URL}|title=The page|access-date=1 May 2020"
        f"|archive-url={ARCHIVED}|archive-date=2020-05-10|url-status=deviated}}}}"
    )


async def test_the_archive_is_asked_for_the_access_date() -> None:
    archive = FakeArchive(None)

    await find_drift(page(), [failing()], tools(web(), archive=archive), DriftPolicy())

    assert archive.requests == [(CITED, date(2020, 5, 1))]


@pytest.mark.parametrize(
    "verdict",
    [Verdict.NOT_SUPPORTED, Verdict.CONTRADICTED, Verdict.PARTIALLY_SUPPORTED],
)
async def test_every_failing_verdict_is_searched_for_changes(verdict: Verdict) -> None:
    assert await drift_of(failing(verdict), captured("supports:0.95 it"))


@pytest.mark.parametrize(
    "check",
    [
        failing(Verdict.SUPPORTED),
        failing(None),
        failing(fetches=(unread(SourceOutcome.GONE, of=CITED),)),
        failing(fetches=(replace(captured("silent:0.7 x"), source=CITED),)),
        failing(fetches=(text("silent:0.7", URL, source=CITED, origin=Origin.DISK),)),
        failing(cited=replace(CITED, access_date=None)),
    ],
    ids=[
        "supported",
        "unchecked",
        "gone",
        "archive was read",
        "disk",
        "no access date",
    ],
)
async def test_only_a_live_page_that_was_read_and_fails_is_investigated(
    check: ClaimCheck,
) -> None:
    archive = FakeArchive(captured("supports:0.9 it"))

    [done] = await find_drift(
        page(), [check], tools(web(), archive=archive), DriftPolicy()
    )

    assert done == check
    assert archive.requests == []


@pytest.mark.parametrize("words", ["silent:0.9 it", "half:0.9 it", "denies:0.9 it",
                                   "supports:0.28 it"])  # fmt: skip
async def test_a_copy_that_does_not_clearly_support_the_claim_says_nothing(
    words: str,
) -> None:
    assert await drift_of(failing(), captured(words)) is None


async def test_without_a_copy_nothing_is_said() -> None:
    assert await drift_of(failing(), None) is None


async def test_without_an_archive_nothing_is_said() -> None:
    [done] = await find_drift(page(), [failing()], tools(web()), DriftPolicy())

    assert done == failing()


@pytest.mark.parametrize(
    ("day", "is_told"),
    [
        (date(2020, 5, 31), True),
        (date(2020, 4, 1), True),
        (date(2020, 6, 1), False),
        (date(2020, 3, 31), False),
    ],
)
async def test_a_capture_far_from_the_access_date_says_nothing(
    day: date, is_told: bool
) -> None:
    found = await drift_of(failing(), captured("supports:0.9 it", day), max_days=30)

    assert (found is not None) is is_told


async def test_a_capture_of_an_unknown_day_says_nothing() -> None:
    undated = replace(captured("supports:0.9 it"), read_at=None)

    assert await drift_of(failing(), undated) is None


async def test_the_same_text_has_not_drifted() -> None:
    today = text("supports:0.9 it", URL, source=CITED)

    found = await drift_of(failing(fetches=(today,)), captured("supports:0.9 it"))

    assert found is None


OWN = "http://www.web.archive.org/web/20230101000000/https://cited.example/page"


async def test_the_citations_own_copy_may_be_of_any_day() -> None:
    raw = f"{{{{cite web|url={URL}|title=T|archiveurl={OWN}|archivedate=2023-01-01|dead-url=no}}}}"
    cited = replace(CITED, raw=raw, archive_url=OWN, access_date=None,
                    archive_date=date(2023, 1, 1))  # fmt: skip
    capture = captured(
        "supports:0.9 it",
        date(2023, 1, 1),
        OWN.replace("http://www.", "https://").replace("0000/", "0000id_/"),
    )

    found = await drift_of(failing(cited=cited), capture, max_days=1)

    assert found.archive_url == OWN
    assert found.cited_on is None
    assert found.template == (
        f"{{{{cite web|url={URL}|title=T|archiveurl={OWN}|archivedate=2023-01-01"
        "|url-status=deviated}}"
    )


async def test_a_newer_capture_takes_the_place_of_one_that_is_lost() -> None:
    raw = f"{{{{cite web|url={URL}|archiveurl={OWN}|archivedate=2023-01-01|url-status=live}}}}"
    cited = replace(CITED, raw=raw, archive_url=OWN)

    found = await drift_of(failing(cited=cited), captured("supports:0.9 it"))

    assert found.template == (
        f"{{{{cite web|url={URL}|url-status=deviated|archive-url={ARCHIVED}"
        "|archive-date=2020-05-10}}"
    )


async def test_a_bare_address_becomes_a_template() -> None:
    cited = Source(SourceForm.URL, raw=URL, url=URL, access_date=date(2020, 5, 1))

    found = await drift_of(failing(cited=cited), captured("supports:0.9 it"))

    assert found.template == (
        f"{{{{cite web |url={URL} |archive-url={ARCHIVED} |title=A page"
        " |archive-date=2020-05-10 |url-status=deviated}}"
    )


@pytest.mark.parametrize(
    ("template", "raw"),
    [
        ("literatur", f"{{{{Literatur |Online={URL} |Titel=T}}}}"),
        ("cite web", f"{{{{cite web |url={URL} |title=[[a}}}}"),  # left open
    ],
)
async def test_a_template_that_we_cannot_fill_gets_the_link_alone(
    template: str, raw: str
) -> None:
    cited = replace(CITED, template=template, raw=raw)

    found = await drift_of(failing(cited=cited), captured("supports:0.9 it"))

    assert found.template is None
    assert found.archive_url == ARCHIVED


@pytest.mark.parametrize(
    ("template", "raw", "copy"),
    [
        (
            "internetquelle",
            f"{{{{Internetquelle |url={URL} |titel=T}}}}",
            f" |archiv-url={ARCHIVED} |archiv-datum=2020-05-10 |offline=1}}}}",
        ),
        (
            "lien web",
            f"{{{{Lien web |url={URL} |titre=T}}}}",
            f" |archive-url={ARCHIVED} |archive-date=2020-05-10}}}}",
        ),
        (
            "cita web",
            f"{{{{Cita web |url={URL} |título=T}}}}",
            f" |urlarchivo={ARCHIVED} |fechaarchivo=2020-05-10}}}}",
        ),
        (
            "استشهاد ويب",
            f"{{{{استشهاد ويب |مسار={URL} |عنوان=T}}}}",
            f" |مسار أرشيف={ARCHIVED} |تاريخ أرشيف=2020-05-10}}}}",
        ),
    ],
)
async def test_a_template_of_another_wiki_gets_the_copy_under_its_own_names(
    template: str, raw: str, copy: str
) -> None:
    cited = replace(CITED, template=template, raw=raw)

    found = await drift_of(failing(cited=cited), captured("supports:0.9 it"))

    assert found.template is not None
    wanted = raw.removesuffix("}}") + copy
    assert found.template.replace(" |", "|") == wanted.replace(" |", "|")


async def test_the_second_source_may_be_the_one_that_has_drifted() -> None:
    book = unread(SourceOutcome.OFFLINE, of=source(url="https://b.example/"))
    [today] = failing().fetches
    check = failing(fetches=(book, today))

    found = await drift_of(check, captured("supports:0.9 it"))

    assert found.archived.source == CITED
    assert found.archived.document == SourceText("supports:0.9 it", title="A page")
