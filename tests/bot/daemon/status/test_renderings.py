"""Text, page, JSON and metrics of one look tell the same, and no more than they may."""

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from bot.app.wiring.serving import search_quotas
from bot.daemon.status.metrics import render_metrics
from bot.daemon.status.render import (
    as_json,
    render_json,
    render_page,
    render_status,
    render_text,
)
from bot.daemon.status.situation import Situation
from bot.daemon.status.view import sections_of
from bot.records.spending import Allowance, PayerKind
from bot.records.status import NotesStatus, SpendingStatus
from bot.search.services.service import Allowance as Quotas
from bot.search.services.service import Meter
from bot.settings import Settings
from bot.store import open_store
from handlers.model import CheckKind, Engine, Quota
from tests import builders
from tests.bot.daemon.status.filled import fill, seen
from tests.bot.daemon.status.situations import SOUND, situation
from tests.bot.store.runs import NOON, WIKI
from tests.rig.databases import ready_sqlite

_HOSTILE = '<img src=x onerror="alert(1)">\x1b[2J\u202e{{7*7}}&amp;\n# HELP x'


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Situation:
    with open_store(
        ready_sqlite(tmp_path_factory.mktemp("sight") / "s.sqlite")
    ) as opened_store:
        fill(opened_store)
        return seen(opened_store)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Situation:
    with open_store(
        ready_sqlite(tmp_path_factory.mktemp("sight") / "s.sqlite")
    ) as opened_store:
        fill(opened_store, _HOSTILE)
        return seen(opened_store)


