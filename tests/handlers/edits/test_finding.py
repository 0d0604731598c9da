"""What is kept of an edit that parted words from their source, and when it is settled."""

from dataclasses import replace
from datetime import date

from handlers.edits.alignment import changes_between
from handlers.edits.finding import ChangedFinding, baselines, changed_words
from handlers.findings import Suggestion
from handlers.model import (
    ChangedClaim,
    CheckKind,
    Comparison,
    EditCheck,
    EditJudgement,
    EditKind,
    Engine,
    Flag,
    PageId,
    Probabilities,
    Verdict,
    Verification,
)
from handlers.page import parse
from handlers.registry import Checked, PageNow, found_by, stands

HERE = PageId("en.wikipedia.org", "Skarholm", revision_id=12)
BBC = "<ref>{{cite news |title=The clock |url=https://bbc.example/clock}}</ref>"
LOG = "<ref name=log>{{cite web |title=Log |url=https://log.example/1}}</ref>"
GOOD = f"The tower is 412 feet high.{BBC} It closed in 2001.{LOG}"
BAD = f"The tower is 412 metres high.{BBC} It closed in 2001.{LOG}"
WORSE = f"The tower is 421 metres high.{BBC} It closed in 2001.{LOG}"
_ENGINE = Engine("minilm", "6")


def _now(text: str) -> PageNow:
    return PageNow(parse(text, HERE))


def _judged(change: ChangedClaim) -> EditCheck:
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
    return EditCheck(change, (), EditJudgement(0.9, before, after), 0.9, flag)


def _found(
    before: str, after: str, known: tuple[Suggestion, ...] = ()
) -> tuple[Suggestion, ...]:
    now = _now(after)
    old = parse(before, replace(HERE, revision_id=11))
    changes = changes_between(old, now.page, baselines(known)).claims
    comparison = Comparison(old.id, len(changes), tuple(map(_judged, changes)))
    checked = Checked(now, (), date(2026, 11, 28), open=known, comparison=comparison)
    return found_by("changed", checked)


def test_a_note_has_both_versions_and_the_revisions() -> None:
    [one] = _found(GOOD, BAD)

    assert isinstance(one.finding, ChangedFinding)
    earlier = one.finding.facts.earlier
    assert earlier
    assert (one.claim, earlier.text) == (
        "The tower is 412 metres high.",
        "The tower is 412 feet high.",
    )
    assert [span.of(one.claim) for span in one.finding.marked] == ["metres"]
    assert [span.of(earlier.text) for span in earlier.marked] == ["feet"]
    assert (earlier.since, earlier.until) == (11, 12)


def test_it_stands_until_the_words_or_the_source_are_put_right() -> None:
    [one] = _found(GOOD, BAD)

    assert stands(one, _now(BAD))
    assert stands(one, _now(f"New lead.{LOG}\n\n{BAD}"))
    assert stands(one, _now(GOOD)) is None
    assert stands(one, _now(BAD.replace(BBC, LOG))) is None


def test_a_removed_source_is_settled_when_it_is_back() -> None:
    [one] = _found(GOOD, GOOD.replace(BBC, ""))

    assert isinstance(one.finding, ChangedFinding)
    assert one.finding.done is EditKind.REMOVED
    assert stands(one, _now(GOOD.replace(BBC, "")))
    assert stands(one, _now(GOOD)) is None


def test_edits_elsewhere_leave_it_open() -> None:
    [one] = _found(GOOD, BAD)

    again = _found(BAD, BAD.replace("closed", "shut"), (one,))

    assert one.identity in {each.identity for each in again}


def test_a_revert_closes_it() -> None:
    [one] = _found(GOOD, BAD)

    assert _found(BAD, GOOD, (one,)) == ()


def test_each_turn_of_an_edit_war_is_the_same_note() -> None:
    [first] = _found(GOOD, BAD)
    [second] = _found(BAD, WORSE, (first,))
    [third] = _found(GOOD, BAD)

    assert first.identity == second.identity == third.identity
    assert second.claim == "The tower is 421 metres high."
    assert isinstance(second.finding, ChangedFinding)
    assert second.finding.before == "The tower is 412 feet high."


def test_what_differs_is_marked_in_whole_words() -> None:
    before = "It was to be opened in 1,200 days."
    after = "It was opened in 1,300 days."
    mine, theirs = changed_words(before, after)

    assert [span.of(after) for span in mine] == ["1,300"]
    assert [span.of(before) for span in theirs] == ["to be", "1,200"]
