"""Notes of edits, each judged to have parted its words from the source."""

from dataclasses import replace
from datetime import date

from handlers.edits.alignment import changes_between
from handlers.edits.finding import baselines
from handlers.findings import Suggestion
from handlers.model import (
    ChangedClaim,
    CheckKind,
    Comparison,
    EditCheck,
    EditJudgement,
    Engine,
    Flag,
    PageId,
    Probabilities,
    SourceFetch,
    Verdict,
    Verification,
)
from handlers.page import parse
from handlers.registry import Checked, PageNow, found_by

HERE = PageId("en.wikipedia.org", "Skarholm", revision_id=12)
BBC = "<ref>{{cite news |title=The clock |url=https://bbc.example/clock}}</ref>"
LOG = "<ref name=log>{{cite web |title=Log |url=https://log.example/1}}</ref>"
GOOD = f"The tower is 412 feet high.{BBC} It closed in 2001.{LOG}"
BAD = f"The tower is 412 metres high.{BBC} It closed in 2001.{LOG}"
WORSE = f"The tower is 421 metres high.{BBC} It closed in 2001.{LOG}"
_ENGINE = Engine("minilm", "6")


def now_of(text: str) -> PageNow:
    return PageNow(parse(text, HERE))


def _judged(
    change: ChangedClaim,
    judged: EditJudgement | None = None,
    fetches: tuple[SourceFetch, ...] = (),
) -> EditCheck:
    """Return a change that moved its words away, whatever they are."""
    before, after = (
        Verification(
            Verdict.SUPPORTED if likely > 0.5 else Verdict.CONTRADICTED,
            Probabilities(likely, 0, 0, 1 - likely),
            (),
            (),
            _ENGINE,
        )
        for likely in (0.9, 0.1)
    )
    flag = Flag(CheckKind.NOT_SUPPORTED, 0.9, 0.5)
    judged = judged or EditJudgement(0.9, before, after)
    return EditCheck(change, fetches, judged, 0.9, flag)


def found_after(
    before: str,
    after: str,
    known: tuple[Suggestion, ...] = (),
    *,
    judged: EditJudgement | None = None,
    fetches: tuple[SourceFetch, ...] = (),
) -> tuple[Suggestion, ...]:
    now = now_of(after)
    old = parse(before, replace(HERE, revision_id=11))
    changes = changes_between(old, now.page, baselines(known)).claims
    checks = tuple(_judged(one, judged, fetches) for one in changes)
    comparison = Comparison(old.id, len(changes), checks)
    checked = Checked(now, (), date(2026, 11, 28), open=known, comparison=comparison)
    return found_by("changed", checked)
