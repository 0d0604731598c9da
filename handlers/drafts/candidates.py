"""Finds the sentences of documents that a dossier may quote, and describes each.

An editor reads a quote without the page around it. So it must be a whole sentence of
prose, make sense without the sentences before it, name its speaker, have at most 40
words, and be about the year that the title asks for. Text that a site
repeats on several pages is treated as boilerplate. Whether a sentence is worth quoting
is not decided here. Pure.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date

from handlers.documents import orders
from handlers.documents.prose import Sentence, sentences
from handlers.model import Chunk, DraftDocument, Span, Topic
from handlers.text.analysis import StemIndex, analyse
from handlers.text.dates import Date
from handlers.text.words import content_stems, words
from handlers.updates import backing

MOST_CHARS = 400_000  # of a document that are read
_FEWEST_WORDS = 6
MOST_WORDS = 40  # of a quote
# On 19 unseen events neither of these two kept anything out. On pages written to
# mislead programs they do, so both stay.
_ODD = re.compile(r"[\^=|<>{}\[\]\\~•·→►©®_@#*]|https?:|www\.|\.\w{2,4}/|\.\.\.|…")
_OPENS = re.compile(r"[\"“(]?(?:[^\W_a-z])")
_ENDS = re.compile(r"[.]['\"”’)]*$")
# "Photo: …", "Note on sources: …"; a footnote's number; an entry of a bibliography.
_LABEL = re.compile(
    r"\d{1,3} [A-Z][a-z]* [a-z]|\([^()]{0,60}\) [a-z]|(?:\S+ ){0,3}\S{0,30}:\s|[A-Z][\w’-]+, [A-Z]\.(?: ?[A-Z]\.)* "
)
_FEWEST_FUNCTION = 0.15  # of the words of English prose; lists and headlines have fewer
_MOST_CAPITALS = 0.6  # of a sentence's words; names in rows and tables have more
# Two words or sentences that a scraper glued together; one such word may be a name.
_GLUED_SENTENCES = re.compile(r"[a-z]{2}[.!?:][A-Z]")
_GLUED_WORDS = re.compile(r"[a-z](?<!Mc)[A-Z][a-z]")
# Of 11,720 sentences of 198 topics that pass the other rules, each of these alone keeps
# out 5 to 138.
_TORN = re.compile(
    r"[a-z],[a-z]|[a-z]{4}\d|[a-z]{2}[A-Z]{2}|\w“|”\w| ,"
    r"|[a-z]- (?!and |or |to )[a-z]"
    r"|\d[A-Z][a-z]|[A-Za-z],\d"  # numbers of a bill, a footnote
    r"|(?:\b[A-Z]{2,} ){3}[A-Z]{2}"  # a headline in capitals
)
_CENTURY = 100
_QUOTED = re.compile(r"[“\"]([^“”\"]*)[”\"]")
_SPOKEN = 3  # words in quotation marks from which they are speech, not a title or name
_YEAR = re.compile(r"(?<![\d.,])(1[5-9]\d\d|20\d\d)(?:[–/-](\d\d(?:\d\d)?))?(?![\d%])")
# Closed classes of English words: those with which a writer addresses the reader, that
# point back to an earlier sentence, or that count from the day of reading. Out of
# context they cannot be understood. On ten held-out events each class was switched off
# in turn: of the sentences that this let in, 10 of 12 (speakers), 21 of 24 (back), 12
# of 14 (persons) and 5 of 7 (from today) were of no use to an editor.
_SPEAKERS = """
i me my mine we us our ours you your yours myself ourselves yourself let's
should must ought shall might perhaps probably maybe
"""
_BACK = """
he she it they him them his her hers its their theirs this that these those such but and
or so yet however also then there here another both neither instead moreover furthermore
meanwhile nevertheless nonetheless therefore thus otherwise besides likewise similarly
additionally
"""
_PERSONS = "he she him his her hers"
_OF_SPEAKERS, _POINTS_BACK = frozenset(_SPEAKERS.split()), frozenset(_BACK.split())
_POINTS_BACK_LATER = frozenset({"this", "these", "those", "such", "it", "them"})
_OF_PERSONS = frozenset(_PERSONS.split())
_FROM_TODAY = re.compile(
    r"\b(?:today|yesterday|tomorrow|tonight|currently|now|ago|so far|to go"
    r"|(?:this|last|next|past|coming) (?:morning|afternoon|evening|night|week(?:end)?|month"
    r"|year|summer|winter|spring|fall|autumn|season)"
    r"|(?:minutes?|hours?|days?|weeks?) (?:left|remaining|until))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may be quoted, with the chunk that holds it.

    `named` is the share of the title's words that it contains. `day` is a day that it
    names, or the first day of the month or year that it names; `is_exact` tells which.
    A day without its year is the last such day before the page's. `is_spoken` says
    whether it holds speech.
    """

    text: str
    span: Span
    chunk: Chunk
    named: float
    figures: frozenset[str]
    day: date | None
    is_exact: bool
    is_spoken: bool


