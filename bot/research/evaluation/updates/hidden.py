"""Hides sentences of an article, which stand for the edits that people made afterwards.

A fifth of the sentences that could be hidden are, at least two and at most fifteen per
article: first those that have a source among the event's pages, then others, each in
the order of a hash of event and sentence, so that the choice depends on no model. Only
those with a source are edits in the paper's sense; figures of all are given too.

A sentence can be hidden if it is prose of 8 to 60 words, has a name or number that the
title lacks, lost no words to the scraper, and is not the article's first. It must not
be from a section that cites no sources: references, links, and the retelling of a plot.

What the rest of the article also says tests nothing: a fact is *repeated* if three
quarters of its content words, and all of its numbers, are in one other sentence or in
two neighbours. Repeated facts are not counted; a sentence with only such facts is
passed over, and counted as passed over.

WiNELL counts only people's edits that bring a source (§4.1), because what nobody has
written about cannot be found. WikiGenBench does not say where a sentence comes from, so
words decide, and no model: a sentence *has a source* if half of its content words (at
least four, without the title's), all of its numbers among them, are in one sentence of
a page or in two neighbours; tables and menus are not sentences. The rule favours
sentences that keep the words of their source, which are easier to find.

A page that repeats a hidden sentence word for word is a *copy* of the article, or is
quoted in full, and does not count as a source: a run that reads mirrors and compilers
of Wikipedia finds what was hidden without any discovery. A page counts as a copy if it
shares ten words in a row with a hidden sentence; words in quotation marks are left out,
because article and page may well quote the same speech. Nor is a page a source if the
wiki does not accept its site.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from typing import TypeAlias

from bot.research.evaluation.atomic_facts import facts_of
from bot.research.evaluation.events import Event, FoundPage
from handlers.page.sentences import split
from handlers.text.words import Word, content_stems, words
from handlers.updates.criteria import is_apparatus

_LONGEST_HEADING, _MOST_HEADING_WORDS = 80, 12  # in characters, and in words
_SENTENCE_END = ".!?:;,"
# Characters that would be markup; what they meant is lost in the plain text.
_PLAIN = str.maketrans({"[": "(", "]": ")", "{": "(", "}": ")", "<": "‹", ">": "›", "|": "/"})  # fmt: skip  # noqa: RUF001
_LINE_MARKUP = re.compile(r"^[\s*#:;=!]+")
_EMPHASIS = re.compile(r"'{2,}")


class Part(Enum):
    HEADING = "heading"
    SUBHEADING = "subheading"
    PROSE = "prose"
    ITEM = "item of a list"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of an article that is not empty; `section` has the headings above it."""

    part: Part
    text: str
    section: tuple[str, ...]


def lines_of(event: Event) -> tuple[Line, ...]:
    """Return the lines of an event's article; a heading belongs to its own section.

    WikiGenBench keeps an article as plain text: its headings are on separate lines and
    only those of the first level are listed. A line counts as a heading of the second
    level if a paragraph could begin there and it is short, does not end with
    punctuation and is not a list item. Deeper levels cannot be recognised, so they
    count as second level too.
    """
    lines: list[Line] = []
    first: set[str] = set(event.headings)
    section: tuple[str, ...] = ()
    may_begin = False
    for raw in event.text.split("\n"):
        text = raw.strip()
        if not text:
            may_begin = True
            continue
        part = _part(raw, text, first, may_begin=may_begin and bool(section))
        if part is Part.HEADING:
            section = (_title(text),)
        elif part is Part.SUBHEADING:
            section = (section[0], _title(text))
        heads = part in (Part.HEADING, Part.SUBHEADING)
        lines.append(Line(part, _title(text) if heads else text, section))
        may_begin = heads
    return tuple(lines)


def _part(raw: str, text: str, headings: set[str], *, may_begin: bool) -> Part:
    if text in headings:
        return Part.HEADING
    if raw[:1].isspace():
        return Part.ITEM
    looks_like = (
        len(text) <= _LONGEST_HEADING
        and len(text.split()) <= _MOST_HEADING_WORDS
        and text[-1] not in _SENTENCE_END
        and any(map(str.isalpha, text))
    )
    return Part.SUBHEADING if may_begin and looks_like else Part.PROSE


