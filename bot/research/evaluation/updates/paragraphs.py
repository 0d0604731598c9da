"""Has the editor of updates edit real paragraphs, and counts how many edits keep all.

There are two kinds, both made by the code that ships. `embedded`: a citation and a mark
for each sentence, as for an update that refutes it. `operations`: each sentence that
people added or changed, as a language model would ask for it, with a citation; all
checks of the model's editor apply except the one on meaning.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from bot.research.evaluation.datasets import (
    WIKI,
    FileRows,
    UnusableError,
    content_of,
    lines_in,
    object_in,
    read_json_lines,
)
from bot.research.evaluation.metrics import token_change
from bot.research.evaluation.report import Progress
from handlers.model import (
    ClaimKind,
    Criteria,
    Engine,
    Evidence,
    Page,
    PageId,
    Passage,
    Proposal,
    Reliability,
    Source,
    SourceFetch,
    SourceForm,
    SourceOutcome,
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
from handlers.page import parse
from handlers.page.article import stated
from handlers.sources.templates import fill
from handlers.updates.editor import Cited, EmbeddedEditor, proposed, with_citation
from handlers.updates.operations import (
    Operation,
    OperationKind,
    Paragraph,
    Places,
    RefusedError,
    apply_operations,
)

_DAY = date(2026, 1, 31)
_ADDRESS = "https://news.example/report?a=b&c=[d]"
_QUOTED = re.compile(r"“[^”]*”")
_SAID = "A report."
_NOBODY = Engine("none", "0")
_READING = SourceFetch(
    Source(SourceForm.URL, raw=_ADDRESS, url=_ADDRESS),
    SourceOutcome.READ,
    "read",
    url=_ADDRESS,
    document=SourceText(_SAID, title="A | report: {{x}} [y] <ref>"),
)
_TEMPLATE = fill(_READING, WIKI)
_FOOTNOTE = f"<ref>{_TEMPLATE}</ref>"


@dataclass(slots=True)
class Tally:
    """Edits of one kind: how many were made, kept all, or were refused and why."""

    made: int = 0
    kept: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def count(self, wikitext: str, proposal: Proposal | str, added: str) -> str | None:
        """Count an edit; return the wikitext after it, if it was made."""
        if isinstance(proposal, str):
            self.refused[_QUOTED.sub("…", proposal)] += 1
            return None
        after = _after(wikitext, proposal)
        self.made += 1
        self.kept += keeps_all(wikitext, after, added)
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
    rows: tuple[Row, ...]
    embedded: Tally
    operations: Tally


@dataclass(frozen=True, slots=True)
class Pair:
    title: str
    old: str
    new: str


def edit_all(pairs: Sequence[Pair], progress: Progress) -> Paragraphs:
    """Make every edit of every pair, each on the original paragraph."""
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
    """Return how many words the edit from one sentence to another changes.

    `None` if the editor refuses it.
    """
    page = page_of(title, original)
    places = Places(page)
    sentence = prose(page)
    for paragraph in places.paragraphs(()):
        made = _edit(
            page, places, paragraph, Operation(OperationKind.REPLACE, sentence, other)
        )
        if isinstance(made, Proposal):
            return token_change(sentence, prose(page_of(title, _after(original, made))))
    return None


def _cite_all(page: Page, tally: Tally) -> None:
    subject = _subject(page)
    editor, places = EmbeddedEditor(), Places(page)
    for statement in stated(page):
        for kind in (UpdateKind.OUTDATED, UpdateKind.POINTER):
            update = _update(kind, statement)
            edited = editor.edited(places, subject, update)
            proposal = edited.proposal
            tally.count(
                page.wikitext,
                proposal or edited.refused[0],
                proposal.after if proposal else "",
            )


def _operate(old: Page, new: Page, tally: Tally) -> int:
    """Return how many words of the article all edits of a pair change together."""
    places = Places(old)
    changed = 0
    for paragraph, operation in operations_of(old, new):
        made = _edit(old, places, paragraph, operation)
        added = _FOOTNOTE if isinstance(made, Proposal) else ""
        after = tally.count(old.wikitext, made, added)
        if after is not None:
            words = page_of(old.id.title, after)
            changed += token_change(prose(old), prose(words))
    return changed


def _edit(
    page: Page, places: Places, paragraph: Paragraph, operation: Operation
) -> Proposal | str:
    """Make an operation with a citation, as the model's editor does; return it."""
    subject = _subject(page)
    nothing = Statement("", ClaimKind.SENTENCE, (), Span(0, 0))
    update = _update(UpdateKind.NEW_FACT, nothing)
    citation = Cited(update.sources[0], _TEMPLATE, _FOOTNOTE)
    try:
        work = apply_operations(places, paragraph, [operation])
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
        fetch=_READING,
        evidence=Evidence(passage, _SAID, passage.span, (), 1.0),
        site="news.example",
        reliability=Reliability(Trust.UNLISTED, ""),
        dated=_DAY,
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


