"""Hides sentences of an article: they play the edits that people made afterwards.

A fifth of the sentences that could be hidden are, at least two and at most fifteen of
an article: first those that have a source among the event's pages (`sourced`), then
others, each in the order of a hash of event and sentence, so that the choice depends on
no model. Only those with a source are edits in the paper's sense; figures of all stand
beside.

A sentence can be hidden if it is prose of 8 to 60 words, has a name or number that the
title lacks, lost no words to the scraper, and is not the article's first. It is not from
a section that has no sources of its own: references and links, and the retelling of a
plot, which no source is cited for.

What the rest of the article says as well is no test: a fact is *repeated* if three
quarters of its content words, and all of its numbers, stand in one other sentence or in
two neighbours. Repeated facts are not counted; a sentence of nothing else is passed
over, and counted as such.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256

from bot.research.evaluation.atomic_facts import facts_of
from bot.research.evaluation.discovery.sourced import Accepts, Sources
from bot.research.evaluation.events import Event
from handlers.citations.cues.words import Word, content_stems, words
from handlers.page.sentences import split
from handlers.updates.subject import is_apparatus

# An event's article by lines, and as the wikitext that the engine is given.
# WikiGenBench keeps an article as plain text: its headings stand on lines of their own
# and only those of the first level are listed. A line counts as a heading of the second
# level where a paragraph could begin, if it is short, ends in no mark of a sentence and
# is no list item. Deeper levels cannot be told apart, so they count as second, too.

_LONGEST_HEADING = 80  # characters
_ARTICLE_MOST_WORDS = 12
_SENTENCE_END = ".!?:;,"
# Signs that would be markup; what they were meant for is lost in the plain text.
_PLAIN = str.maketrans({"[": "(", "]": ")", "{": "(", "}": ")", "<": "‹", ">": "›", "|": "/"})  # fmt: skip  # noqa: RUF001
_LINE_MARKUP = re.compile(r"^[\s*#:;=!]+")
_EMPHASIS = re.compile(r"'{2,}")


class Part(Enum):
    """What a line of an article is."""

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
    """Return the lines of an event's article; a heading belongs to its own section."""
    return tuple(_lines(event))


def _lines(event: Event) -> Iterator[Line]:
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
        yield Line(part, _title(text) if heads else text, section)
        may_begin = heads


def _part(raw: str, text: str, headings: set[str], *, may_begin: bool) -> Part:
    if text in headings:
        return Part.HEADING
    if raw[:1].isspace():
        return Part.ITEM
    looks_like = (
        len(text) <= _LONGEST_HEADING
        and len(text.split()) <= _ARTICLE_MOST_WORDS
        and text[-1] not in _SENTENCE_END
        and any(map(str.isalpha, text))
    )
    return Part.SUBHEADING if may_begin and looks_like else Part.PROSE


def wikitext_of(
    title: str, lines: Sequence[Line], replaced: Mapping[int, str] | None = None
) -> str:
    """Return lines as wikitext, the title in bold where the article begins with it.

    Args:
        title: of the article.
        lines: of the article.
        replaced: the text of lines, by their number, in place of their own; without
            text the line is left out.
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
    """Return a heading without what would be markup; its path is read from that."""
    return _escaped(text).replace("=", "–")


def _escaped(text: str) -> str:
    quiet = _EMPHASIS.sub('"', text.translate(_PLAIN))
    return _LINE_MARKUP.sub("", quiet)


SHARE = 0.2
FEWEST, MOST = 2, 15
_FEWEST_WORDS, _MOST_WORDS = 8, 60
_REPEATED = 0.75  # of the content words of a fact
_CONTEXT = 300  # characters before a sentence that a judge is told
# Of fiction: what happens in it is cited to nothing.
_RETELLING = frozenset(
    (
        "plot",
        "plot summary",
        "plot synopsis",
        "synopsis",
        "premise",
        "story",
        "storyline",
        "characters",
    )
)
# What a scraper leaves of a template: "a beam of  and", "( )", "was ." and the like.
_GAP = re.compile(r"\S {2,}\S|\(\s*[,;]?\s*\)| [.,;](?:\s|$)|\(\s*[,;]")


@dataclass(frozen=True, slots=True)
class Hidden:
    """A sentence that the engine does not see. `facts` are those not said elsewhere."""

    sentence: str
    section: tuple[str, ...]
    context: str  # what preceded it in its line
    facts: tuple[str, ...]
    has_source: bool


@dataclass(frozen=True, slots=True)
class Exam:
    """An article with sentences hidden.

    `sentences` is how many could be hidden, `passed_over` how many of those that came
    up were not, as the rest of the article says the same.
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


def exam_of(event: Event, accepts: Accepts) -> Exam | None:
    """Return an event's article with sentences hidden; `None` where too few can be.

    Args:
        event: with its article and pages.
        accepts: whether the page at an address can be a source.
    """
    lines = lines_of(event)
    sentences = tuple(_sentences(lines))
    able = [one for one in sentences[1:] if _can_be_hidden(one, lines, event.title)]
    wanted = min(MOST, max(FEWEST, round(SHARE * len(able))))
    sources = Sources(event.found, event.title, accepts)
    sourced = {one for one in able if sources.speak_of(one.text, one.words)}
    chosen: list[tuple[_Sentence, tuple[str, ...]]] = []
    passed_over = 0
    for one in sorted(
        able, key=lambda one: (one not in sourced, _order(event.id, one.text))
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
    return (
        line.part is Part.PROSE
        and not _has_no_sources(line.section)
        and _FEWEST_WORDS <= len(one.text.split()) <= _MOST_WORDS
        and one.text[-1] in ".!?\"”"
        and not _GAP.search(one.text)
        and bool(_specifics(one) - content_stems(words(title)))
    )  # fmt: skip


def _has_no_sources(section: tuple[str, ...]) -> bool:
    retells = any(heading.casefold() in _RETELLING for heading in section)
    return retells or is_apparatus(section)


def _specifics(one: _Sentence) -> frozenset[str]:
    """Return names and numbers, the first word left out."""
    return content_stems(
        word for word in one.words[1:] if word.is_number or word.is_capitalised
    )


def _order(event: str, sentence: str) -> str:
    return sha256(f"{event}\n{sentence}".encode()).hexdigest()


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
    """Return the lines that lost sentences, by number, with what is left of them."""
    left: dict[int, list[str]] = {line: [] for line, _ in gone}
    for one in sentences:
        if one.line in left and (one.line, one.start) not in gone:
            left[one.line].append(one.text)
    return {line: " ".join(texts) for line, texts in left.items()}