def wikitext_of(
    title: str, lines: Sequence[Line], replaced: Mapping[int, str] | None = None
) -> str:
    """Return lines as wikitext, with the title in bold if the article begins with it.

    Args:
        title: of the article.
        lines: of the article.
        replaced: new text for lines, by their number; a line with empty text is left
            out.
    """
    blocks = []
    for number, line in enumerate(lines):
        text = replaced.get(number, line.text) if replaced else line.text
        if text:
            blocks.append(_block(line, text))
    bold = _escaped(title)
    if blocks and blocks[0].startswith(bold):
        blocks[0] = f"'''{bold}'''{blocks[0].removeprefix(bold)}"
    return "\n\n".join(blocks) + "\n"


def _block(line: Line, text: str) -> str:
    if line.part is Part.HEADING:
        return f"== {_title(text)} =="
    if line.part is Part.SUBHEADING:
        return f"=== {_title(text)} ==="
    return f"* {_escaped(text)}" if line.part is Part.ITEM else _escaped(text)


def _title(text: str) -> str:
    """Return a heading without what would be markup; section paths are read from it."""
    return _escaped(text).replace("=", "–")


def _escaped(text: str) -> str:
    quiet = _EMPHASIS.sub('"', text.translate(_PLAIN))
    return _LINE_MARKUP.sub("", quiet)


SHARE = 0.2
FEWEST, MOST = 2, 15
# Words in a sentence that is not a list item or a menu entry.
_SHORTEST_PROSE, _LONGEST_PROSE = 5, 80
_FEWEST_WORDS, _MOST_WORDS = 8, 60
_REPEATED = 0.75  # of the content words of a fact
_CONTEXT = 300  # characters before a sentence that a judge is shown
# Sections on fiction: the plot is given without sources.
_RETELLING = frozenset(
    {"plot", "plot summary", "plot synopsis", "synopsis", "premise", "story"}
    | {"storyline", "characters"}
)
# What a scraper leaves of a template, such as "a beam of  and", "( )" or "was .".
_GAP = re.compile(r"\S {2,}\S|\(\s*[,;]?\s*\)| [.,;](?:\s|$)|\(\s*[,;]")


@dataclass(frozen=True, slots=True)
class Hidden:
    """A sentence hidden from the engine. `facts` are those not stated elsewhere."""

    sentence: str
    section: tuple[str, ...]
    context: str  # the text before it in its line
    facts: tuple[str, ...]
    has_source: bool


@dataclass(frozen=True, slots=True)
class Exam:
    """An article with sentences hidden.

    `sentences` is how many could be hidden, `passed_over` how many were considered but
    left, because the rest of the article says the same.
    """

    event: Event
    wikitext: str
    hidden: tuple[Hidden, ...]
    sentences: int
    passed_over: int


@dataclass(frozen=True, slots=True)
class _Sentence:
    line: int
    start: int
    text: str
    words: tuple[Word, ...]

    @property
    def stems(self) -> frozenset[str]:
        return content_stems(self.words)


Accepts: TypeAlias = Callable[[str], bool]  # of a page's address, as a source


def exam_of(event: Event, accepts: Accepts) -> Exam | None:
    """Return an event's article with sentences hidden; `None` if too few can be."""
    lines = lines_of(event)
    sentences = tuple(_sentences(lines))
    able = [one for one in sentences[1:] if _can_be_hidden(one, lines, event.title)]
    wanted = min(MOST, max(FEWEST, round(SHARE * len(able))))
    sources = Sources(event.found, event.title, accepts)
    sourced = {one for one in able if sources.speak_of(one.text, one.words)}
    chosen: list[tuple[_Sentence, tuple[str, ...]]] = []
    passed_over = 0
    for one in sorted(
        able,
        key=lambda one: (
            one not in sourced,
            sha256(f"{event.id}\n{one.text}".encode()).hexdigest(),
        ),
    ):
        if len(chosen) == wanted:
            break
        facts = _new_facts(one, sentences, event.title)
        if facts:
            chosen.append((one, facts))
        else:
            passed_over += 1
    if len(chosen) < FEWEST:
        return None
    gone = {(one.line, one.start) for one, _ in chosen}
    return Exam(
        event=event,
        wikitext=wikitext_of(event.title, lines, _rest(sentences, gone)),
        hidden=tuple(
            Hidden(
                sentence=one.text,
                section=lines[one.line].section,
                context=lines[one.line].text[max(0, one.start - _CONTEXT) : one.start],
                facts=facts,
                has_source=one in sourced,
            )
            for one, facts in sorted(chosen, key=lambda one: (one[0].line, one[0].start))
        ),
        sentences=len(able),
        passed_over=passed_over,
    )  # fmt: skip