SET = "wikitext_revision_pairs"
_SAMPLED_LINES = 20  # lines read to find out what a file holds
_LONGEST_CHARS = 100_000
_ALIKE = 0.5  # likeness of two sentences of which one became the other
# Parsed independently of the program's own code, so that one checks the other.
_MARKUP = re.compile(
    r"<ref\b[^<>]*/>|<ref\b[^<>]*>.*?</ref\s*>|\[\[[^\[\]]*\]\]|\{\{[^{}]*\}\}"
    r"|\[https?:[^\]\n]*\]",
    re.DOTALL | re.IGNORECASE,
)
_INSIDE = re.compile(r"\[\[[^\[\]]*\]\]|\{\{[^{}]*\}\}|<ref\b", re.IGNORECASE)


def has_pairs(path: Path) -> bool:
    """Return whether one of the first lines of a file is a pair."""
    for _, line in islice(lines_in(path, content_of(path)), _SAMPLED_LINES):
        with suppress(UnusableError):
            _pair(0, object_in(line))
            return True
    return False


def read_pairs(path: Path) -> FileRows[Pair]:
    needs = "title, old_wikitext and new_wikitext"
    return read_json_lines(path, _pair, needs=needs, name=SET)


def _pair(_: int, fields: Mapping[str, Any]) -> Pair:
    # The old wikitext in the data set is escaped for HTML, the new one is not.
    title, old, new = (
        _text(fields, name) for name in ("title", "old_wikitext", "new_wikitext")
    )
    if not (title and old and new):
        raise UnusableError(
            "title, old_wikitext or new_wikitext is no text of a usual length"
        )
    return Pair(title, html.unescape(old), new)


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) and len(value) <= _LONGEST_CHARS else ""


def page_of(title: str, wikitext: str) -> Page:
    return parse(wikitext, PageId(WIKI, title or "Untitled"))


def prose(page: Page) -> str:
    """Return the sentences of a page, one after the other."""
    sentences = []
    for one in reversed(list(Places(page).paragraphs(()))):
        sentences += [one.text(sentence) for sentence in one.sentences]
    return " ".join(sentences)


def operations_of(old: Page, new: Page) -> Iterator[tuple[Paragraph, Operation]]:
    """Yield each sentence that the human edit added or changed, as an operation."""
    after = [
        one.text(sentence)
        for one in reversed(list(Places(new).paragraphs(())))
        for sentence in one.sentences
    ]
    places = reversed(list(Places(old).paragraphs(())))
    before = [(one, one.text(sentence)) for one in places for sentence in one.sentences]
    lines = [text for _, text in before]
    found = SequenceMatcher(None, lines, after, autojunk=False).get_opcodes()
    for tag, i, j, k, m in found:
        if (tag == "insert" and i == 0) or tag in {"equal", "delete"}:
            continue
        for number, text in enumerate(after[k:m]):
            is_past_end = tag == "insert" or i + number >= j
            paragraph, words = before[j - 1 if is_past_end else i + number]
            # Either a rewording of an old sentence, or an addition after it.
            alike = SequenceMatcher(None, words.split(), text.split(), autojunk=False)
            is_same = not is_past_end and alike.ratio() >= _ALIKE
            kind = OperationKind.REPLACE if is_same else OperationKind.INSERT
            yield paragraph, Operation(kind, words, text)


def keeps_all(before: str, after: str, added: str) -> bool:
    """Return whether `after` holds the markup of `before` and of `added`, and no other.

    This compares the wikitext by simple patterns, not by the program's own parser.
    """
    without = after.replace(added, "", 1)
    held, holds = (
        Counter((*_MARKUP.findall(one), *_INSIDE.findall(one)))
        for one in (before, without)
    )
    return added in after and held == holds and _signs(before) == _signs(without)


def _signs(wikitext: str) -> Counter[str]:
    return Counter(re.findall(r"[\[\]{}<>|\n]|'{2,}", wikitext))
