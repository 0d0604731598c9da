"""A finding as people are shown it, made once for every surface. Pure.

Report page, talk note, panel, queue, text, HTML and JSON all show this value: the same
words, the same certainty, in the same order. A surface only decides how it looks.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from types import MappingProxyType

from bot.records.watches import Policy
from bot.report.page_report import PageReport
from bot.report.words import shortened
from handlers.citations.quote_links import Piece, joined, pieces
from handlers.citations.unsure import nothing_near
from handlers.edits.finding import ChangedFinding
from handlers.findings import CitationFinding, Earlier, Suggestion, finding_of
from handlers.model import Engine, Flag, Message, PageId, Span, TagKind, Verdict
from handlers.registry import KINDS, OF_CITATIONS
from handlers.sources.templates import tags_of, with_own
from handlers.text.difference import difference

_DOUBTFUL_FROM = 100  # after all kinds
_GRAVITY = (
    Verdict.CONTRADICTED,
    Verdict.NOT_SUPPORTED,
    Verdict.PARTIALLY_SUPPORTED,
    Verdict.SUPPORTED,
)
_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.ASCII | re.IGNORECASE)
_EVEN = 1e-6
MOST_QUOTES = 3
MOST_SHOWN = 5  # at once; the others are behind one line

_MOST_OF_CLAIM = 0.75  # above it, the claim itself says as much
_DIFFERENCE = "difference"
_LACKING = "reason-lacking"
_MOST_SAID = 80  # characters

DOUBTFUL = Message("doubtful", "Doubtful")
_WEAK = Message("kind-weakly-contradicted", "Weak sign that the source says otherwise")
_TAG_IT = Message("note-tag", "If you leave it as it is, tag it $1.")
UNMEASURED = Message(
    "confidence-unmeasured", "How often notes like this are right has not been measured"
)
_RARELY = Message("confidence-rarely", "Right less than 1 time in 10")


@dataclass(frozen=True, slots=True)
class NoteQuote:
    """Words of a source, where they are, and their date."""

    words: str
    address: str
    title: str
    href: str | None = None
    dated: date | None = None
    marked: tuple[Span, ...] = ()

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The words, split at those that the claim does not have."""
        return pieces(self.words, self.marked)


@dataclass(frozen=True, slots=True)
class Note:
    """What is shown of one suggestion. All texts are unescaped.

    `text` is what the article says, `marked` the words in it that are at fault, and
    `cell` the row and column of a value. `citation` is a filled citation template to copy. `fact`
    and `wording` are only shown if the wiki's policy allows them. `urgency` orders the
    notes of all pages, smallest first.
    """

    identity: str
    page: PageId
    kind: str
    headline: Message
    section: tuple[str, ...]
    place: int
    text_label: Message
    text: str
    marked: tuple[Span, ...]
    quotes_label: Message
    quotes: tuple[NoteQuote, ...]
    sources: tuple[str, ...]
    certainty: Message
    is_flagged: bool

    urgency: tuple[int, float]
    engine: Engine
    cell: tuple[str, ...] = ()
    reason: Message | None = None  # in one line, why it is shown
    lines: tuple[Message, ...] = ()
    guideline: str | None = None
    tag: str | None = None  # the wiki's template for words left as they are
    citation: str | None = None
    fact: str | None = None
    wording: str | None = None
    earlier: Earlier | None = None
    is_question: bool = False  # it says nothing is wrong, and asks people

    @property
    def pieces_before(self) -> tuple[Piece, ...]:
        """What stood there before an edit, split at the words that it changed."""
        if self.earlier is None:
            return ()
        return pieces(self.earlier.text, self.earlier.marked)

    @property
    def difference(self) -> Message | None:
        """The two values where article and source differ, if that is the reason."""
        is_one = self.reason is not None and self.reason.key == _DIFFERENCE
        return self.reason if is_one else None

    @property
    def reason_says_all(self) -> bool:
        """Whether the reason names all words at fault, so that nobody else has to."""
        is_lacking = self.reason is not None and self.reason.key == _LACKING
        return is_lacking and len(joined(self.text, self.marked)) <= 1

    @property
    def diff_href(self) -> str | None:
        """The wiki's own view of the edit."""
        found = self.earlier
        if found is None or found.since is None or found.until is None:
            return None
        return diff_href(self.page.wiki, found.since, found.until)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """What the article says, split at the failing words."""
        return pieces(self.text, joined(self.text, self.marked))

    @property
    def marked_as(self) -> str:
        """What is wrong with the marked words, in the reports that are in English."""
        if self.earlier is not None:
            return "The edit put in"
        if self.is_question:
            return "The passage lacks"
        is_cited = self.kind in OF_CITATIONS
        return "No support found for" if is_cited else "The note is about"

    @property
    def what_to_do(self) -> tuple[Message, ...]:
        """What an editor can do, in the order in which they work, as text.

        They open the passage first; a tag is for what nobody has fixed.
        """
        if not self.tag:
            return self.lines
        return (*self.lines, replace(_TAG_IT, values=(f"{{{{{self.tag}}}}}",)))

    @property
    def order(self) -> tuple[int, float, int, str]:
        """The sort key of the note."""
        return (*self.urgency, self.place, self.identity)


