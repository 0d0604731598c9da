"""The report page in a watcher's own space. Pure.

People read it as a page and as wikitext: one heading for each article, one list item
for each note, the words of article and source first and the machine's details folded
away. Only what stands between the markers is ours. Taking an item away dismisses it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from bot.records.watches import Policy
from bot.report.notes import MOST_SHOWN, Note, allowed, more
from bot.report.words import counted, moment
from bot.surfaces.note import (
    cell_words,
    claim_words,
    guideline_link,
    mark,
    marks_in,
    message_words,
    quote_words,
    revision_link,
    section_words,
    source_words,
    sources_of,
)
from bot.wiki import blocks
from bot.wiki.escaping import NOTHING, WikiSafe, filled, joined, page_link, text
from bot.wiki.keys import Keys

BLOCK = "report"
MOST_NOTES = 100  # on one page; what is beyond waits
_CITATION_CHARS = 1_000

_HEAD = """\
'''Sidenote''' compares what articles say with the sources they cite. $count as of \
$when. A note goes away when its sentence is fixed. To dismiss one, remove its lines: \
it does not come back. ($help)"""
_HEADING = "== $page =="
_LINE_AS_HEADING = "'''$page'''"
_ITEM = "* $mark'''$headline.'''$place"
_CLAIM = "*: $says$cell: “$claim”"
_QUOTE = "*: $says$dated: “$quote” ($source)"
_LINE = "*: $line"
_SOURCES = "*: Sources: $sources"
_MORE = """\
<div class="mw-collapsible mw-collapsed" data-expandtext="$more" data-collapsetext="Hide">
$notes
</div>"""
_DETAILS = (
    '*: <div class="mw-collapsible mw-collapsed" data-expandtext="Details"'
    ' data-collapsetext="Hide details"><div class="mw-collapsible-content">$details'
    "</div></div>"
)


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """What a report says about itself.

    `linkable` are the addresses that the wiki's spam blacklist lets through; all
    others are shown as text. `waiting` counts notes that are held back by a limit.
    Without `has_headings` the report stays within one section of its page.
    """

    bot: str
    as_of: datetime
    policy: Policy = Policy.POINTER
    linkable: frozenset[str] = frozenset()
    waiting: int = 0
    has_headings: bool = True


def reported(
    page: str,
    notes: Sequence[Note],
    facts: ReportFacts,
    keys: Keys,
    *,
    own: str | None = None,
) -> blocks.Rewritten:
    """Return the report page with `notes` in its block, and nothing else changed.

    Args:
        page: its wikitext, empty where there is no page yet.
        notes: what is open, in the order in which it is to stand.
        facts: about the report.
        keys: sign the block and the notes.
        own: `Rewritten.content` of the last time, where it is known.
    """
    body = report(notes, facts, keys)
    return blocks.rewritten(page, BLOCK, body, keys, own=own)


def taken_away(page: str, own: str, keys: Keys) -> frozenset[str]:
    """Return the short identities of notes that people removed from the report.

    Args:
        page: the wikitext as it is now.
        own: `Rewritten.content` of the last time.
        keys: signed the notes.
    """
    return frozenset(marks_in(own, keys)) - standing(page, own, keys)


def standing(page: str, own: str | None, keys: Keys) -> frozenset[str]:
    """Return the short identities of the notes that stand in the report now."""
    block = blocks.find(page, BLOCK, keys, own=own).block
    return frozenset(marks_in(block.content, keys) if block else ())


def is_unchanged(page: str, own: str | None, notes: Sequence[Note], keys: Keys) -> bool:
    """Tell whether the report shows these very notes already, in whatever order.

    Only its date would change then, and what people wrote in it would move: such an
    edit is not worth making.
    """
    block = blocks.find(page, BLOCK, keys, own=own).block
    if block is None:
        return False
    shown = {note.identity[:24] for note in notes[:MOST_NOTES]}
    return set(marks_in(block.content, keys)) == shown


def report(notes: Sequence[Note], facts: ReportFacts, keys: Keys) -> WikiSafe:
    """Return the content of the report as wikitext."""
    parts = [_head(notes, facts)]
    for title, of_article in groupby(
        notes[:MOST_NOTES], key=lambda one: one.page.title
    ):
        heading = _HEADING if facts.has_headings else _LINE_AS_HEADING
        parts.append(filled(f"\n{heading}", page=page_link(title)))
        shown = [_item(allowed(one, facts.policy), facts, keys) for one in of_article]
        parts += shown[:MOST_SHOWN]
        if len(shown) > MOST_SHOWN:
            line = WikiSafe(str(more(len(shown) - MOST_SHOWN)))
            rest = joined("\n", shown[MOST_SHOWN:])
            parts.append(filled(_MORE, more=line, notes=rest))
    waiting = facts.waiting + len(notes[MOST_NOTES:])
    if waiting:
        told = counted(waiting, "more note")
        parts.append(WikiSafe(f"\n{told} will follow when there is room."))
    return joined("\n", parts)


def _head(notes: Sequence[Note], facts: ReportFacts) -> WikiSafe:
    told = counted(len(notes), "note") if notes else "There are no notes"
    return filled(
        _HEAD,
        count=WikiSafe(told),
        when=WikiSafe(moment(facts.as_of)),
        help=page_link(f"User:{facts.bot}", WikiSafe("about this program")),
    )


def _item(note: Note, facts: ReportFacts, keys: Keys) -> WikiSafe:
    return joined("\n", _lines(note, facts, keys))


def _lines(note: Note, facts: ReportFacts, keys: Keys) -> Iterator[WikiSafe]:
    section = section_words(note)
    place = filled(" Section “$section”.", section=section) if section else section
    headline = message_words(note.headline)
    yield filled(_ITEM, mark=mark(note, keys), headline=headline, place=place)
    claim = claim_words(note)
    if claim:
        cell = filled(" ($cell)", cell=cell_words(note)) if note.cell else NOTHING
        says = message_words(note.said_as)
        yield filled(_CLAIM, says=says, cell=cell, claim=claim)
    yield from _evidence(note, facts)
    if note.difference:
        yield filled(_LINE, line=message_words(note.difference))
    yield from _own_lines(note)
    yield filled(
        _LINE, line=filled("$certainty.", certainty=message_words(note.certainty))
    )
    yield from _offers(note)
    yield filled(_DETAILS, details=_details(note))


def _evidence(note: Note, facts: ReportFacts) -> Iterator[WikiSafe]:
    sources = sources_of(note)
    for one in note.quotes if note.quotes and note.quotes[0].dated else note.quotes[:1]:
        yield filled(
            _QUOTE,
            says=message_words(note.quoted_as),
            dated=WikiSafe(f", {one.dated}" if one.dated else ""),
            quote=quote_words(one),
            source=source_words(one.address, facts.linkable),
        )
        sources = tuple(each for each in sources if each != one.address)
    if sources:
        shown = joined("; ", (source_words(each, facts.linkable) for each in sources))
        yield filled(_SOURCES, sources=shown)


def _own_lines(note: Note) -> Iterator[WikiSafe]:
    lines = [text(each) for each in note.what_to_do]
    if note.guideline:
        link = guideline_link(note, note.guideline)
        lines.append(filled("($guideline)", guideline=link))
    if lines:
        yield filled(_LINE, line=joined(" ", lines))


def _offers(note: Note) -> Iterator[WikiSafe]:
    offered = (
        ("A citation to copy", note.citation, _CITATION_CHARS),
        ("The new fact", note.fact, _CITATION_CHARS),
        ("A proposed wording, written by a program", note.wording, _CITATION_CHARS),
    )
    for name, words, most in offered:
        if words:
            yield filled(
                "*: $name: <code>$words</code>",
                name=WikiSafe(name),
                words=text(words, most=most),
            )


def _details(note: Note) -> WikiSafe:
    return filled(
        "revision $revision; checked by $engine; note $identity",
        revision=revision_link(note),
        engine=text(f"{note.engine.name} {note.engine.version}", most=100),
        identity=text(note.identity[:24]),
    )
