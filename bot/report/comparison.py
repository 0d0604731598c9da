"""What a comparison with an earlier revision came to, ready for layout.

An edit that no note names was either found to be harmless or not compared at all: the
line and the list tell which. Pure.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bot.report.words import counted
from handlers.citations.quote_links import Piece, pieces, source_title
from handlers.edits.alignment import changed_words
from handlers.model import (
    Comparison,
    EditCheck,
    NotCompared,
    NotJudged,
    SourceFetch,
)

_NOT_COMPARED: Mapping[NotCompared, str] = {
    NotCompared.HIDDEN: "its text is hidden",
    NotCompared.MISSING: "the wiki has no such revision",
    NotCompared.OTHER_PAGE: "it belongs to another page",
    NotCompared.NOT_WIKITEXT: "it is no wikitext",
    NotCompared.TOO_LARGE: "too much text was changed",
    NotCompared.BLANKED: "the page was blanked",
    NotCompared.TOO_MANY: "too many claims were changed",
}
_WITHOUT_SOURCE = frozenset({NotJudged.UNREAD, NotJudged.READ_IN_PART})


@dataclass(frozen=True, slots=True)
class EditView:
    """A changed claim that no source decided about, and why none did.

    `before` is empty for what was inserted.
    """

    section: tuple[str, ...]
    before: tuple[Piece, ...]
    after: tuple[Piece, ...]
    why: str
    quote: str  # of what was read; empty if nothing was


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """What is said of a comparison as a whole, and the edits that were not compared.

    Of those `in_part`, what was read says that the words were moved away, but it is not
    all that stands behind them.
    """

    lines: tuple[str, ...]
    not_compared: tuple[EditView, ...]
    in_part: tuple[EditView, ...]


def comparison_view(found: Comparison) -> ComparisonView:
    """Return what a reader sees of a comparison beside the notes."""
    in_part = [one for one in found.checks if one.why_not]
    return ComparisonView(
        tuple(_lines(found, len(in_part))),
        tuple(map(_edit, found.unjudged)),
        tuple(map(_edit, in_part)),
    )


def _lines(found: Comparison, in_part: int) -> Iterator[str]:
    earlier = found.earlier.revision_id
    named = f"revision {earlier}" if earlier is not None else "the earlier text"
    if found.not_compared is not None:
        yield f"Not compared with {named}: {_NOT_COMPARED[found.not_compared]}."
    elif found.changed:
        judged = f"{len(found.checks)} judged against their sources"
        if in_part:
            judged += f" ({in_part} of them not in full)"
        parts = [judged]
        if found.unjudged:
            parts.append(
                f"{len(found.unjudged)} could not be compared ({_whys(found.unjudged)})"
            )
        changed = counted(found.changed, "changed claim")
        yield f"Compared with {named}: {changed}, {', '.join(parts)}."
    elif not found.hardly_alike:
        yield f"Compared with {named}: no claim that cites a source was changed."
    if found.hardly_alike:
        asked = (
            f"Hardly a sentence of {named} is on this page: is it of the same article?"
        )
        is_compared = found.not_compared is None
        yield f"{asked} Both were compared all the same." if is_compared else asked


def _whys(edits: Iterable[EditCheck]) -> str:
    counts = Counter(one.why_not.value for one in edits if one.why_not)
    return ", ".join(f"{why}: {number}" for why, number in counts.items())


def _edit(check: EditCheck) -> EditView:
    change = check.change
    before = change.before.text if change.before else ""
    marked, struck = changed_words(before, change.words) if before else ((), ())
    judged = check.judgement
    evidence = (*judged.before.evidence, *judged.after.evidence) if judged else ()
    return EditView(
        change.section,
        pieces(before, struck),
        pieces(change.words, marked),
        _why(check),
        next((one.quote for one in evidence), ""),
    )


def _why(check: EditCheck) -> str:
    """Return why an edit was not compared, with the sources that were not read."""
    if check.why_not is None:
        return ""
    unread = [one for one in check.fetches if one.document is None]
    if check.why_not not in _WITHOUT_SOURCE or not unread:
        return check.why_not.value
    return f"{check.why_not.value}: {'; '.join(map(_unread, unread))}"


def _unread(fetch: SourceFetch) -> str:
    return f"{source_title(fetch.source, fetch)} ({fetch.outcome.value})"