def _sentences(lines: Sequence[Line]) -> Iterator[_Sentence]:
    for number, line in enumerate(lines):
        if line.part in (Part.PROSE, Part.ITEM):
            for place in split(line.text):
                text = place.of(line.text)
                yield _Sentence(number, place.start, text, words(text))


def _can_be_hidden(one: _Sentence, lines: Sequence[Line], title: str) -> bool:
    line = lines[one.line]
    specifics = content_stems(
        word for word in one.words[1:] if word.is_number or word.is_capitalised
    )
    retells = any(heading.casefold() in _RETELLING for heading in line.section)
    return (
        line.part is Part.PROSE
        and not retells
        and not is_apparatus(line.section)
        and _FEWEST_WORDS <= len(one.text.split()) <= _MOST_WORDS
        and one.text[-1] in ".!?\"”"
        and not _GAP.search(one.text)
        and bool(specifics - content_stems(words(title)))
    )  # fmt: skip


def _new_facts(
    one: _Sentence, sentences: Sequence[_Sentence], title: str
) -> tuple[str, ...]:
    known = content_stems(words(title))
    others = [other.stems for other in sentences if other is not one]
    places = [
        others[at] | (others[at + 1] if at + 1 < len(others) else frozenset())
        for at in range(len(others))
    ]
    return tuple(
        fact for fact in facts_of(one.text) if not _is_repeated(fact, known, places)
    )


def _is_repeated(
    fact: str, known: frozenset[str], places: Sequence[frozenset[str]]
) -> bool:
    found = words(fact)
    stems = content_stems(found) - known
    numbers = {word.stem for word in found if word.is_number}
    if not stems:
        return True
    return any(
        numbers <= place and len(stems & place) >= _REPEATED * len(stems)
        for place in places
    )


def _rest(sentences: Sequence[_Sentence], gone: set[tuple[int, int]]) -> dict[int, str]:
    """Return the lines that lost sentences, by number, with what remains of them."""
    left: dict[int, list[str]] = {line: [] for line, _ in gone}
    for one in sentences:
        if one.line in left and (one.line, one.start) not in gone:
            left[one.line].append(one.text)
    return {line: " ".join(texts) for line, texts in left.items()}


_SHARE = 0.5  # of the content words
_FEWEST = 4
_ENDS = '.!?"”’)'
_LONGEST_CHARS = 60_000  # of a page


class Sources:
    """The pages of one event, searched for what its article says."""

    def __init__(
        self, pages: Sequence[FoundPage], title: str, accepts: Accepts
    ) -> None:
        """Read the pages once; words of `title` do not count."""
        self._pages = [
            (page.text, tuple(_places(page.text)))
            for page in pages
            if accepts(page.address)
        ]
        self._known = content_stems(words(title))

    def speak_of(self, sentence: str, sentence_words: Sequence[Word]) -> bool:
        """Return whether a page says what a sentence, given with its words, says."""
        stems = content_stems(sentence_words) - self._known
        numbers = {word.stem for word in sentence_words if word.is_number} & stems
        needed = max(_FEWEST, _SHARE * len(stems))
        return any(
            any(numbers <= place and len(stems & place) >= needed for place in places)
            and not is_copy(text, [sentence])
            for text, places in self._pages
        )


def prose_of(text: str) -> list[str]:
    """Return the sentences of a page, with an empty one for each table or list."""
    found = [place.of(text) for place in split(text[:_LONGEST_CHARS])]
    return [
        one
        if one[-1] in _ENDS and _SHORTEST_PROSE <= len(one.split()) <= _LONGEST_PROSE
        else ""
        for one in found
    ]


def _places(text: str) -> Iterator[frozenset[str]]:
    """Yield the words of each sentence together with the next one."""
    sentences = [content_stems(words(one)) for one in prose_of(text)]
    for at, stems in enumerate(sentences):
        if stems:
            yield stems | (
                sentences[at + 1] if at + 1 < len(sentences) else frozenset()
            )


RUN = 10  # words
_QUOTED = re.compile(r"[“\"][^”\"\n]*[”\"]")
_WORD = re.compile(r"\w+")


def is_copy(text: str, hidden: Sequence[str]) -> bool:
    """Return whether a page repeats one of the hidden sentences."""
    runs = {
        run
        for sentence in hidden
        for piece in _QUOTED.split(sentence)
        for run in _runs(piece)
    }
    return bool(runs) and not runs.isdisjoint(_runs(text))


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    found = [one[0].casefold() for one in _WORD.finditer(text)]
    return zip(*(found[at:] for at in range(RUN)), strict=False)