class _Tags(HTMLParser):
    """Every tag of a page, with its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("width", [40, 80])
def test_the_text_fits_its_width_and_moves_no_cursor(
    hostile: Situation, width: int
) -> None:
    text = render_text(hostile, width=width, colour=False)

    # What has no blank in it is not broken anywhere else but at the width.
    assert max(map(len, text.splitlines())) <= width
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", text)


def test_each_row_of_the_text_says_what_its_figures_are(filled: Situation) -> None:
    text = " ".join(render_text(filled, width=80, colour=False).split())

    assert "* waiting – total: 3; scheduled: 1; up to 1 minute: 1" in text
    assert "1 post waits: the stop page of the task does not say “run”." in text
    assert "User:ExampleBot/Run/report" in text
    assert "nothing could be drafted – total: 1" in text
    assert "Why there is no draft: * Ada – drafts: 1" in text
    assert "Changed from the default: * limits.notesPerPage – value: 1" in text.replace(
        "* ignoreSections – value: Ada ", ""
    )
    assert "│" not in text


def test_nothing_that_others_wrote_becomes_markup(
    filled: Situation, hostile: Situation
) -> None:
    calm, page = _Tags(render_status(filled)), _Tags(render_status(hostile))

    def of(tags: _Tags) -> list[tuple[str, list[str]]]:
        return [(tag, sorted(attributes)) for tag, attributes in tags.found]

    assert "onerror" not in {name for _, names in of(page) for name in names}
    assert not [tag for tag, _ in of(page) if tag == "img"]
    assert {tag for tag, _ in of(page)} == {tag for tag, _ in of(calm)}
    assert "49" not in render_page(
        "shown.html", title="t", wiki="w", text="{{7*7}}", history=(), is_cut=False
    )


def test_the_page_asks_for_nothing_from_elsewhere(filled: Situation) -> None:
    tags = _Tags(render_status(filled)).found

    for _, attributes in tags:
        for name in ("src", "href", "action"):
            address = attributes.get(name) or ""
            assert address.startswith(("/", "#", "data:,")) or not address
    assert not [one for _, one in tags if any(name.startswith("on") for name in one)]


def test_every_part_has_a_heading_and_every_table_its_headers(
    filled: Situation,
) -> None:
    tags = _Tags(render_status(filled)).found
    names = [tag for tag, _ in tags]
    headings = [int(tag[1]) for tag in names if re.fullmatch(r"h\d", tag)]

    assert headings[0] == 1
    assert set(headings[1:]) == {2}
    assert len(headings) == 2 + len(sections_of(filled))
    tables = names.count("table")
    assert tables == names.count("caption") > 10
    assert {one["scope"] for tag, one in tags if tag == "th"} == {"col", "row"}
    anchors = [one["id"] for _, one in tags if one.get("id")]
    assert len(anchors) == len(set(anchors))
    for _, one in tags:
        if (one.get("href") or "").startswith("#"):
            target = (one["href"] or "")[1:]
            assert target in anchors
        if one.get("aria-labelledby"):
            assert one["aria-labelledby"] in anchors


def test_posts_show_no_persons_name_and_no_text(
    tmp_path: Path,
) -> None:
    with open_store(ready_sqlite(tmp_path / "s.sqlite")) as opened_store:
        fill(opened_store, "Zebra")
        posts = json.dumps(as_json(seen(opened_store))["status"]["posts"])

    assert '"user"' not in posts
    assert '"text"' not in posts
    assert "summary" not in posts


def test_the_json_is_whole_and_says_why(filled: Situation) -> None:
    document = json.loads(render_json(filled))

    assert document["schema_version"] == 1
    assert document["is_well"] is False
    assert document["lag_s"] == 2.5
    assert document["why_nothing_is_posted"][0]["blocks"] is True
    assert document["status"]["queue"]["states"]["parked"]["counts"] == [0, 0, 1, 0, 0]
    assert "set, not shown" in document["configuration"]["settings"].values()
    in_force = document["configuration"]["communities"][WIKI]
    assert in_force["limits.notesPerPage"] == "1"
    assert document["status"]["costs_day"][0]["cost"] == "0.01234"


def test_a_watched_wiki_without_a_page_of_its_own_has_the_defaults() -> None:
    text = render_text(situation(), width=80, colour=False)
    communities = as_json(situation())["configuration"]["communities"]

    assert f"Configuration of {WIKI}" in text
    assert "Source: the program's defaults" in text
    assert communities[WIKI]["limits.notesPerPage"] == "3"


def _samples(text: str) -> Iterator[tuple[str, dict[str, str], float]]:
    for family in text_string_to_metric_families(text):
        assert family.documentation.endswith("."), family.name
        assert family.type == "gauge"
        for sample in family.samples:
            yield sample.name, sample.labels, sample.value


def test_the_metrics_are_read_back_as_they_were(
    filled: Situation, hostile: Situation
) -> None:
    samples = list(_samples(render_metrics(filled)))

    assert ("sidenote_queue_pages", {"state": "waiting"}, 3.0) in samples
    assert ("sidenote_lag_seconds", {}, 2.5) in samples
    assert ("sidenote_healthy", {}, 0.0) in samples
    assert ("sidenote_unwell", {"kind": "stopped"}, 1.0) in samples
    assert ("sidenote_posts", {"state": "refused"}, 1.0) in samples
    older = {"state": "waiting", "age_seconds": "60"}
    assert ("sidenote_queue_pages_older_than", older, 1.0) in samples
    assert all(name.startswith("sidenote_") for name, _, _ in samples)
    assert len(list(_samples(render_metrics(hostile)))) == len(samples)


def test_the_days_money_is_reported_with_its_cap_and_who_is_at_theirs() -> None:
    refused = {PayerKind.PAGE: 3, PayerKind.PERSON: 1}
    spent = SpendingStatus(Decimal("0.5"), Decimal("0.25"), 7, None, refused)
    changed = situation({"allowance": Allowance(Decimal(2), 90)}, spending=spent)

    samples = list(_samples(render_metrics(changed)))

    today = [one for one in samples if "_today" in one[0] and "model" in one[0]]
    assert today == [
        ("sidenote_model_money_today", {"state": "paid"}, 0.5),
        ("sidenote_model_money_today", {"state": "set aside"}, 0.25),
        ("sidenote_model_money_today_limit", {}, 2.0),
        ("sidenote_model_calls_today", {}, 7.0),
        ("sidenote_model_calls_today_limit", {}, 90.0),
        ("sidenote_model_refused_today", {"whose": "all"}, 0.0),
        ("sidenote_model_refused_today", {"whose": "page"}, 3.0),
        ("sidenote_model_refused_today", {"whose": "person"}, 1.0),
    ]
    text = " ".join(render_text(changed, width=200, colour=False).split())
    assert "At their own daily limit: 3 pages and 1 who asked for pages" in text


def test_precision_is_reported_with_what_it_rests_on_and_not_without() -> None:
    notes = (
        NotesStatus("NOT_SUPPORTED", 9, 3, 1),
        NotesStatus("CONTRADICTED", 5, 0, 0),
    )
    changed = situation(findings=replace(SOUND.findings, notes=notes))

    text = " ".join(render_text(changed, width=200, colour=False).split())
    assert "not supported – shown: 9; open: 5; settled: 3; dismissed: 1" in text
    assert "precision: 75% (n = 4)" in text
    assert "contradicted – shown: 5; open: 5 " in text
    ratios = [one for one in _samples(render_metrics(changed)) if "precision" in one[0]]
    assert ratios == [
        ("sidenote_note_precision_ratio", {"check": "not supported"}, 0.75)
    ]
    assert as_json(changed)["precision"]["contradicted"] == {"settled": 0, "decided": 0}


def _decided() -> Situation:
    """Return that readers refused one kind nearly always, and hardly another."""
    held = builders.tally(WIKI, CheckKind.NOT_SUPPORTED, (0.9,), (0.9,) * 39)
    fine = builders.tally(WIKI, CheckKind.CONTRADICTED, (0.9,) * 4, ())
    return situation(decided=replace(SOUND.decided, closed=2, tallies=(fine, held)))


def test_what_readers_find_right_is_reported_by_kind_engine_and_wiki() -> None:
    text = " ".join(render_text(_decided(), width=200, colour=False).split())

    engine = f"{builders.ENGINE.name} {builders.ENGINE.version}"
    assert (
        f"not supported – wiki: {WIKI}; engine: {engine}; decided: 40; right: 1; wrong:"
        " 39; readers: 40; precision: 2%; 95 % interval: 0% to 13%; threshold: nothing is shown;"
        " held back: yes"
    ) in text
    assert "decided: 4; right: 4; readers: 4; precision: 100%" in text
    assert "threshold: as set (too few decisions); held back: no" in text
    assert "Closed after two dismissals: 2" in text


def test_what_readers_find_right_is_reported_to_programs_too() -> None:
    samples = list(_samples(render_metrics(_decided())))
    rows = as_json(_decided())["readers"]

    labels = {"wiki": WIKI, "engine": " ".join(_named(builders.ENGINE))}
    held, fine = (
        {**labels, "check": each} for each in ("not supported", "contradicted")
    )
    assert ("sidenote_reader_held", held, 1.0) in samples
    assert ("sidenote_reader_held", fine, 0.0) in samples
    assert ("sidenote_reader_precision_ratio", held, 0.025) in samples
    assert ("sidenote_reader_least_probability", fine, 0.0) in samples
    assert ("sidenote_suggestions_closed_by_readers", {}, 2.0) in samples
    assert [(row["kind"], row["is_held"]) for row in rows] == [
        ("contradicted", False),
        ("not_supported", True),
    ]
    json.dumps(rows, allow_nan=False)


def _named(engine: Engine) -> tuple[str, str]:
    return engine.name, engine.version


# How often search services were asked is seen, wherever the status is shown.

HELD = Quota("GDELT", 7, None, NOON + timedelta(minutes=2), "GDELT is busy")


def test_requests_of_today_are_reported_with_what_is_allowed() -> None:
    seen = replace(situation(), quotas=(Quota("Brave", 12, 60), HELD))

    text = render_text(seen, width=200, colour=False)

    assert "Brave – requests today: 12; daily limit: 60" in text
    assert "GDELT – requests today: 7; paused until: " in text
    assert as_json(seen)["searches"][1]["note"] == "GDELT is busy"


def test_where_nothing_was_ever_searched_searches_are_left_out(tmp_path: Path) -> None:
    assert "searches" not in {one.anchor for one in sections_of(situation())}
    assert search_quotas(Settings.model_construct(data_dir=tmp_path)) == ()


def test_the_count_is_read_where_the_searches_leave_it(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)  # type: ignore[call-arg]  # the others have values
    meter = Meter(tmp_path / "searches", "brave", Quotas("Brave", per_day=60))
    asyncio.run(meter.wait())

    [quota] = search_quotas(settings)

    assert (quota.search, quota.used, quota.limit) == ("Brave", 1, 60)
