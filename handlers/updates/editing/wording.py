"""What an encyclopaedia would not say, and what was copied: checks of new words. Pure.

The lists are English, German, French and Spanish. They are short on purpose: a word is
in them where hardly any sentence of an article can do with it. Words that the paragraph
has already are its editors' own affair.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_WORD = re.compile(r"\d[\d.,]*\d|[^\W_]+(?:['’-][^\W_]+)*")
_NUMBER = re.compile(r"\d[\d.,\u00a0\u202f]*\d|\d")
_QUOTED = re.compile(r"[\"“”«»„][^\"“”«»„]*[\"“”«»„]")
_SHARED_RUN = 4  # words of a run that counts for the share


def _list(listed: str) -> tuple[str, ...]:
    return tuple(" ".join(one.split()) for one in listed.split(","))


_PUFFERY = _list(
    """legendary, iconic, renowned, world-class, acclaimed, prestigious, groundbreaking,
    visionary, stunning, breathtaking, remarkable, remarkably, outstanding, brilliant,
    celebrated, extraordinary, spectacular, unprecedented success, cutting-edge,
    state-of-the-art, award-winning, best-known, must-see, game-changing, impressive,
    impressively, amazing, incredible, incredibly, fantastic, exciting, beloved,
    weltberühmt, renommiert, legendär, beeindruckend, herausragend, bahnbrechend,
    légendaire, célèbre, prestigieux, prestigieuse, remarquable, exceptionnel,
    legendario, prestigioso, prestigiosa, impresionante, extraordinario, emblemático"""
)
_EDITORIAL = _list(
    """notably, interestingly, importantly, surprisingly, unfortunately, tragically,
    sadly, fortunately, ironically, of course, clearly, obviously, undoubtedly,
    arguably, essentially, fittingly, controversially, famously, it should be noted,
    it is worth noting, testament to, sparked debate, raised eyebrows, made waves,
    solidified, cementing, shocked the world, bemerkenswerterweise, leider,
    interessanterweise, natürlich, malheureusement, évidemment, notamment célèbre,
    lamentablemente, obviamente, curiosamente"""
)
_UNATTRIBUTED = _list(
    """critics say, experts say, experts believe, some say, some argue, many believe,
    many say, observers say, analysts say, analysts believe, it is believed,
    it is said, widely regarded, widely considered, widely seen, fans believe,
    rumored, rumoured, reportedly, allegedly"""
)
_RELATIVE_TIME = _list(
    """recently, currently, today, yesterday, tomorrow, nowadays, at present, presently,
    now, soon, this year, this month, this week, last year, last month, last week,
    next year, next month, next week, so far, to date, upcoming, kürzlich, derzeit,
    aktuell, heute, gestern, bald, récemment, actuellement, aujourd'hui, hier, bientôt,
    recientemente, actualmente, hoy, ayer, pronto"""
)
_PERSONS = _list("i, we, you, our, your, my, us, wir, ihr, nous, vous, nosotros, usted")
_KINDS = (
    (_PUFFERY, "praises"),
    (_EDITORIAL, "comments"),
    (_UNATTRIBUTED, "says what nobody in particular says"),
    (_RELATIVE_TIME, "tells a time that soon is wrong"),
    (_PERSONS, "speaks to the reader"),
)


@dataclass(frozen=True, slots=True)
class Limits:
    """How near to its source, and how long, new wording may be.

    Names and numbers cannot be said in other words, so they count for nothing in
    `longest_run`, the most words in a row that the source has, too. `most_shared` is
    the largest share of the new words that stand in such runs of four or more.
    """

    longest_run: int = 7
    most_shared: float = 0.6
    most_words: int = 60
    most_per_word: float = 2.0  # new words per word of the update
    most_quoted: int = 4  # words in quotation marks


def faults(
    came: Iterable[str],
    *,
    paragraph: str,
    sources: Iterable[str],
    told: str,
    limits: Limits | None = None,
) -> Iterator[str]:
    """Yield what is wrong with new words, in plain words for a person.

    Args:
        came: the words that come, each run by itself.
        paragraph: the paragraph before the edit, plain.
        sources: texts of the sources.
        told: the update, plain.
        limits: the default ones, if none.
    """
    limits = limits or Limits()
    runs = tuple(came)
    has = f" {' '.join(_words(paragraph))} "
    yield from _of_tone(runs, has)
    yield from _of_length(runs, told, limits)
    yield from copied(runs, sources, limits)


def copied(
    came: Iterable[str], sources: Iterable[str], limits: Limits
) -> Iterator[str]:
    """Yield what of new words is the sources', in plain words for a person."""
    texts = [_words(one) for one in sources]
    for run in came:
        yield from _of_copy(run, texts, limits)


