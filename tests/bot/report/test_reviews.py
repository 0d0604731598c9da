"""A review in its three forms."""

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from bot.report.reviews import render_html, render_json, render_text, review_view
from handlers.model import (
    Engine,
    IssueKind,
    ModelUse,
    PageId,
    Review,
    Span,
    WritingIssue,
)
from handlers.page import parse
from tests.bot.report.payloads import payloads
from tests.bot.report.test_html import Outline
from tests.schemas import read_schema

_QUOTE = "It is a legendary bridge."
_FOUND = WritingIssue(
    IssueKind.PUFFERY,
    ("ww_wtw_1", "n_5"),
    ("History",),
    Span(0, 25),
    _QUOTE,
    "“legendary” praises.",
    "Say what shows it.",
    "MOS:PUFFERY",
    0.75,
    (Span(8, 17),),
)


def _review(*findings: WritingIssue) -> Review:
    page = parse(_QUOTE, PageId("en.wikipedia.org", "Harbour Bridge", None, 12))
    return Review(
        page,
        findings,
        frozenset({"ww_wtw_1"}),
        ("1 of 2 cited sources could not be read.",),
        ModelUse(3, 0, 100, 20, Decimal("0.02")),
    )


def test_each_finding_has_its_place_guideline_and_advice_in_every_form() -> None:
    view = review_view(_review(_FOUND))

    text = render_text(view)
    assert "[History] “legendary” praises. (75%)" in text
    assert "It is a [[legendary]] bridge." in text
    assert "Say what shows it. See MOS:PUFFERY." in text
    assert "ww_cc_1" in text
    assert "could not be read" in text
    page = render_html(view)
    assert '<mark class="gap">legendary</mark>' in page
    assert 'href="https://en.wikipedia.org/wiki/MOS:PUFFERY"' in page
    assert "38 criteria" in page


def test_what_is_little_sure_is_counted_and_shown_only_to_who_asks() -> None:
    other = replace(_FOUND, quote="It is a legendary quay.", confidence=0.3)
    review = _review(_FOUND, other)

    assert (len(review_view(review).findings), review_view(review).hidden) == (1, 1)
    everything = review_view(review, shows_all=True)
    assert (len(everything.findings), everything.hidden) == (2, 0)


def test_the_gravest_comes_first_of_its_kind_the_surest_and_the_same_once() -> None:
    unsure = replace(_FOUND, quote="A legendary quay.", confidence=0.6)
    again = replace(_FOUND, criteria=("ww_wtw_2",), span=Span(90, 115))
    copied = replace(_FOUND, kind=IssueKind.CLOSE_PARAPHRASE, confidence=0.55)
    heading = replace(_FOUND, kind=IssueKind.HEADING, confidence=0.9)

    view = review_view(_review(heading, unsure, _FOUND, copied, again))

    assert [(one.finding.kind, one.finding.confidence) for one in view.findings] == [
        (IssueKind.CLOSE_PARAPHRASE, 0.55),
        (IssueKind.PUFFERY, 0.75),
        (IssueKind.PUFFERY, 0.6),
        (IssueKind.HEADING, 0.9),
    ]
    assert view.findings[1].finding.criteria == ("ww_wtw_1", "n_5", "ww_wtw_2")


def test_what_is_said_of_the_whole_article_shows_no_words_of_its_lead() -> None:
    of_page = replace(
        _FOUND, kind=IssueKind.ONE_SIDED, section=(), quote=_QUOTE, marked=()
    )
    view = review_view(_review(of_page))

    assert "[Whole article]" in render_text(view)
    assert _QUOTE not in render_text(view)
    assert _QUOTE not in render_html(view)


def test_advice_stands_once_with_findings_of_one_kind() -> None:
    other = replace(_FOUND, quote="It is a legendary quay.")
    page = render_html(review_view(_review(_FOUND, other)))

    assert page.count(_FOUND.advice) == 1


def test_a_terminal_gets_a_dozen_of_a_kind_and_the_other_forms_all() -> None:
    alike = [replace(_FOUND, quote=f"Bridge {at} is legendary.") for at in range(20)]
    view = review_view(_review(*alike))

    assert "and 8 more like it" in render_text(view)
    assert "more like it" not in render_text(view, shows_all=True)
    assert len(json.loads(render_json(view))["findings"]) == 20


def test_json_is_what_its_schema_says() -> None:
    copied = replace(
        _FOUND,
        kind=IssueKind.CLOSE_PARAPHRASE,
        criteria=(),
        source_key="https://news.example/1",
        source_quote="a legendary bridge",
        engine=Engine("language model", "one"),
    )
    schema: Any = read_schema("reviews_schema.json")
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema, format_checker=FormatChecker())
    document = json.loads(render_json(review_view(_review(_FOUND, copied))))

    validator.validate(document)
    assert {kind.name.lower() for kind in IssueKind} == set(
        schema["properties"]["findings"]["items"]["properties"]["kind"]["enum"]
    )
    assert len(document["not_judged"]) == 38


def test_hostile_words_stay_words() -> None:
    bad = [
        replace(
            _FOUND,
            quote=payload[:300],
            marked=(),
            message=payload,
            advice=payload,
            guideline=payload,
            section=(payload,),
            source_quote=payload,
        )
        for payload in payloads()
    ]
    view = review_view(_review(*bad))

    outline = Outline(render_html(view))
    assert not outline.elements["script"]
    assert not [name for _, name, _ in outline.attributes if name.startswith("on")]
    assert all(one.startswith(("https://", "#")) for one in outline.values("href"))
    assert "\x1b" not in render_text(view, shows_all=True)
