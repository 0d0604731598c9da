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
    assert "Peacock term (1), MOS:PUFFERY: “legendary” (History)" in text
    assert "Say what shows it." in text
    assert "plain prose" in text
    assert not [part for part in ("ww_", "[[", "{{") if part in text]
    assert "“It is a *legendary* bridge.”" in render_text(view, shows_all=True)
    assert "could not be read" in text
    page = render_html(view)
    assert '<mark class="gap">legendary</mark>' in page
    assert 'href="https://en.wikipedia.org/wiki/MOS:PUFFERY"' in page
    assert "38 criteria" in page


def test_the_gravest_rule_comes_first_and_the_same_words_once() -> None:
    other = replace(_FOUND, quote="A legendary quay.", span=Span(40, 57))
    again = replace(_FOUND, criteria=("ww_wtw_2",), span=Span(90, 115))
    copied = replace(_FOUND, kind=IssueKind.CLOSE_PARAPHRASE, confidence=0.55)
    heading = replace(_FOUND, kind=IssueKind.HEADING, confidence=0.9)

    view = review_view(_review(heading, _FOUND, copied, other, again))

    assert [(one.first.kind, len(one.findings)) for one in view.rules] == [
        (IssueKind.CLOSE_PARAPHRASE, 1),
        (IssueKind.PUFFERY, 2),
        (IssueKind.HEADING, 1),
    ]
    assert view.findings[1].finding.criteria == ("ww_wtw_1", "n_5", "ww_wtw_2")


def test_what_is_said_of_the_whole_article_shows_no_words_of_its_lead() -> None:
    of_page = replace(
        _FOUND,
        kind=IssueKind.ONE_SIDED,
        section=(),
        quote=_QUOTE,
        marked=(),
        is_of_page=True,
    )
    view = review_view(_review(of_page))

    assert "[Whole article]" in render_text(view, shows_all=True)
    assert _QUOTE not in render_text(view, shows_all=True)
    assert _QUOTE not in render_html(view)


def test_a_rule_has_one_line_with_its_count_and_first_places() -> None:
    alike = [replace(_FOUND, quote=f"Bridge {at} is legendary.") for at in range(20)]
    view = review_view(_review(*alike))
    text = render_text(view)

    assert text.count("Peacock term (20)") == text.count("MOS:PUFFERY") == 1
    assert text.count("(History)") == 3
    assert render_text(view, shows_all=True).count("“Bridge") == 20
    page = render_html(view)
    assert page.count(_FOUND.advice) == 1
    assert "17 more places" in page
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
