"""The report page in a watcher's own space. Pure.

People read it as a page and as wikitext: one heading for each article, one list item
for each note, with the words of article and source first and technical details
collapsed. Only what is between the markers is ours. Removing an item dismisses its
note.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from bot.records.watches import Policy
from bot.report.notes import MOST_SHOWN, Note, allowed
from bot.report.words import moment
from bot.surfaces.messages import SOURCE, Words
from bot.surfaces.note import (
    cell_words,
    claim_words,
    guideline_link,
    mark,
    marks_in,
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
MOST_NOTES = 100  # on one page; the others wait
_CITATION_CHARS = 1_000

_NAME = WikiSafe("'''Sidenote'''")
_HEAD = "$intro $count $how ($help)"
_HEADING = "== $page =="
_LINE_AS_HEADING = "'''$page'''"
_ITEM = "* $mark'''$headline.'''$place"
_QUOTE = "*: $words ($source)"
_LINE = "*: $line"
_MORE = """\
<div class="mw-collapsible mw-collapsed" data-expandtext="$more" data-collapsetext="$hide">
$notes
</div>"""
_DETAILS = (
    '*: <div class="mw-collapsible mw-collapsed" data-expandtext="$show"'
    ' data-collapsetext="$hide"><div class="mw-collapsible-content">$details'
    "</div></div>"
)


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """What a report says about itself.

    `linkable` are the addresses that the wiki's spam blacklist allows; all others are
    shown as text. `waiting` counts notes that are held back by a limit. Without
    `has_headings` the report stays within one section of its page. It is written in
    `language`.
    """

    bot: str
    as_of: datetime
    policy: Policy = Policy.POINTER
    linkable: frozenset[str] = frozenset()
    waiting: int = 0
    has_headings: bool = True
    language: str = SOURCE

    @property
    def words(self) -> Words:
        """The messages in its language."""
        return Words(self.language)


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
        page: its wikitext, empty if there is no page yet.
        notes: the open notes, in the order to show.
        facts: about the report.
        keys: sign the block and the notes.
        own: `Rewritten.content` of the last time, if known.
    """
    body = report(notes, facts, keys, before=own)
    advice = facts.words.say("block-advice")
    return blocks.rewritten(page, BLOCK, body, keys, own=own, advice=advice)


def taken_away(page: str, own: str, keys: Keys) -> frozenset[str]:
    """Return the short identities of notes that people removed from the report.

    Args:
        page: the wikitext as it is now.
        own: `Rewritten.content` of the last time.
        keys: signed the notes.
    """
    return frozenset(marks_in(own, keys)) - standing(page, own, keys)


def standing(page: str, own: str | None, keys: Keys) -> frozenset[str]:
    """Return the short identities of the notes that are in the report now."""
    block = blocks.find(page, BLOCK, keys, own=own).block
    return frozenset(marks_in(block.content, keys) if block else ())


def is_unchanged(page: str, own: str | None, notes: Sequence[Note], keys: Keys) -> bool:
    """Return whether the report already shows exactly these notes, in any order.

    Then only its date would change, and what people wrote in it would move: such an
    edit is not worth making.
    """
    block = blocks.find(page, BLOCK, keys, own=own).block
    if block is None:
        return False
    shown = {note.identity[:24] for note in notes[:MOST_NOTES]}
    return set(marks_in(block.content, keys)) == shown


def report(
    notes: Sequence[Note], facts: ReportFacts, keys: Keys, *, before: str | None = None
) -> WikiSafe:
    """Return the content of the report as wikitext.

    Args:
        notes: the open notes, in the order to show.
        facts: about the report.
        keys: sign the notes.
        before: the content of the last time. A note stays as it is there if only its
            details are different, because its article was checked again: otherwise the
            diff would show lines that say the same.
    """
    stood = _items(before) if before else {}

    def item(note: Note) -> WikiSafe:
        new = _item(allowed(note, facts.policy), facts, keys)
        old = stood.get(new.partition("-->")[0], new)
        return WikiSafe(old) if _without_details(old) == _without_details(new) else new

    parts = [_head(notes, facts)]
    for title, of_article in groupby(
        notes[:MOST_NOTES], key=lambda one: one.page.title
    ):
        heading = _HEADING if facts.has_headings else _LINE_AS_HEADING
        parts.append(filled(f"\n{heading}", page=page_link(title)))
        shown = [item(one) for one in of_article]
        parts += shown[:MOST_SHOWN]
        if len(shown) > MOST_SHOWN:
            hide, rest = (
                facts.words.say("report-hide"),
                joined("\n", shown[MOST_SHOWN:]),
            )
            line = facts.words.say("notes-more", len(shown) - MOST_SHOWN)
            parts.append(filled(_MORE, more=line, hide=hide, notes=rest))
    waiting = facts.waiting + len(notes[MOST_NOTES:])
    if waiting:
        parts.append(WikiSafe(f"\n{facts.words.say('report-waiting', waiting)}"))
    return joined("\n", parts)


