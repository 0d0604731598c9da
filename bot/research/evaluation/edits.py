"""Has the editor of updates make edits of real paragraphs, and counts what they keep.

Two kinds, each by the code that ships. `embedded`: a citation and a mark for each
sentence, as for an update that refutes it. `operations`: each sentence that people put
in or changed, as a language model would ask for it, with a citation; of what the model's
editor checks, all but the meaning counts.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from bot.research.evaluation.paragraphs import (
    Pair,
    keeps_all,
    operations_of,
    page_of,
    prose,
)
from bot.research.evaluation.report import Progress
from handlers.citations.better.template import fill
from handlers.model import (
    ClaimKind,
    Criteria,
    Engine,
    Evidence,
    Page,
    Passage,
    Proposal,
    Reliability,
    Source,
    SourceForm,
    SourceOutcome,
    SourceReading,
    SourceText,
    Span,
    Statement,
    Subject,
    Trust,
    Update,
    UpdateKind,
    UpdateSource,
    Window,
)
from handlers.page.article import stated
from handlers.updates.editing.by_model import with_citation
from handlers.updates.editing.citing import Cited
from handlers.updates.editing.counting import token_change
from handlers.updates.editing.embedded import EmbeddedEditor, proposed
from handlers.updates.editing.operations import Deed, Operation, RefusedError, worked
from handlers.updates.editing.places import Paragraph, Places

_DAY = date(2026, 1, 31)
_ADDRESS = "https://news.example/report?a=b&c=[d]"
_QUOTED = re.compile(r"“[^”]*”")
_SAID = "A report."
_NOBODY = Engine("none", "0")
_READING = SourceReading(
    Source(SourceForm.URL, raw=_ADDRESS, url=_ADDRESS),
    SourceOutcome.READ,
    "read",
    url=_ADDRESS,
    document=SourceText(_SAID, title="A | report: {{x}} [y] <ref>"),
)
_TEMPLATE = fill(_READING, "en.wikipedia.org")
_FOOTNOTE = f"<ref>{_TEMPLATE}</ref>"


@dataclass(slots=True)
class Tally:
    """Edits of one kind: how many were made, and kept all; why others were refused."""

    made: int = 0
    kept: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def count(self, wikitext: str, proposal: Proposal | str, came: str) -> str | None:
        """Count an edit; return the wikitext after it, if it was made."""
        if isinstance(proposal, str):
            self.refused[_QUOTED.sub("…", proposal)] += 1
            return None
        after = _after(wikitext, proposal)
        self.made += 1
        self.kept += keeps_all(wikitext, after, came)
        return after


class Row(NamedTuple):
    """One paragraph: words changed by our edits and by the human one; edits by us."""

    title: str
    ours: int
    human: int
    made: int
    kept: int


@dataclass(frozen=True, slots=True)
class Paragraphs:
    """What was measured of all paragraphs."""

    rows: tuple[Row, ...]
    embedded: Tally
    operations: Tally


def edit_all(pairs: Sequence[Pair], progress: Progress) -> Paragraphs:
    """Make every edit of every pair, each of the paragraph as it was."""
    embedded, operations = Tally(), Tally()
    rows = []
    progress.started(len(pairs))
    for pair in pairs:
        made = embedded.made + operations.made
        kept = embedded.kept + operations.kept
        old, new = page_of(pair.title, pair.old), page_of(pair.title, pair.new)
        _cite_all(old, embedded)
        ours = _operate(old, new, operations)
        human = token_change(prose(old), prose(new))
        made = embedded.made + operations.made - made
        kept = embedded.kept + operations.kept - kept
        rows.append(Row(pair.title, ours, human, made, kept))
        progress.advance()
    return Paragraphs(tuple(rows), embedded, operations)


def replaced(title: str, original: str, other: str) -> int | None:
    """Return the words that the edit from one sentence to another changes.

    `None` where the editor refuses it.
    """
    page = page_of(title, original)
    places = Places(page)
    said = prose(page)
    for paragraph in places.paragraphs(()):
        made = _edit(page, places, paragraph, Operation(Deed.REPLACE, said, other))
        if isinstance(made, Proposal):
            return token_change(said, prose(page_of(title, _after(original, made))))
    return None


def _cite_all(page: Page, tally: Tally) -> None:
    subject = _subject(page)
    editor = EmbeddedEditor()
    for one in stated(page):
        statement = Statement(one.text, one.kind, one.section, one.span)
        for kind in (UpdateKind.OUTDATED, UpdateKind.POINTER):
            update = _update(kind, statement)
            made = editor.made(subject, update)
            came = made.after if isinstance(made, Proposal) else ""
            tally.count(page.wikitext, made, came)


def _operate(old: Page, new: Page, tally: Tally) -> int:
    """Return the words of the article that all edits of a pair change together."""
    places = Places(old)
    changed = 0
    for paragraph, operation in operations_of(old, new):
        made = _edit(old, places, paragraph, operation)
        came = _FOOTNOTE if isinstance(made, Proposal) else ""
        after = tally.count(old.wikitext, made, came)
        if after is not None:
            words = page_of(old.id.title, after)
            changed += token_change(prose(old), prose(words))
    return changed


def _edit(
    page: Page, places: Places, paragraph: Paragraph, operation: Operation
) -> Proposal | str:
    """Return an operation, cited, as the model's editor makes it."""
    subject = _subject(page)
    nothing = Statement("", ClaimKind.SENTENCE, (), Span(0, 0))
    update = _update(UpdateKind.NEW_FACT, nothing)
    citation = Cited(update.sources[0], _TEMPLATE, _FOOTNOTE)
    try:
        work = worked(places, paragraph, [operation])
        changes = with_citation(places, work, citation, page.id.wiki)
        return proposed(subject, update, changes, _TEMPLATE, is_worded=True)
    except (RefusedError, ValueError) as error:
        return str(error)


def _after(wikitext: str, proposal: Proposal) -> str:
    span = proposal.span
    return f"{wikitext[: span.start]}{proposal.after}{wikitext[span.end :]}"


def _subject(page: Page) -> Subject:
    criteria = Criteria((), "", _NOBODY)
    return Subject(page, (page.id.title,), (), criteria, Window(), _DAY)


def _update(kind: UpdateKind, statement: Statement) -> Update:
    is_outdated = kind is UpdateKind.OUTDATED
    passage = Passage("", _SAID, Span(0, len(_SAID)))
    source = UpdateSource(
        reading=_READING,
        evidence=Evidence(passage, _SAID, passage.span, (), 1.0),
        site="news.example",
        reliability=Reliability(Trust.UNLISTED, ""),
        dated=_DAY,
        basis=None,
        probability=1.0,
    )
    return Update(
        number=1,
        kind=kind,
        text=_SAID,
        section=statement.section,
        sources=(source,),
        probability=1.0,
        replaces=statement if is_outdated else None,
        after=statement,
    )
