"""The editor without a language model: a citation and a mark, and no word. Pure.

An outdated statement gets the newer source and the wiki's mark for what is outdated,
behind the footnotes that it has. Where the wiki has no such mark it gets nothing: a
source that says otherwise would stand there as if it bore the statement out. A new fact
gets its citation where the fact belongs, for a person to write the sentence before it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from handlers.citations.templates import WikiTags, tags_of
from handlers.model import (
    ClaimKind,
    Proposal,
    Span,
    Subject,
    TagKind,
    Update,
    UpdateKind,
)
from handlers.page.paragraphs import Shape
from handlers.updates.editing.changes import Change, applied, in_order
from handlers.updates.editing.citing import Cited, cited, cites
from handlers.updates.editing.guarding import harm
from handlers.updates.editing.places import Behind, Places
from handlers.updates.roles import Edited, Turn

_NOTHING_TO_ADD = {
    UpdateKind.OUTDATED: "the wiki has no mark for outdated words that we know of,"
    " or the statement has the mark and the source already",
    UpdateKind.NEW_FACT: "the source stands there already",
    UpdateKind.POINTER: "the source stands there already",
}
# The footnote stands before the full stop in these languages.
_BEFORE_STOP = frozenset({"fr", "es"})


@dataclass(frozen=True, slots=True)
class Target:
    """Where a citation of an update belongs; `since` is where its statement begins."""

    behind: Behind
    since: int
    kind: ClaimKind


class EmbeddedEditor:
    """Fulfils `handlers.updates.roles.Editor`."""

    def __init__(self, tags: Callable[[str], WikiTags] = tags_of) -> None:
        """Mark with the `tags` of a wiki, known by its host."""
        self._tags = tags

    async def propose(
        self, subject: Subject, updates: Sequence[Update]
    ) -> Sequence[Turn[Edited]]:
        """Return the edit for each update, or why there is none."""
        made = [self.made(subject, one) for one in updates]
        return [
            Turn(Edited(None, (one,)) if isinstance(one, str) else Edited(one))
            for one in made
        ]

    def made(self, subject: Subject, update: Update) -> Proposal | str:
        """Return the edit, or why there is none, in plain words."""
        page = subject.page
        citation = cited(page, update)
        if citation is None:
            return "no source of it states enough of itself to be cited"
        places = Places(page)
        target = target_of(places, update)
        if target is None:
            return "its section has no paragraph to place it in"
        markup = self._markup(subject, update, target, citation)
        if markup is None:
            return _NOTHING_TO_ADD[update.kind]
        at = place_for_footnote(target.behind, page.id.wiki)
        hindrance = places.hindrance(at, target.kind)
        if hindrance:
            return hindrance
        changes = (Change(Span(at, at), markup=markup),)
        return proposed(subject, update, changes, citation.template)

    def _markup(
        self, subject: Subject, update: Update, target: Target, citation: Cited
    ) -> str | None:
        """Return what is placed: the footnote, if it is not there, and the mark."""
        behind = target.behind
        footnote = citation.footnote
        if cites(subject.page, citation.source, target.since, behind.at):
            footnote = ""
        if update.kind is not UpdateKind.OUTDATED:
            return footnote or None
        if behind.is_marked:
            return footnote or None
        tag = self._tags(subject.page.id.wiki).get(TagKind.OUTDATED)
        mark = tag.wikitext(subject.today) if tag else None
        return footnote + mark if mark else None


def target_of(places: Places, update: Update) -> Target | None:
    """Return the place behind the statement of `update`, or at the end of its section."""
    statement = update.replaces or update.after
    if statement is not None:
        span = statement.span
        return Target(places.behind(span), span.start, statement.kind)
    for paragraph in places.paragraphs(update.section):
        if paragraph.shape is Shape.PARAGRAPH:
            span = paragraph.sentences[-1].span
            return Target(places.behind(span), span.start, ClaimKind.SENTENCE)
    return None


def place_for_footnote(behind: Behind, wiki: str) -> int:
    """Return where a footnote goes: by those that are there, else by the wiki's habit."""
    is_first = not (behind.is_cited or behind.is_marked)
    return behind.stop if is_first and is_before_stop(wiki) else behind.at


def is_before_stop(wiki: str) -> bool:
    """Tell whether a footnote stands before the full stop on a wiki, by its host."""
    return wiki.split(".", maxsplit=1)[0] in _BEFORE_STOP


def proposed(
    subject: Subject,
    update: Update,
    changes: tuple[Change, ...],
    citation: str,
    *,
    is_worded: bool = False,
) -> Proposal | str:
    """Return the changes as a proposal, or why they may not be made."""
    wikitext = subject.page.wikitext
    changes = in_order(changes)
    reasons = harm(wikitext, changes)
    if reasons:
        return "; ".join(reasons)
    span = Span(changes[0].span.start, changes[-1].span.end)
    inside = tuple(_within(one, span.start) for one in changes)
    before = span.of(wikitext)
    return Proposal(
        update=update.number,
        span=span,
        before=before,
        after=applied(before, inside),
        citation=citation,
        is_worded=is_worded,
    )


def _within(change: Change, start: int) -> Change:
    span = Span(change.span.start - start, change.span.end - start)
    return Change(span, change.words, change.markup, change.closing)