def _head(notes: Sequence[Note], facts: ReportFacts) -> WikiSafe:
    words, when = facts.words, WikiSafe(moment(facts.as_of))
    return filled(
        _HEAD,
        intro=words.say("report-intro", _NAME),
        count=words.say("report-count", len(notes), when),
        how=words.say("report-how"),
        help=page_link(f"User:{facts.bot}", words.say("report-help")),
    )


def _items(content: str) -> dict[str, str]:
    """Return the items of a report by how they begin, the mark of their note."""
    items: dict[str, str] = {}
    lines: list[str] = []
    for line in content.split("\n"):
        if line.startswith("*:") and lines:
            lines.append(line)
        else:
            lines = [line] if line.startswith("* <!--") else []
        if lines:
            items[lines[0].partition("-->")[0]] = "\n".join(lines)
    return items


def _without_details(item: str) -> str:
    return item.rpartition("\n")[0]


def _item(note: Note, facts: ReportFacts, keys: Keys) -> WikiSafe:
    return joined("\n", _lines(note, facts, keys))


def _lines(note: Note, facts: ReportFacts, keys: Keys) -> Iterator[WikiSafe]:
    words, section = facts.words, section_words(note)
    place = WikiSafe(f" {words.say('report-section', section)}") if section else section
    headline = words.of(note.headline)
    yield filled(_ITEM, mark=mark(note, keys), headline=headline, place=place)
    claim = claim_words(note)
    if claim:
        cell = filled(" ($cell)", cell=cell_words(note)) if note.cell else NOTHING
        says = joined("", (words.of(note.said_as), cell))
        yield filled(_LINE, line=words.say("report-words", says, claim))
    yield from _evidence(note, facts)
    if note.difference:
        yield filled(_LINE, line=words.of(note.difference))
    yield from _own_lines(note, words)
    yield filled(_LINE, line=filled("$certainty.", certainty=words.of(note.certainty)))
    yield from _offers(note, words)
    yield filled(
        _DETAILS,
        show=words.say("report-details"),
        hide=words.say("report-hide"),
        details=_details(note, words),
    )


def _evidence(note: Note, facts: ReportFacts) -> Iterator[WikiSafe]:
    sources = sources_of(note)
    for one in note.quotes if note.quotes and note.quotes[0].dated else note.quotes[:1]:
        dated = WikiSafe(f", {one.dated}" if one.dated else "")
        says = joined("", (facts.words.of(note.quoted_as), dated))
        yield filled(
            _QUOTE,
            words=facts.words.say("report-words", says, quote_words(one)),
            source=source_words(one.address, facts.linkable),
        )
        sources = tuple(each for each in sources if each != one.address)
    if sources:
        shown = joined("; ", (source_words(each, facts.linkable) for each in sources))
        yield filled(_LINE, line=facts.words.say("report-sources", shown))


def _own_lines(note: Note, words: Words) -> Iterator[WikiSafe]:
    lines = [words.of(each) for each in note.what_to_do]
    if note.guideline:
        link = guideline_link(note, note.guideline)
        lines.append(filled("($guideline)", guideline=link))
    if lines:
        yield filled(_LINE, line=joined(" ", lines))


def _offers(note: Note, words: Words) -> Iterator[WikiSafe]:
    offered = (
        ("report-citation", note.citation),
        ("label-fact", note.fact),
        ("label-wording", note.wording),
    )
    for key, offer in offered:
        if offer:
            yield filled(
                "*: $name: <code>$words</code>",
                name=words.say(key),
                words=text(offer, most=_CITATION_CHARS),
            )


def _details(note: Note, words: Words) -> WikiSafe:
    return words.say(
        "report-facts",
        revision_link(note),
        text(f"{note.engine.name} {note.engine.version}", most=100),
        text(note.identity[:24]),
    )
