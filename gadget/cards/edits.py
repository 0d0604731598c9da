"""The changes to an article that a reader can make with one click.

Each is as small as possible: a tag after a citation, an archived copy added to the
existing citation, another source beside or instead of it. Ambiguous changes (a citation
that is on the page twice, words that are not found exactly once) are not offered. Pure.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import chain

from bot.report.words import clean
from gadget.cards.sources import filled
from gadget.payloads.cards import Edit, EditKind
from handlers.citations.drift import with_archive, with_copy
from handlers.citations.quote_links import host_of
from handlers.findings import Remedy, RemedyKind
from handlers.model import (
    Citation,
    CitationForm,
    Claim,
    ClaimKind,
    Page,
    Source,
    SourceForm,
    Span,
    TagKind,
    UrlStatus,
    Verdict,
)
from handlers.sources.links import LinkState
from handlers.sources.templates import TagTemplate, WikiTags

_DEFINES = frozenset({CitationForm.REF, CitationForm.FOOTNOTE_TEMPLATE})
_HOLDS_SOURCE = _DEFINES | {CitationForm.INLINE_TEMPLATE}
_PAGES = re.compile(
    r"\s{0,3}\{\{\s{0,9}(?:rp|reference page)\s{0,9}\|[^{}]{0,200}\}\}", re.I
)
# What editors put after a link that bots should leave alone, as IABot reads it; other
# templates may be in between.
_LET_BE = re.compile(
    r"(?:\s{0,3}\{\{[^{}]{0,200}\}\}){0,3}?\s{0,3}\{\{\s{0,9}cbignore\s{0,9}[|}]", re.I
)


@dataclass(frozen=True, slots=True)
class EditSection:
    """A section as MediaWiki offers it for editing: with its subsections."""

    number: int
    start: int  # of `text` in the page
    text: str


class Places:
    """Finds the sources and sections of one page."""

    def __init__(self, page: Page) -> None:
        self._text = page.wikitext
        self._sections = page.sections
        self._starts = [section.span.start for section in page.sections]
        self._stretches: dict[int, EditSection] = {}
        self._definitions: dict[tuple[str | None, str], Span] = {}
        self._cited = Counter(
            start
            for claim in page.claims
            for start in {each.marker.start for each in claim.citations}
        )
        citations = {
            each.marker.start: each
            for each in chain.from_iterable(claim.citations for claim in page.claims)
        }
        for _, each in sorted(citations.items()):
            if each.name and each.form in _DEFINES and each.sources:
                self._definitions.setdefault((each.group, each.name), each.marker)

    @property
    def wikitext(self) -> str:
        """The whole page."""
        return self._text

    def stretch_at(self, offset: int) -> EditSection:
        """Return the section to edit for a change at `offset`."""
        at = bisect_right(self._starts, offset) - 1
        found = self._stretches.get(at)
        if found is None:
            section = self._sections[at]
            end = self._end_of(at)
            text = self._text[section.span.start : end].rstrip()
            found = EditSection(section.number, section.span.start, text)
            self._stretches[at] = found
        return found

    def _end_of(self, at: int) -> int:
        own, level = self._sections[at].span.end, self._sections[at].level
        if level == 0:
            return own
        below = self._sections[at + 1 :]
        after = (each for each in below if each.level <= level)
        return next((each.span.start for each in after), len(self._text))

    def behind(self, claim: Claim) -> int | None:
        """Return the place right after the last citation of a claim, and its pages.

        `None` where that would be about other words: those between a claim and its
        citations, or those before the list that the claim is an item of.
        """
        if not claim.citations or claim.sentences_before:
            return None
        end = max(each.marker.end for each in claim.citations)
        if claim.kind is ClaimKind.LIST_ITEM and end <= claim.span.start:
            return None
        while found := _PAGES.match(self._text, end):
            end = found.end()
        return end

    def source(self, claim: Claim, source: Source) -> Span | None:
        """Return where a source that `claim` cites is defined.

        `None` if it is there more than once, and nothing shows which is meant.
        """
        for citation in claim.citations:
            if any(each.key == source.key for each in citation.sources):
                for span in self._around(citation):
                    found = _only(source.raw, self._text, span)
                    if found:
                        return found
        return _only(source.raw, self._text, Span(0, len(self._text)))

    def is_let_be(self, claim: Claim, source: Source) -> bool:
        """Return whether editors ask bots to leave a source's link alone."""
        span = self.source(claim, source)
        return span is not None and _LET_BE.match(self._text, span.end) is not None

    def is_cited_once(self, citation: Citation) -> bool:
        """Return whether only one claim uses a citation."""
        return self._cited[citation.marker.start] <= 1

    def _around(self, citation: Citation) -> Iterator[Span]:
        if citation.form in _HOLDS_SOURCE:
            yield citation.marker
        if citation.name:
            defined = self._definitions.get((citation.group, citation.name))
            if defined:
                yield defined


