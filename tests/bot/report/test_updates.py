"""What is newer than an article, in its three forms."""

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from bot.report.updates import news, render_html, render_json, render_text
from handlers.model import (
    DayPlace,
    Discovery,
    Ignored,
    ModelUse,
    PageId,
    Proposal,
    Role,
    Span,
    Stopped,
    TraceStep,
    Update,
    UpdateKind,
)
from tests.bot.report.payloads import payloads
from tests.bot.report.test_html import Outline
from tests.handlers.updates.builders import (
    FACT,
    article,
    candidate,
    statement,
    subject,
    update,
)
from tests.schemas import read_schema

_OLD = "It carries 12,000 cars a day."


def _run(*updates: Update, **changes: object) -> Discovery:
    default = Discovery(
        subject(),
        updates,
        (
            TraceStep(
                Role.NAVIGATOR, "opens a page: hit", 0.5, "https://news.example/a"
            ),
            TraceStep(Role.EXTRACTOR, "opinion", 0.6, None, "Nice!", Ignored.OPINION),
            TraceStep(Role.AGGREGATOR, "new fact", 0.7, None, FACT, update=1),
        ),
        Stopped.NOTHING_LEFT,
        ("gdelt: busy",),
        took_s=1.5,
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def _json(run: Discovery, *, shows_facts: bool = False) -> Any:
    document = json.loads(render_json(news(run, shows_facts=shows_facts)))
    checker = FormatChecker()
    Draft202012Validator(
        read_schema("updates_schema.json"), format_checker=checker
    ).validate(document)
    return document


def _outdated(**changes: object) -> Update:
    return update(
        1,
        kind=UpdateKind.OUTDATED,
        replaces=statement(_OLD),
        probability=0.8,
        **changes,
    )


def test_the_old_sentence_stands_beside_the_dated_quote() -> None:
    text = render_text(news(_run(_outdated())), width=200)

    assert "OUTDATED STATEMENT, one source (80%) [History]" in text
    assert f"the article says: “{_OLD}”" in text
    assert f"2026-10-04, news.example: “{FACT}”" in text
    assert "     1  it is an opinion" in text
    assert "gdelt: busy" in text


def test_it_fits_on_a_screen_and_says_how_many_more_there_are() -> None:
    text = render_text(news(_run(*map(update, range(1, 21)))), width=100)

    assert "20 new facts" in text
    assert "8. NEW FACT" in text
    assert "9. NEW FACT" not in text
    assert "… and 12 more" in text
    assert len(text.splitlines()) <= 50
    assert "12 more" not in render_html(news(_run(*map(update, range(1, 21)))))


def test_each_source_says_where_its_day_was_read_or_that_it_has_none() -> None:
    first = replace(update().sources[0], dated_in=DayPlace.ADDRESS)
    run = _run(
        update(1, sources=(first,)),
        update(2, sources=(replace(first, dated=None, dated_in=None),)),
    )
    text = render_text(news(run), width=200)

    assert "2026-10-04 (by its address), news.example" in text
    assert "undated, news.example" in text
    assert "2026-10-04 (by its address)" in Outline(render_html(news(run))).text
    [address, none] = [one["sources"][0]["dated_in"] for one in _json(run)["updates"]]
    assert (address, none) == ("address", None)


def test_what_a_model_cost_is_reported() -> None:
    run = _run(use=ModelUse(calls=3, cost=Decimal("0.02")))

    cost = "3 calls to the language model, cost 0.02"
    assert cost in render_text(news(run), width=99)
    assert cost in Outline(render_html(news(run))).text


def test_each_form_says_what_was_found_and_the_json_keeps_its_schema() -> None:
    run = _run(_outdated(), update(2, after=statement("It was opened.")))
    document = _json(run)
    page = Outline(render_html(news(run)))

    assert [one["kind"] for one in document["updates"]] == ["outdated", "new_fact"]
    assert document["updates"][1]["after"] == "It was opened."
    assert document["passed_over"] == {"opinion": 1}
    assert _OLD in page.text
    assert FACT in page.text
    assert "Every step of the run" in page.text


def test_a_models_words_are_shown_only_where_the_policy_allows_them() -> None:
    worded = _run(update(1, text="A plain statement.", is_worded=True))

    assert "A plain statement." not in render_text(news(worded), width=99)
    assert _json(worded)["updates"][0]["fact"] is None
    assert _json(worded, shows_facts=True)["updates"][0]["fact"] == "A plain statement."


def test_an_edit_is_shown_and_one_that_was_refused_says_why() -> None:
    edit = Proposal(1, Span(0, 3), "old", "new{{cite}}", "{{cite}}")
    refused = replace(edit, update=2, refused=("it loses a reference",))
    run = _run(update(1), update(2), proposals=(edit, refused))
    text = render_text(news(run), width=99)

    assert "edit: new{{cite}}" in text
    assert "no edit: it loses a reference" in text
    assert [one["edit"]["refused"] for one in _json(run)["updates"]] == [
        [],
        ["it loses a reference"],
    ]


def test_where_nothing_was_found_the_page_says_that_this_proves_nothing() -> None:
    page = Outline(render_html(news(_run())))

    assert "That proves nothing: only 1 page was opened." in page.text


def test_no_hostile_words_become_markup_or_an_address() -> None:
    hostile = payloads()
    updates = tuple(
        replace(
            update(number, section=(words,), after=statement(words)),
            sources=(
                replace(
                    update().sources[0],
                    evidence=candidate(text=f"{words}.").evidence,
                    site=words,
                    search=words,
                ),
            ),
        )
        for number, words in enumerate(hostile, 1)
    )
    steps = tuple(TraceStep(Role.READER, words, 0.0, words, words) for words in hostile)
    named = subject(page=replace(article(), id=PageId("en.wikipedia.org", hostile[0])))
    run = _run(*updates, trace=steps, troubles=tuple(hostile), subject=named)
    page = Outline(render_html(news(run)))

    assert (
        not {"script", "img", "iframe", "object", "embed", "base"}
        & page.elements.keys()
    )
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    assert all(link.startswith(("https://", "#")) for link in page.values("href"))
    _json(run)
    assert "\x1b" not in render_text(news(run), width=80, with_trace=True)