def note_of(
    found: Suggestion,
    *,
    citation: str | None = None,
    own_tags: Mapping[TagKind, str] = MappingProxyType({}),
) -> Note:
    """Return a suggestion as a note.

    Args:
        found: the suggestion.
        citation: a filled template, if a citation was found for it.
        own_tags: the templates that the wiki's community has set.
    """
    facts, details = found.finding.facts, found.details
    is_claim, is_weak = facts.text is None, is_weak_contradiction(found)
    return Note(
        identity=found.identity,
        page=found.page,
        kind=found.kind,
        headline=_WEAK if is_weak else facts.headline,
        section=found.section,
        place=found.place,
        text_label=facts.text_label,
        text=found.claim if facts.text is None else facts.text,
        marked=facts.marked if is_claim else (),
        quotes_label=facts.quotes_label,
        quotes=_quotes(found),
        sources=found.source_keys,
        certainty=facts.certainty or certainty_of(found.flag),
        is_flagged=found.flag is not None or not found.finding.needs_flag,
        is_question=found.finding.is_question,
        urgency=urgency(found.kind, found.verdict, found.flag, found.probability),
        engine=found.engine,
        cell=details.cell,
        reason=_reason(found),
        lines=() if is_weak else facts.lines,
        guideline=facts.guideline,
        tag=None if is_weak else _template(found, own_tags),
        citation=facts.citation or citation,
        fact=facts.fact,
        wording=facts.wording,
        earlier=facts.earlier,
    )


def diff_href(wiki: str, since: int, until: int) -> str | None:
    """Return the address of a diff, on a wiki that has addresses."""
    if not _HOST.fullmatch(wiki):
        return None
    return f"https://{wiki}/w/index.php?oldid={since:d}&diff={until:d}"


def _template(found: Suggestion, own: Mapping[TagKind, str]) -> str | None:
    """Return the name of the template that editors would tag the words with."""
    tags, kind = with_own(tags_of(found.page.wiki), own), found.finding.facts.tag
    template = tags.get(kind) if kind else None
    return template.name if template else None


def is_weak_contradiction(found: Suggestion) -> bool:
    """Return whether a source may contradict a claim, but not surely enough to flag it.

    There is nothing to be done about it but to read the source.
    """
    finding = finding_of(found, CitationFinding)
    is_against = finding is not None and finding.against is Verdict.CONTRADICTED
    return is_against and found.flag is None