def _only(words: str, text: str, within: Span) -> Span | None:
    """Return the only place of `words`."""
    start = text.find(words, within.start, within.end) if words else -1
    if start < 0 or text.find(words, start + 1, within.end) >= 0:
        return None
    return Span(start, start + len(words))


_FIRST_CONTEXT = 40  # characters on each side
_MOST_CONTEXT = 2_560


@dataclass(frozen=True, slots=True)
class Change:
    """Words of a page, and their replacement; see `Edit`."""

    id: str
    kind: EditKind
    label: str
    span: Span
    new: str


@dataclass(frozen=True, slots=True)
class Editor:
    """Makes the edits of one page; `tags` are its wiki's, `today` dates them."""

    places: Places
    tags: WikiTags
    today: date

    def tag(self, claim: Claim, kind: TagKind) -> Iterator[Edit]:
        """Yield a tag after the citations of `claim`, if it does not have it yet."""
        at = self.places.behind(claim)
        has_tag = any(tag.kind is kind for tag in claim.tags)
        if at is not None and not has_tag:
            yield from self.tag_at(at, kind)

    def tag_at(self, at: int, kind: TagKind) -> Iterator[Edit]:
        """Yield a tag at a place on the page, if the wiki has it."""
        template = self.tags.get(kind)
        if template is None and kind is TagKind.DUBIOUS:
            kind = TagKind.FAILED_VERIFICATION
            template = self.tags.get(kind)
        if template is None:
            return
        new = template.wikitext(self.today)
        if new is not None:
            change = Change(_id("tag", kind), EditKind.TAG, template.name, _at(at), new)
            yield from self.edit(change)

    def untag(self, claim: Claim, kind: TagKind) -> Iterator[Edit]:
        """Yield the removal of a tag that `claim` carries."""
        for tag in claim.tags:
            if tag.kind is kind:
                name = tag.span.of(self.places.wikitext).strip("{} ").partition("|")[0]
                change = Change(_id("untag", kind), EditKind.UNTAG, name, tag.span, "")
                yield from self.edit(change)
                return

    def dead_links(self, claim: Claim, gone: Iterable[str]) -> Iterator[Edit]:
        """Yield a tag for each source of `claim` whose key is among `gone`."""
        template, keys = self.tags.get(TagKind.DEAD_LINK), frozenset(gone)
        if template is None:
            return
        for number, source in enumerate(claim.sources):
            is_let_be = self.places.is_let_be(claim, source)
            if is_let_be or not source.url or source.key not in keys:
                continue
            if not is_marked_dead(source):
                yield from self._dead_link(claim, source, number, template)

    def archive(
        self, claim: Claim, source: Source, copy: tuple[str, date], state: LinkState
    ) -> Iterator[Edit]:
        """Yield the archived copy of a link that no longer serves its source."""
        if self.places.is_let_be(claim, source):
            return
        span = self.places.source(claim, source)
        status = UrlStatus.USURPED if state is LinkState.USURPED else UrlStatus.DEAD
        new = with_archive(source, *copy, status)
        if span is not None and new is not None:
            yield from self.edit(
                Change("archive-link", EditKind.ARCHIVE, _title(source), span, new)
            )

    def _dead_link(
        self, claim: Claim, source: Source, number: int, template: TagTemplate
    ) -> Iterator[Edit]:
        span = self.places.source(claim, source)
        tag = template.wikitext(self.today, source)
        if span is None or tag is None or source.form is SourceForm.TEXT:
            return
        name = f"dead-link-{number}"
        yield from self.edit(
            Change(name, EditKind.TAG, template.name, _at(span.end), f" {tag}")
        )

    def mend(
        self, claim: Claim, verdict: Verdict, remedies: Iterable[Remedy]
    ) -> Mapping[int, Edit]:
        """Return the edit for each remedy, by its index."""
        found: dict[int, Edit] = {}
        for number, remedy in enumerate(remedies):
            if remedy.kind is RemedyKind.ARCHIVED_COPY:
                change = self._archive(claim, remedy, number)
            else:
                change = self._cite(claim, verdict, remedy, number)
            for edit in self.edit(change) if change else ():
                found[number] = edit
        return found

    def _archive(self, claim: Claim, remedy: Remedy, number: int) -> Change | None:
        copied = filled(remedy.citation)
        if copied is None or remedy.citation is None:
            return None
        source = next((one for one in claim.sources if one.url == copied.url), None)
        span = self.places.source(claim, source) if source else None
        if source is None or span is None:
            return None
        if source.form is SourceForm.TEMPLATE:
            new = with_copy(source, remedy.citation)
        else:
            new = remedy.citation if self._fills_its_footnote(span) else None
        if new is None or new == source.raw:
            return None
        title = _title(source)
        return Change(f"archive-{number}", EditKind.ARCHIVE, title, span, new)

    def _cite(
        self, claim: Claim, verdict: Verdict, remedy: Remedy, number: int
    ) -> Change | None:
        citation = remedy.citation
        found = filled(citation)
        if citation is None or found is None:
            return None
        own = self._own_source(claim) if verdict is Verdict.NOT_SUPPORTED else None
        at = self.places.behind(claim)
        span = own or _wanting(claim) or (None if at is None else _at(at))
        if span is None:
            return None
        new = citation if own else f"<ref>{citation}</ref>"
        return Change(f"cite-{number}", EditKind.CITE, _title(found), span, new)

    def _own_source(self, claim: Claim) -> Span | None:
        """Return the source to replace: the claim's only source, cited only there."""
        if len(claim.citations) != 1 or len(claim.sources) != 1:
            return None
        [citation], [source] = claim.citations, claim.sources
        if citation.form is not CitationForm.REF or citation.name:
            return None
        span = self.places.source(claim, source)
        if span is None or not self._fills_its_footnote(span):
            return None
        return span if self.places.is_cited_once(citation) else None

    def _fills_its_footnote(self, span: Span) -> bool:
        """Return whether the `<ref>` around a source holds nothing else."""
        text = self.places.wikitext
        before = text[: span.start].rstrip()[-1:]
        after = text[span.end : span.end + 50].lstrip()
        return before == ">" and after.lower().startswith("</ref")

    # --- the words around a change -------------------------------------------

    def edit(self, change: Change) -> Iterator[Edit]:
        """Yield the change as an edit of its section, if it is unambiguous."""
        stretch = self.places.stretch_at(change.span.start)
        start = change.span.start - stretch.start
        end = change.span.end - stretch.start
        text, around = stretch.text, _FIRST_CONTEXT
        if end > len(text):
            return
        while around <= _MOST_CONTEXT:
            first, last = max(start - around, 0), min(end + around, len(text))
            words = text[first:last]
            at = text.find(words)
            if at == first and text.find(words, at + 1) < 0:
                sent = words + change.new
                if clean(sent) == sent:
                    yield Edit(
                        id=change.id,
                        kind=change.kind,
                        label=clean(change.label),
                        section=stretch.number,
                        before=text[first:start],
                        old=text[start:end],
                        new=change.new,
                        after=text[end:last],
                    )
                return
            around *= 2


def _at(place: int) -> Span:
    return Span(place, place)


def _id(what: str, kind: TagKind) -> str:
    return f"{what}-{kind.value.replace(' ', '-')}"


def _wanting(claim: Claim) -> Span | None:
    """Return the tag that asks for a source, to be replaced by the source."""
    tags = (tag.span for tag in claim.tags if tag.kind is TagKind.CITATION_NEEDED)
    return next(tags, None)


def is_marked_dead(source: Source) -> bool:
    """Return whether the citation says that the link is dead, or has a copy of it."""
    return source.archive_url is not None or source.url_status not in {
        None,
        UrlStatus.LIVE,
    }


def _title(source: Source) -> str:
    return source.title or host_of(source.url) or source.key
