"""A dossier as text, JSON and HTML: each sentence leads to its passage."""

import json
from dataclasses import replace
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from bot.records.watches import Policy
from bot.report.dossiers import (
    dossier_view,
    made_of,
    render_html,
    render_json,
    render_text,
)
from handlers.model import Draft
from tests.bot.report.drafts.makers import (
    BURST,
    FOURTEEN,
    TWELVE,
    draft,
    hostile,
    worded,
)
from tests.bot.report.payloads import payloads
from tests.bot.report.test_html import Outline
from tests.schemas import read_schema

_WORDS = "The mayor counted twelve dead."


def _json(one: Draft, policy: Policy = Policy.POINTER) -> Any:
    document = json.loads(render_json(one, policy))
    checker = FormatChecker()
    Draft202012Validator(
        read_schema("drafts_schema.json"), format_checker=checker
    ).validate(document)
    return document


def test_a_terminal_shows_each_sentence_with_the_number_of_its_source() -> None:
    text = render_text(draft(), width=100)

    assert "It is not an article." in text
    assert f"    - “{BURST}” [1]\n" in text
    assert "VICTIMS" in text
    assert (
        f"    - number of dead: “{TWELVE}” [1]\n        against “{FOURTEEN}” [2]"
        in (text)
    )
    assert "[2] Flood report 1, The Example Times, 2024-05-04\n" in text
    assert "        https://news1.example/flood?id=1\n" in text
    assert "[2] 3 sentences more on the topic: Victims" in text
    assert "https://blog.example/x: the wiki does not accept the site (a blog)" in text
    assert "1 document read and not cited" in text
    assert "passages ordered by merged" in text
    unranked = replace(draft(), reranker="")
    assert "ordered by" not in render_text(unranked, width=100) + render_html(unranked)


def test_a_document_that_is_only_worth_reading_does_not_count_as_quoted() -> None:
    one = draft()
    [lead, _] = one.sections

    shown = dossier_view(draft(sections=(lead,), disagreements=()))

    assert made_of(shown) == "1 sentence from 1 document of 3 read"


def test_programs_get_all_of_it_and_the_schema_holds() -> None:
    document = _json(draft())

    [lead, victims] = document["sections"]
    [cite] = lead["paragraphs"][0][0]["cites"]
    assert (lead["heading"], victims["heading"]) == ("", "Victims")
    assert cite["quote"] == BURST
    assert cite["href"].startswith(
        "https://news0.example/flood?id=0#:~:text=The%20river"
    )
    assert document["sources"][0]["citation"].startswith("{{cite news |last=Example")
    assert document["not_cited"] == ["https://news2.example/flood?id=2"]
    assert document["left_out"][0]["why"] == "unreliable"
    assert document["disagreements"][0]["one"]["text"] == TWELVE


def test_a_page_unfolds_each_citation_on_its_passage() -> None:
    page = Outline(render_html(draft()))

    assert page.elements["details"] >= page.elements["mark"] == 5
    assert "Harbour floods." not in page.text  # no more than is quoted
    links = [one for one in page.values("href") if "#:~:text=" in one]
    assert len(links) == 5
    assert not {"script", "link", "img", "iframe"} & page.elements.keys()


def test_a_models_words_are_shown_as_far_as_the_policy_goes() -> None:
    one = worded()

    assert _WORDS not in render_text(one, width=99)
    assert _WORDS not in render_html(one)
    assert not _json(one)["worded"]
    assert _json(one)["sections"][0]["paragraphs"][0][0]["text"] == TWELVE
    for policy in (Policy.FACTS, Policy.WORDING):
        assert f"- {_WORDS} [1]" in render_text(one, policy, width=99)
        assert _WORDS in Outline(render_html(one, policy)).text
        assert _json(one, policy)["worded"]


def test_no_hostile_words_become_markup_or_an_address() -> None:
    one = hostile(payloads()[::20])
    page = Outline(render_html(one))

    assert (
        not {"script", "img", "iframe", "object", "embed", "base"}
        & page.elements.keys()
    )
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    assert all(link.startswith(("https://", "#")) for link in page.values("href"))
    _json(one)
    assert "\x1b" not in render_text(one, width=80)
