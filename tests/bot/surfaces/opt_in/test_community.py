"""A wiki's own configuration is taken whole, or refused with each slip named."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from bot.records.watches import Period, Policy, Rate, Surface
from bot.surfaces.opt_in.community import Community, effective_entries, read_community
from bot.surfaces.opt_in.scope import (
    PageFacts,
    UserFacts,
    is_ignored,
    page_in_scope,
    user_in_scope,
)
from bot.wiki.pages import Title
from handlers.model import CheckKind, Trust
from tests.bot.wiki.markup.makers import title
from tests.shared_data import shared_data

_NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)

WHOLE = {
    "policy": "facts",
    "namespaces": [0, 118],
    "ignoreSections": ["References", "External_links"],
    "inCategory": ["Bridges"],
    "notInCategory": ["Living people"],
    "hasTemplate": ["Infobox bridge"],
    "minimumEditCount": 500,
    "checks": ["citations"],
    "surfaces": ["report", "gadget"],
    "usersMayAskForTalk": True,
    "thresholds": {"contradicted": 0.9},
    "defaults": {
        "surface": ["report"],
        "interval": "1 day",
        "max": "5 per week",
        "minConfidence": "high",
    },
    "limits": {
        "pages": 50,
        "leastInterval": "1 hour",
        "max": "10 per day",
        "notesPerPage": 2,
    },
}


def community(**settings: object) -> Community:
    read = read_community(json.dumps(settings))
    assert read.community is not None, read.faults
    return read.community


def faults_of(page: str) -> str:
    read = read_community(page)
    assert read.community is None
    return "\n".join(str(fault) for fault in read.faults)


def test_an_empty_page_asks_for_nothing_special() -> None:
    assert read_community("{}").community == Community()
    assert Community().policy is Policy.POINTER


def test_a_whole_page_is_understood() -> None:
    found = community(**WHOLE)

    assert found.policy is Policy.FACTS
    assert found.ignore_sections == ("References", "External links")
    assert found.thresholds == {CheckKind.CONTRADICTED: 0.9}
    assert found.defaults.max == Rate(5, Period.WEEK)
    assert found.defaults.interval == 86_400
    assert found.defaults.min_confidence == 0.95
    assert found.limits.least_interval == 3_600
    assert found.limits.notes_per_page == 2
    assert found.limits.notes_per_wiki == 500
    assert found.surfaces == (Surface.REPORT, Surface.GADGET)


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("", "this is not JSON"),
        ("{", "in line 1, column 2"),
        ("[]", "Input should be an object"),
        ('{"policy": "prose"}', 'policy = "prose"'),
        ('{"minimumEditCount": "500"}', 'minimumEditCount = "500"'),
        ('{"minimumEditCount": -1}', "greater than or equal to 0"),
        ('{"minimumEditcount": 5}', "did you mean minimumEditCount?"),
        ('{"limits": {"pagess": 5}}', "limits.pagess"),
        ('{"colour": "red"}', "there is no such setting; remove it"),
        ('{"thresholds": {"contradicted": 0.1}}', "greater than or equal to 0.5"),
        ('{"thresholds": {"wrong": 0.9}}', "thresholds.wrong"),
        ('{"thresholds": {"contradicted": NaN}}', "thresholds.contradicted"),
        ('{"defaults": {"interval": 5}}', "write it as a text in quotes"),
        ('{"defaults": {"interval": "soon"}}', "write a number and a unit"),
        ('{"policy": "facts", "policy": "pointer"}', "is twice"),
        ('{"inCategory": "Bridges"}', 'inCategory = "Bridges"'),
        ("[" * 100_000, "; repair the page"),
        ('{"a": "' + "x" * 200_000 + '"}', "longer than 100,000 characters"),
    ],
    ids=range(18),
)
def test_each_mistake_is_named(page: str, fault: str) -> None:
    assert fault in faults_of(page)


def test_all_mistakes_are_reported_at_once() -> None:
    faults = faults_of('{"policy": 1, "minimumEditCount": -1, "x": 2}')

    assert len(faults.splitlines()) == 3


def test_broken_json_of_every_kind_is_refused_and_never_raises() -> None:
    folder = shared_data("security_corpora") / "jsontestsuite"
    files = sorted(folder.glob("**/n_*.json"))

    assert files
    for file in files:
        text = file.read_bytes().decode("utf-8", "replace")
        assert read_community(text).community is None, file.name


def test_the_effective_configuration_can_be_shown() -> None:
    shown = {entry.name: entry for entry in effective_entries(community(**WHOLE))}

    assert shown["policy"].value == "facts"
    assert not shown["policy"].is_default
    assert shown["ignoreSections"].value == "References, External links"
    assert shown["thresholds"].value == "contradicted: 0.9"
    assert shown["defaults.interval"].value == "1 day"
    assert shown["limits.leastInterval"].value == "1 hour"
    assert shown["limits.max"].value == "10 per day"
    assert shown["limits.notesPerWiki"].is_default
    assert shown["usersMayAskForTalk"].value == "yes"


def page(
    *categories: str, templates: tuple[str, ...] = (), of: Title | None = None
) -> PageFacts:
    return PageFacts(of or title("Oslo"), frozenset(categories), frozenset(templates))


@pytest.mark.parametrize(
    ("settings", "facts", "reason"),
    [
        ({}, page(), ""),
        ({}, page(of=title("User:Alice")), "its namespace are not checked"),
        ({}, PageFacts(title("Oslo"), is_redirect=True), "it is a redirect"),
        ({"inCategory": ["Bridges"]}, page("bridges"), ""),
        ({"inCategory": ["Category:Bridges"]}, page("Bridges"), ""),
        (
            {"inCategory": ["Bridges", "Roads"]},
            page("Towns"),
            "none of the categories: Bridges, Roads",
        ),
        (
            {"notInCategory": ["Living people"]},
            page("Living_people"),
            "left out: Living people",
        ),
        ({"notInCategory": ["Living people"]}, page("Towns"), ""),
        ({"hasTemplate": ["Infobox bridge"]}, page(templates=("Infobox_bridge",)), ""),
        (
            {"hasTemplate": ["Infobox bridge"]},
            page(),
            "none of the templates: Infobox bridge",
        ),
    ],
)
def test_a_page_falls_under_it_or_the_reason_is_reported(
    settings: dict[str, object], facts: PageFacts, reason: str
) -> None:
    decision = page_in_scope(facts, community(**settings))

    assert decision.is_in is not bool(reason)
    assert reason in "; ".join(map(str, decision.reasons))


def test_every_reason_is_reported() -> None:
    rules = community(inCategory=["A"], hasTemplate=["B"])

    assert len(page_in_scope(page(), rules).reasons) == 2


def test_a_newcomer_is_told_how_many_edits_are_needed() -> None:
    decision = user_in_scope(
        UserFacts("Alice", 12), community(minimumEditCount=500), _NOW
    )

    assert [*map(str, decision.reasons)] == [
        "500 edits are required here, and the account has 12"
    ]
    rules = community(minimumEditCount=500)
    assert user_in_scope(UserFacts("Bob", 500), rules, _NOW).is_in


@pytest.mark.parametrize(("days", "is_in"), [(59, True), (61, False)])
def test_who_has_been_away_for_sixty_days_rests(days: int, *, is_in: bool) -> None:
    last = _NOW - timedelta(days=days)
    user = UserFacts("Bob", 500, last_edit_at=last)

    assert user_in_scope(user, community(), _NOW).is_in is is_in


def test_sections_are_ignored_with_all_below_them() -> None:
    rules = community(ignoreSections=["Plot"])

    assert is_ignored(("plot", "Part one"), rules)
    assert not is_ignored(("Cast",), rules)


def test_a_wiki_sets_what_its_kinds_of_findings_go_by() -> None:
    page = '{"findings": {"aged": {"infobox value": 2, "templates": ["stand"]}}, "tags": {"outdated": "Veraltet"}}'

    community = read_community(page).community

    assert community
    assert community.findings["aged"] == {"infobox value": 2, "templates": ("stand",)}
    assert [*community.tags.values()] == ["Veraltet"]


@pytest.mark.parametrize(
    "given",
    ['{"aged": {"rooms": 2}}', '{"aged": {"sentence": ["a"]}}', '{"x": {"y": 1}}'],
)
def test_a_setting_that_no_kind_has_is_a_fault(given: str) -> None:
    read = read_community(f'{{"findings": {given}}}')

    assert read.community is None
    assert read.faults


def test_a_wiki_says_how_it_regards_sites() -> None:
    given = '{"sources": {"example.org/blog": "self-published", "x.org": "reliable"}}'

    found = read_community(given).community

    assert found.sources == {
        "example.org/blog": Trust.SELF_PUBLISHED,
        "x.org": Trust.RELIABLE,
    }


@pytest.mark.parametrize("trust", ["good", "questioned", "RELIABLE"])
def test_a_standing_that_there_is_not_is_a_fault(trust: str) -> None:
    found = read_community(f'{{"sources": {{"x.org": "{trust}"}}}}')

    assert found.community is None
    assert "sources" in str(found.faults[0])