def years_of(topic: Topic) -> frozenset[int]:
    """Return the years that a topic names: "2022 …"."""
    return years_in(f"{topic.title} {topic.hint}")


def is_other_year(text: str, wanted: frozenset[int]) -> bool:
    """Return whether a sentence is about another year than those `wanted`.

    A later year may belong to the aftermath; an earlier one is another edition.
    """
    years = years_in(text)
    if not (wanted and years) or years & wanted:
        return False
    return max(years) < min(wanted) or min(years) > max(wanted) + 1


def candidates_of(
    topic: Topic, documents: Sequence[DraftDocument], chunks: Sequence[Chunk]
) -> tuple[Candidate, ...]:
    """Return what may be quoted from `documents`, each sentence of a site once.

    A sentence that is in none of `chunks` is left out.
    """
    of: dict[int, list[Chunk]] = {}
    for chunk in chunks:
        of.setdefault(chunk.document, []).append(chunk)
    years = years_of(topic)
    texts = [(one, list(_prose(topic, one))) for one in documents]
    # Text that several pages of a site share is boilerplate.
    printed = Counter(
        (site_of(one), sentence)
        for one, found in texts
        for sentence in {folded(each.text) for each in found}
    )
    seen: set[tuple[str, str]] = set()
    made = []
    for document, found in texts:
        site, known = site_of(document), _last_day(document, years)
        for one in found:
            key = site, folded(one.text)
            if key in seen or (key[0] and printed[key] > 1):
                continue
            if is_other_year(one.text, years) or not _stands_alone(topic, one.text):
                continue
            holding = (
                each
                for each in of.get(document.number, ())
                if each.span.start <= one.span.start and one.span.end <= each.span.end
            )
            inside = next(holding, None)
            if inside is None:
                continue
            seen.add(key)
            analysis = analyse(one.text)
            numbers = (each for each in analysis.words if each.is_number)
            day, is_exact = _day(analysis.dates, known)
            made.append(
                Candidate(
                    text=one.text,
                    span=one.span,
                    chunk=inside,
                    named=named(topic, one.text),
                    figures=frozenset(each.lowered for each in numbers),
                    day=day,
                    is_exact=is_exact,
                    is_spoken=_holds_speech(one.text),
                )
            )
    return tuple(made)


def has_prose(topic: Topic, document: DraftDocument, least: int) -> bool:
    """Return whether a document has at least `least` sentences of prose."""
    return any(count >= least for count, _ in enumerate(_prose(topic, document), 1))


def is_quotable(topic: Topic, text: str) -> bool:
    """Return whether a sentence looks like prose and makes sense alone."""
    is_english = topic.language.startswith("en")
    return _is_prose(text, is_english=is_english) and _stands_alone(topic, text)


def prose_of(topic: Topic, document: DraftDocument) -> frozenset[str]:
    """Return its sentences of prose, folded so that copies compare equal."""
    return frozenset(folded(one.text) for one in _prose(topic, document))


def named(topic: Topic, text: str) -> float:
    """Return the share of the title's words that `text` has, 0 to 1."""
    wanted = content_stems(words(topic.title))
    if not wanted:
        return 1.0
    index = StemIndex(content_stems(words(text)))
    return sum(map(index.support, wanted)) / len(wanted)


def _prose(topic: Topic, document: DraftDocument) -> Iterator[Sentence]:
    """Yield the sentences that look like prose, and not parts of longer quotations."""
    is_english = topic.language.startswith("en")
    text = document.text[:MOST_CHARS]
    glued = Counter(_glued(text))
    block, is_open = -1, False
    for one in sentences(text):
        if one.block != block:
            block, is_open = one.block, False
        was_open = is_open
        is_open = _left_open(one.text, is_open=was_open)
        if (
            not (was_open or is_open)
            and _is_prose(one.text, is_english=is_english)
            # A real name in this form occurs more than once.
            and all(glued[each] > 1 for each in _glued(one.text))
        ):
            yield one


def _glued(text: str) -> Iterator[str]:
    """Yield the words with a capital within them: "iPhone", or two without a space."""
    return filter(_GLUED_WORDS.search, re.findall(r"[\w–-]+", text))


