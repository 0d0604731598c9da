"""Precision and recall of flags and verdicts, on claims made up and on small articles."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bot.models.lexical import LexicalVerifier
from bot.research.evaluation.citations import demo
from bot.research.evaluation.citations.demo import Judged, tables
from bot.research.evaluation.contest import Contest
from bot.research.evaluation.page import render_page
from handlers.citations.flags import UNMEASURED
from handlers.model import CheckKind, Verdict
from handlers.ports import PermanentError
from tests.builders import citation, claim, claim_check, flag, source
from tests.fakes import FakeVerifier, Silent

_YES, _PARTLY = Verdict.SUPPORTED, Verdict.PARTIALLY_SUPPORTED
_NO, _AGAINST = Verdict.NOT_SUPPORTED, Verdict.CONTRADICTED


def judged(
    truth: Verdict, given: Verdict | None, kind: CheckKind | None = None
) -> Judged:
    due = flag(kind=kind) if kind else None
    verified = claim_check(given or _NO)
    return Judged(truth, replace(verified, verdict=given, flag=due))


FOUR = (
    judged(_YES, _YES),
    judged(_YES, _NO, CheckKind.NOT_FULLY_SUPPORTED),
    judged(_PARTLY, _NO, CheckKind.NOT_SUPPORTED),
    judged(_AGAINST, _AGAINST, CheckKind.CONTRADICTED),
    judged(_NO, None),
)


def test_a_flag_counts_for_its_kind_and_all_kinds_that_hold_it() -> None:
    flags = tables(FOUR, UNMEASURED)["flags"]

    counted = {
        kind: (found["flagged"], found["failing"], found["precision"], found["recall"])
        for kind, found in flags.items()
    }
    assert counted == {
        "contradicted": (1, 1, 1.0, 1.0),
        "not_supported": (2, 2, 0.5, 0.5),
        "not_fully_supported": (3, 3, 0.6667, 0.6667),
    }
    assert flags["not_fully_supported"]["false_alarms"] == 0.5
    assert flags["contradicted"]["threshold"] == UNMEASURED[0].threshold
    assert flags["contradicted"]["precision_where_it_was_chosen"] is None


def test_shares_have_intervals_and_the_reason_where_there_is_none() -> None:
    found = tables(FOUR[:1], UNMEASURED)

    nothing = found["flags"]["contradicted"]
    assert nothing["precision"] is nothing["precision_ci95"] is None
    assert nothing["notes"]["precision"] == "no row"
    low, high = nothing["false_alarms_ci95"]
    assert low == nothing["false_alarms"] == 0
    assert 0.7 < high < 0.9  # one claim says next to nothing
    assert found["auroc"] is None


def test_verdicts_are_counted_one_by_one() -> None:
    found = tables(FOUR, UNMEASURED)

    assert (found["claims"], found["without_verdict"]) == (5, 1)
    by_verdict = {
        name: (one["given"], one["true"], one["precision"], one["recall"])
        for name, one in found["verdicts"].items()
    }
    assert by_verdict["supported"] == (1, 2, 1.0, 0.5)
    assert by_verdict["not_supported"] == (2, 1, 0.0, 0.0)
    assert by_verdict["partially_supported"][2:] == (None, 0.0)
    assert by_verdict["contradicted"] == (1, 1, 1.0, 1.0)


def with_address(address: str | None, one: Judged) -> Judged:
    of = claim(citations=(citation(source(url=address)),))
    return replace(one, check=replace(one.check, claim=of))


def test_url_depth_ranks_the_same_claims() -> None:
    deep = [with_address("https://a.example/b/c/d", one) for one in FOUR[:2]]
    flat = [with_address("https://a.example/", one) for one in FOUR[2:]]

    found = tables([*deep, *flat], UNMEASURED)
    without = tables([*deep, with_address(None, FOUR[2])], UNMEASURED)

    assert found["url_depth_auroc"] == 1
    assert found["auroc"] < 1
    assert without["url_depth_auroc"] is None
    assert without["notes"]["url_depth_auroc"] == "not every claim cites an address"


# --- a folder of articles -----------------------------------------------------

_URL = "https://museum.example/collections/clock"
_TEXT = (
    "The clock on the customs quay was built in 1874 by Ada Penrose. It was stopped by"
    " a storm in 1911 and repaired two years later at the cost of the town. Visitors may"
    " climb the tower on the first Sunday of each month from May until September."
)
_CLAIMS = {
    "The clock was built in 1874 by Ada Penrose.": _YES,
    "The ferry Odin sank near Esbjerg with all hands in March 1921.": _NO,
}
_WIKITEXT = (
    "\n\n".join(
        f"{text}<ref>{{{{cite web |url={_URL} |title=A page}}}}</ref>"
        for text in _CLAIMS
    )
    + "\n\nNobody knows why.<ref>{{cite web |url=https://gone.example/ |title=B}}</ref>"
)


def folder(path: Path, judgements: Sequence[dict[str, object]]) -> Path:
    (path / "articles").mkdir()
    (path / "sources").mkdir()
    (path / "articles" / "Clock.wikitext").write_text(_WIKITEXT, "utf-8")
    (path / "sources" / "clock.txt").write_text(_TEXT, "utf-8")
    entry = {"url": _URL, "file": "clock.txt", "captured": "2026-10-02"}
    (path / "sources" / "index.json").write_text(json.dumps([entry]), "utf-8")
    file = path / "judgements.json"
    file.write_text(json.dumps(judgements), "utf-8")
    return file


def says(claim: str, verdict: Verdict = _YES, **more: object) -> dict[str, object]:
    of = {"article": "Clock", "claim": claim, "verdict": verdict.value, "reason": "r"}
    return of | more


def test_articles_are_checked_and_flagged_as_the_program_does_it(
    tmp_path: Path,
) -> None:
    data = folder(tmp_path, [says(text[:20], true) for text, true in _CLAIMS.items()])

    report = demo.evaluate(data, LexicalVerifier(), Silent())

    written = report.to_dict()
    assert written["data"]["rows"] == 2
    assert (written["data"]["unscored"], written["data"]["articles"]) == (0, 1)
    flags = written["metrics"]["flags"]["not_fully_supported"]
    assert flags["threshold"] == pytest.approx(0.7926, abs=0.2)
    assert (flags["flagged"], flags["precision"], flags["recall"]) == (1, 1.0, 1.0)
    assert "lexical" not in written["metrics"]
    assert "not_fully_supported" in render_page(report)

    wrong = FakeVerifier(
        {text.rstrip("."): _YES for text in _CLAIMS} | dict.fromkeys(_CLAIMS, _YES)
    )
    contest = Contest(baseline=LexicalVerifier())
    found = demo.evaluate(data, wrong, Silent(), contest).metrics
    assert found["verdicts"]["supported"]["given"] == 2
    assert found["lexical"]["verdicts"]["supported"]["given"] == 1


def test_what_meets_no_claim_is_unscored_with_the_reason(tmp_path: Path) -> None:
    judgements = [
        says("The clock was"),
        says("The bell was"),
        says("The"),
        says("Nobody knows"),
        says("The clock was", row="built"),
    ]

    report = demo.evaluate(folder(tmp_path, judgements), LexicalVerifier(), Silent())

    assert report.metrics["claims"] == 1
    assert [(one.line, one.reason) for one in report.unscored] == [
        (2, "no claim begins so"),
        (3, "several claims begin so"),
        (4, "no source of the claim could be read"),
        (5, "no claim begins so"),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[", "not a list of judgements"),
        ("[]", "holds no judgement"),
        (json.dumps([says("The clock") | {"verdict": "true"}]), "0.verdict"),
        (json.dumps([says("The clock") | {"article": "None"}]), "None.wikitext"),
    ],
)
def test_a_file_that_is_of_no_use_is_reported(
    tmp_path: Path, content: str, message: str
) -> None:
    data = folder(tmp_path, [])
    data.write_text(content, "utf-8")

    with pytest.raises(PermanentError, match=message):
        demo.evaluate(data, LexicalVerifier(), Silent())
    with pytest.raises(PermanentError, match="cannot be read"):
        demo.evaluate(tmp_path / "none.json", LexicalVerifier(), Silent())