def unknown(came: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """Return the numbers and names among new words that no known text has."""
    texts = tuple(known)
    numbers = {_digits(one) for text in texts for one in _NUMBER.findall(text)}
    words = {word for text in texts for word in _words(text)}
    found = []
    for run in came:
        found += [one for one in _NUMBER.findall(run) if _digits(one) not in numbers]
        found += [one for one in _names(run) if one.lower() not in words]
    return tuple(dict.fromkeys(found))


def _of_tone(runs: Iterable[str], has: str) -> Iterator[str]:
    for run in runs:
        words = f" {' '.join(_words(run))} "
        for listed, what in _KINDS:
            for one in listed:
                if f" {one} " in words and f" {one} " not in has:
                    yield f"it {what}: “{one}”"


def _of_length(runs: tuple[str, ...], told: str, limits: Limits) -> Iterator[str]:
    count = sum(len(_words(run)) for run in runs)
    most = min(limits.most_words, 8 + limits.most_per_word * len(_words(told)))
    if count > most:
        yield f"it adds {count} words for a fact that is told in {len(_words(told))}"
    for run in runs:
        if any(len(_words(one)) > limits.most_quoted for one in _QUOTED.findall(run)):
            yield "it quotes"


def _of_copy(run: str, texts: Iterable[list[str]], limits: Limits) -> Iterator[str]:
    words = _words(run)
    is_free = [one.lower() in _free(run) for one in words]
    for text in texts:
        shared = _shared_runs(words, text)
        longest = max(
            (sum(not is_free[at] for at in range(*one)) for one in shared), default=0
        )
        if longest > limits.longest_run:
            yield f"{longest} words in a row are the source's"
        plain = {at for at, free in enumerate(is_free) if not free}
        held = {
            at
            for first, last in shared
            if last - first >= _SHARED_RUN
            for at in range(first, last)
        }
        if len(plain) > _SHARED_RUN and (
            len(plain & held) > limits.most_shared * len(plain)
        ):
            yield "most of its words are the source's, in the same order"


def _shared_runs(words: list[str], text: list[str]) -> list[tuple[int, int]]:
    """Return the longest runs of `words`, from each of them on, that `text` has."""
    line = f" {' '.join(text)} "
    found = []
    last = 0
    for first in range(len(words)):
        end = max(first, last)
        while end < len(words) and f" {' '.join(words[first : end + 1])} " in line:
            end += 1
        if end > last and end > first:
            found.append((first, end))
        last = max(last, end)
    return found


def _free(run: str) -> frozenset[str]:
    """Return the names and numbers of a run, in lower case."""
    numbers = (one for one in _WORD.findall(run) if one[0].isdigit())
    return frozenset(one.lower() for one in (*_names(run), *numbers))


def _names(run: str) -> list[str]:
    """Return the capitalised words that do not open a sentence."""
    return [
        one[0]
        for one in _WORD.finditer(run)
        if one[0][0].isupper() and not _opens(run, one.start())
    ]


def _opens(run: str, start: int) -> bool:
    before = run[:start].rstrip(" \"“'(")
    return not before or before[-1] in ".!?"


def _digits(number: str) -> str:
    return re.sub(r"[.,\u00a0\u202f](?=\d{3}(?!\d))", "", number)


def _words(text: str) -> list[str]:
    return [one.lower() for one in _WORD.findall(text)]