def _left_open(text: str, *, is_open: bool) -> bool:
    """Return whether a quotation continues after a sentence."""
    for sign in text:
        if sign == '"':
            is_open = not is_open
        elif sign in "“”":
            is_open = sign == "“"
    return is_open


def _is_prose(text: str, *, is_english: bool) -> bool:
    count = len(text.split())
    if (
        count < _FEWEST_WORDS
        or not text.isprintable()
        or not (_OPENS.match(text) and _ENDS.search(text))
        or _ODD.search(text)
        or _LABEL.match(text)
        or _TORN.search(text)
        or _GLUED_SENTENCES.search(text)
        or len(_GLUED_WORDS.findall(text)) > 1
    ):
        return False
    if not is_english:
        return True
    found = words(text)
    capitals = sum(one.text[:1].isupper() for one in found[1:])
    plain = sum(not one.is_content and not one.is_number for one in found)
    return capitals <= _MOST_CAPITALS * count and plain >= _FEWEST_FUNCTION * count


def _stands_alone(topic: Topic, text: str) -> bool:
    """Return whether a sentence makes sense alone and names its speaker."""
    if len(text.split()) > MOST_WORDS:
        return False
    outside = _QUOTED.sub(" ", text)
    if _holds_speech(text) and not names_somebody(outside):
        return False
    if not topic.language.startswith("en"):
        return True
    plain = {one.lowered for one in words(outside)}
    needs_more = (
        points_back(topic, text)
        or _OF_SPEAKERS & plain
        or _FROM_TODAY.search(outside)
        or _lacks_person(text)
    )
    return not needs_more and orders.fault(text) is None


def points_back(topic: Topic, text: str) -> bool:
    """Return whether a sentence begins by pointing to one before it, in English."""
    if not topic.language.startswith("en"):
        return False
    plain = [one.lowered for one in words(_QUOTED.sub(" ", text))]
    if plain[:1] == ["neither"] and "nor" in plain:  # "Neither Hall nor Stone spoke."
        return False
    title = [one.lowered for one in words(topic.title.partition(" (")[0])]
    own = len(title) if plain[: len(title)] == title else 0  # "This Is Us is …"
    # "As such, …", "Because of this, …"
    return (
        not plain
        or (not own and plain[0] in _POINTS_BACK)
        or bool(_POINTS_BACK_LATER & set(plain[max(1, own) : 3]))
    )


def _holds_speech(text: str) -> bool:
    return any(len(one.split()) >= _SPOKEN for one in _QUOTED.findall(text))


def names_somebody(text: str) -> bool:
    """Return whether a text names somebody or something, judging by its form."""
    return any(one.first_word > 0 or len(one.stems) > 1 for one in analyse(text).names)


def _lacks_person(text: str) -> bool:
    """Return whether "he" or "her" comes before any name that it may refer to."""
    found = analyse(text)
    first = next(
        (at for at, one in enumerate(found.words) if one.lowered in _OF_PERSONS), None
    )
    return first is not None and not any(
        one.last_word < first and (one.first_word > 0 or len(one.stems) > 1)
        for one in found.names
    )


def _day(dates: Sequence[Date], known: date | None) -> tuple[date | None, bool]:
    """Return the first day that is named, and whether its month and day are."""
    for one in dates:
        is_exact = bool(one.month and one.day)
        year = one.year or (known.year if known and is_exact else None)
        if year is None or year not in range(MINYEAR, MAXYEAR + 1):
            continue
        try:
            day = date(year, one.month or 1, (one.month and one.day) or 1)
            if one.year is None and known and day > known:
                day = day.replace(year=year - 1)
        except ValueError:  # 30 February
            continue
        return day, is_exact
    return None, False


def _last_day(document: DraftDocument, years: frozenset[int]) -> date | None:
    """Return the day of a page, or the last of the only year that the title names."""
    try:
        return date.fromisoformat(document.published[:10])
    except ValueError:
        return date(min(years), 12, 31) if len(years) == 1 else None


def site_of(document: DraftDocument) -> str:
    """Return the registered domain of a document's address; "" for a file."""
    return backing.site_of(document.url)


def folded(text: str) -> str:
    """Return only the words of a text, so that copies compare equal."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def years_in(text: str) -> frozenset[int]:
    """Return the years from 1500 that a text names, both of "2022–23"."""
    return frozenset(year for one in _YEAR.finditer(text) for year in _of(one))


def _of(found: re.Match[str]) -> Iterator[int]:
    first = int(found[1])
    yield first
    if found[2]:
        last = int(found[2])
        yield last if last > _CENTURY else first // _CENTURY * _CENTURY + last
