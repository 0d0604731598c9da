import json
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker, ValidationError

from bot.report import render_json
from handlers.model import (
    CitationForm,
    ClaimKind,
    EditKind,
    MissingKind,
    MissingPiece,
    NotJudged,
    Origin,
    SourceForm,
    SourceOutcome,
    TagKind,
    Trust,
    UnattachedReason,
    UrlStatus,
    Verdict,
)
from tests import builders
from tests.builders import (
    QUOTE,
    SOURCE_TEXT,
    claim,
    claim_check,
    evidence,
    page_report,
    verification,
)
from tests.full_report import full_report
from tests.schemas import read_schema


def validated(document: str) -> Any:
    parsed = json.loads(document)
    Draft202012Validator(
        read_schema("schema.json"), format_checker=FormatChecker()
    ).validate(parsed)
    return parsed


def nodes(value: object, path: str = "$") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, dict):
        yield path, value
    children = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        children = enumerate(value)
    for name, child in children:
        yield from nodes(child, f"{path}.{name}")


def test_a_report_with_everything_in_it_passes_the_schema() -> None:
    document = validated(render_json([full_report(), page_report()]))

    claims = document["reports"][0]["claims"]
    assert document["schema_version"] == "2.2"
    assert {one["verdict"] for one in claims} == {*(v.value for v in Verdict), None}
    read = {fetch["outcome"] for one in claims for fetch in one["readings"]}
    assert read == {outcome.value for outcome in SourceOutcome}


def test_a_flag_says_how_many_like_it_are_right_and_on_what_that_rests() -> None:
    known = claim_check(Verdict.NOT_SUPPORTED)
    unknown = replace(known, flag=builders.flag(expected=None))

    document = validated(render_json([page_report(known, unknown)]))

    first, second = (one["flag"] for one in document["reports"][0]["claims"])
    assert first["expected_precision"] == {"1 in 10": 0.9, "1 in 40": 0.7}
    assert first["measured_on"] == {
        "file": "dev.jsonl.gz",
        "sets": ["natural"],
        "rows": 1200,
    }
    assert (second["expected_precision"], second["measured_on"]) == (None, None)
    assert "precision" not in first


def test_no_report_at_all_passes_the_schema() -> None:
    assert validated(render_json([])) == {"schema_version": "2.2", "reports": []}


def test_the_schema_is_a_valid_one() -> None:
    Draft202012Validator.check_schema(read_schema("schema.json"))


def test_every_field_is_described_and_always_there() -> None:
    objects = [
        (path, node)
        for path, node in nodes(read_schema("schema.json"))
        if isinstance(node.get("properties"), dict) and node.get("type") == "object"
    ]

    assert len(objects) > 10
    for path, node in objects:
        assert node["additionalProperties"] is False, path
        assert set(node["required"]) == set(node["properties"]), path
        for name, field in node["properties"].items():
            assert field.get("description", "").endswith("."), f"{path}.{name}"


@pytest.mark.parametrize(
    ("definition", "field", "closed_set"),
    [
        ("claim", "kind", ClaimKind),
        ("claim", "verdict", Verdict),
        ("tag", "kind", TagKind),
        ("missing_piece", "kind", MissingKind),
        ("citation", "form", CitationForm),
        ("source", "form", SourceForm),
        ("source", "url_status", UrlStatus),
        ("reading", "outcome", SourceOutcome),
        ("reading", "origin", Origin),
        ("unattached", "reason", UnattachedReason),
        ("reliability", "trust", Trust),
        ("edit", "kind", EditKind),
        ("edit", "why_not", NotJudged),
        ("unjudged_edit", "why_not", NotJudged),
    ],
)
def test_the_schema_knows_every_member_of_a_closed_set(
    definition: str, field: str, closed_set: type[Enum]
) -> None:
    schema: Any = read_schema("schema.json")

    members = schema["$defs"][definition]["properties"][field]["enum"]

    assert {one for one in members if one is not None} == {
        member.value for member in closed_set
    }


def test_the_schema_rejects_a_field_it_does_not_know() -> None:
    document = json.loads(render_json([full_report()]))
    document["reports"][0]["claims"][0]["mood"] = "good"

    with pytest.raises(ValidationError):
        validated(json.dumps(document))


def test_ranges_lead_to_the_words_they_stand_for() -> None:
    text = "rated EF3 at midnight"
    check = claim_check(
        of=claim(text),
        verification=verification(
            Verdict.SUPPORTED,
            evidence(matching=("National", "EF-3 with winds")),
        ),
    )

    [report] = validated(render_json([page_report(check)]))["reports"]

    [found] = report["claims"][0]["evidence"]
    start, end = found["span"]
    assert found["quote"] == QUOTE == SOURCE_TEXT[start:end]
    assert [QUOTE[one:other] for one, other in found["matched"]] == ["EF-3 with winds"]


def test_a_claim_says_which_words_are_missing() -> None:
    piece = MissingPiece(MissingKind.TEMPLATE, "{{age|1960|5|2}}")
    check = claim_check(None, of=claim(missing=(piece,)))

    [report] = validated(render_json([page_report(check)]))["reports"]

    [found] = report["claims"]
    assert found["missing"] == [{"kind": "template", "what": "{{age|1960|5|2}}"}]


def test_the_text_of_a_source_does_not_leave_the_program() -> None:
    document = render_json([full_report()])

    assert "mostly snapped and uprooted trees" in document
    assert "southwest of Forkland" in SOURCE_TEXT
    assert "southwest of Forkland" not in document


def test_a_verdict_comes_with_its_own_probability() -> None:
    [report] = validated(render_json([page_report(claim_check())]))["reports"]

    [one] = report["claims"]
    assert one["probability"] == one["probabilities"]["supported"] == 0.91


def test_what_cannot_be_encoded_is_replaced() -> None:
    document = render_json([page_report(claim_check(of=claim("a\ud800b\x9b")))])

    [one] = validated(document)["reports"][0]["claims"]
    assert one["text"] == "a�b�"
    assert document.encode()