def _reason(found: Suggestion) -> Message | None:
    """Return in one line what is wrong, if that can be said."""
    finding = finding_of(found, CitationFinding)
    quote = next(iter(_quotes(found)), None)
    if quote and (finding or found.verdict is Verdict.CONTRADICTED):
        values = difference(found.claim, quote.words)
        if values:
            words = "$1 in the article, $2 in the source"
            return Message(_DIFFERENCE, words, values)
    if finding is None:
        return None
    if finding.absent:
        names = ", ".join(finding.absent)
        return Message("reason-absent", "Nothing about $1 in the source", (names,))
    if finding.chars:
        return nothing_near(finding.chars)
    lacking = joined(found.claim, finding.unsupported)
    stretches = [one.of(found.claim) for one in lacking]
    telling = max(stretches, key=_how_telling, default="")
    if not 0 < len(telling) <= _MOST_OF_CLAIM * len(found.claim):
        return None
    said = shortened(telling, _MOST_SAID)
    return Message(_LACKING, "The source does not say “$1”", (said,))


def _how_telling(words: str) -> tuple[bool, int]:
    """Return the sort key of words without support: a number decides more than a verb."""
    return any(map(str.isdigit, words)), len(words)


def _quotes(found: Suggestion) -> tuple[NoteQuote, ...]:
    newer = found.finding.facts.quotes
    if newer:
        return tuple(
            NoteQuote(
                one.quote.quote,
                one.quote.source_key,
                one.quote.title,
                one.quote.href,
                one.dated,
            )
            for one in newer[:MOST_QUOTES]
        )
    if found.details.quotes:
        first, *others = (
            NoteQuote(one.quote, one.source_key, one.title, one.href)
            for one in found.details.quotes[:MOST_QUOTES]
        )
        marked = found.finding.facts.marked_in_quote
        return (replace(first, marked=marked), *others)
    address = found.quote_url or next(iter(found.source_keys), "")
    return (NoteQuote(found.quote, address, ""),) if found.quote else ()


def certainty_of(flag: Flag | None) -> Message:
    """Return how certain a finding is, in one phrase."""
    if flag is None:
        return DOUBTFUL
    if flag.expected is None:
        return UNMEASURED
    times = flag.expected.right_times
    if times is None:
        return _RARELY
    right, of = times
    noun = "time" if right == 1 else "times"
    return Message("confidence-times", f"Right about $1 {noun} in $2", (right, of))


def urgency(
    kind: str, verdict: Verdict, flag: Flag | None, probability: float
) -> tuple[int, float]:
    """Return the sort key of notes: contradictions, edits, then by certainty.

    What an edit has just broken is the easiest to mend. What was measured on real citations counts more than what an engine believes about
    its own verdict: unmeasured notes come after measured ones, by kind, and doubtful
    ones come last, in the same order.
    """
    is_contradicted = verdict is Verdict.CONTRADICTED
    if is_contradicted and kind in OF_CITATIONS:
        return (0, -flag.probability) if flag else (_DOUBTFUL_FROM - 1, -probability)
    place = 2 * tuple(KINDS).index(kind) + (not is_contradicted)
    even = _EVEN * _GRAVITY.index(verdict)  # breaks ties
    if flag is None:
        return _DOUBTFUL_FROM + place, even - probability
    if kind == ChangedFinding.kind:
        return 1, even - flag.probability
    if flag.expected is None:
        return 3 + place, even - flag.probability
    return 2, even - (flag.expected.one_in_10 + flag.probability / 100)


def in_order(notes: Iterable[Note]) -> list[Note]:
    """Return notes in the order in which every surface shows them."""
    return sorted(notes, key=lambda one: one.order)


def allowed(note: Note, policy: Policy) -> Note:
    """Return what of `note` may be shown on a wiki with this policy."""
    if policy is Policy.POINTER:
        return replace(note, fact=None, wording=None)
    return replace(note, wording=None) if policy is Policy.FACTS else note


def more(count: int) -> Message:
    """Return the line that the remaining notes are behind."""
    return Message("notes-more", "… and $1 more", (count,))


def notes_of(report: PageReport) -> list[Note]:
    """Return what a check of a page found, in the order that every surface uses."""
    return in_order(note_of(one) for some in report.found.values() for one in some)
