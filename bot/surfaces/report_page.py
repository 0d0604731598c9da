"""The report page in a watcher's own space. Pure.

People read it as a page and as wikitext: one heading for each article, one list item
for each note, with the words of article and source first and technical details
collapsed. Only what is between the markers is ours. Removing an item dismisses its
note.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import groupby

from bot.records.watches import Policy
from bot.report.notes import MOST_SHOWN, Note, NoteQuote, allowed
from bot.report.words import moment
from bot.surfaces.messages import SOURCE, Words
from bot.surfaces.note import (
    cell_words,
    claim_words,
    diff_link,
    guideline_link,
    mark,
    marks_in,
    quote_words,
    revision_link,
    section_words,
    source_words,
    sources_of,
    words_before,
)
from bot.wiki import blocks
from bot.wiki.escaping import NOTHING, WikiSafe, filled, joined, page_link, text
from bot.wiki.keys import Keys

BLOCK = "report"
MOST_NOTES = 100  # on one page; the others wait
_CITATION_CHARS = 1_000
_NAME = WikiSafe("'''Sidenote'''")


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


def taken_away(page: str, own: str, keys: Keys, *, left: str = "") -> frozenset[str]:
    """Return the short identities of notes that people removed from the report.

    Where people copied the report, a note that we removed from our block still stands
    in the copy. Whoever removes it there does not want it either.

    Args:
        page: the wikitext as it is now.
        own: `Rewritten.content` of the last time.
        keys: signed the notes.
        left: the wikitext as our last edit left it, if known.
    """
    from_block = frozenset(marks_in(own, keys)) - standing(page, own, keys)
    return from_block | (
        frozenset(marks_in(left, keys)) - frozenset(marks_in(page, keys))
    )


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

    articles = [
        (page_link(title), [item(one) for one in of_article])
        for title, of_article in groupby(
            notes[:MOST_NOTES], key=lambda one: one.page.title
        )
    ]
    return facts.words.fill(
        "report.wiki",
        name=_NAME,
        count=len(notes),
        when=WikiSafe(moment(facts.as_of)),
        bot=f"User:{facts.bot}",
        has_headings=facts.has_headings,
        articles=articles,
        most=MOST_SHOWN,
        waiting=facts.waiting + len(notes[MOST_NOTES:]),
        page_link=page_link,
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
    words, quotes = facts.words, note.quotes
    quotes = quotes if quotes and quotes[0].dated else quotes[:1]
    quoted = {one.address for one in quotes}
    todo = [words.of(each) for each in note.what_to_do]
    if note.guideline:
        link = guideline_link(note, note.guideline)
        todo.append(filled("($guideline)", guideline=link))
    cell = filled(" ($cell)", cell=cell_words(note)) if note.cell else NOTHING
    return words.fill(
        "report_item.wiki",
        note=note,
        mark=mark(note, keys),
        section=section_words(note),
        says=joined("", (words.of(note.text_label), cell)),
        claim=claim_words(note),
        before=words_before(note),
        diff=diff_link(note, words.say("link-diff")),
        quotes=[
            (
                joined("", (words.of(note.quotes_label), _dated(one))),
                quote_words(one),
                source_words(one.address, facts.linkable),
            )
            for one in quotes
        ],
        sources=joined(
            "; ",
            (
                source_words(each, facts.linkable)
                for each in sources_of(note)
                if each not in quoted
            ),
        ),
        todo=joined(" ", todo),
        revision=revision_link(note),
        engine=text(f"{note.engine.name} {note.engine.version}", most=100),
        cut=partial(text, most=_CITATION_CHARS),
    )


def _dated(quote: NoteQuote) -> WikiSafe:
    return WikiSafe(f", {quote.dated}" if quote.dated else "")
