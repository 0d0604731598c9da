"""Splits a sentence into facts, each of which can be true or false by itself.

WiNELL counts coverage in such *atomic facts* (§4.2) and has a model find them. Here a
few rules do it without any knowledge of grammar: they split joined clauses, verbs that
share a subject, and relative clauses. Where they are unsure they leave a sentence
whole, so they never make up a fact that the sentence does not state; a "fact" may then
be two.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from handlers.text.words import content_stems, words

_FEWEST_STEMS = 2  # content words of a fact; a shorter one stays with its neighbour
_MOST_FACTS = 6
_LONGEST_SUBJECT = 10  # words
_LONGEST_ANTECEDENT = 300  # characters
_NEAR = 9  # words within which an independent clause has its verb
_FEWEST_LETTERS = 5  # of a word in "-ed" that counts as a verb


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_VERBS = _words(
    """
    is are was were has have had will would can could may might must shall should did
    does do became began brought built bought came caught chose cut drew drove fell
    felt fought found flew gave got grew went held hit hurt kept knew laid led left lent
    let lost made meant met paid put ran rose said sang sat saw sent set shot sold spent
    split spoke spread stood stole struck sued swore swept took taught told thought
    threw understood won wore wrote beat broke fled forbade hid hung overcame oversaw
    rode sank shook sought spun swam withdrew includes features stars plays follows
    consists remains contains serves"""
)
_NOT_VERBS = _words(
    "united hundred sacred indeed speed breed alleged armed unarmed red"
)
_ADVERBS = _words(
    "also later then subsequently eventually finally soon again never not only"
    " immediately initially originally reportedly officially once still"
)
_STARTS = _words("the a an he she it they his her its their this these those there")
_JOINS = re.compile(
    r"(?P<semicolon>; )"
    r"|(?P<relative>, (?:which|who) )"
    r"|(?P<join>,? (?:and|but|while|whereas|although|though|before|after which) )"
)
# Nothing inside these is split. A longer match was never closed; without the limit,
# each opening would search the rest of the text, and thousands of them would take
# minutes.
_UNSPLIT = re.compile(r"[“\"][^”\"]{0,1500}+[”\"]|\([^)]{0,1500}+\)")
_OPENING = re.compile(
    r"(?:In|On|At|After|During|By|From|As|Since|Following|Before|Until|According to)\b"
    r"[^,]{2,80}, (?:\d{4}, )?(?=\S)"
)
_ANTECEDENT = re.compile(
    r"(?:(?:[Tt]he|[Aa]n?|[Hh]is|[Hh]er|[Ii]ts|[Tt]heir) (?:[\w'’-]+ ){0,4}[\w'’-]+"
    r"|[A-Z][\w'’.-]+(?: (?:[A-Z][\w'’.-]+|of|the|de))*)$"
)
_WORD = re.compile(r"[\w'’-]+")
_CLOSED = re.compile(r"[.!?][\"”’)]*$")
_RELATIVE_END = re.compile(r",(?= )")


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of a sentence, and what joined it to the words before."""

    join: str
    text: str


def facts_of(sentence: str) -> tuple[str, ...]:
    """Return the facts of a sentence in order, each as a sentence.

    Every one ends in a full stop. There are at most six; the last one holds the rest.
    """
    whole = " ".join(sentence.split())
    facts: list[str] = []
    for part in _parts(whole.rstrip(".")):
        facts.extend(_relative_parts(part))
    closed = [_closed(fact.strip(" ,;")) for fact in facts if fact.strip(" ,;.")]
    return tuple(dict.fromkeys(closed)) or ((whole,) if whole else ())


def _closed(fact: str) -> str:
    """Return a fact with a capital and a full stop, which may be inside its quotes."""
    sentence = fact[:1].upper() + fact[1:]
    return sentence if _CLOSED.search(sentence) else f"{sentence}."


def _parts(sentence: str) -> Iterator[str]:
    """Yield clauses that can stand by themselves, with a shared subject repeated."""
    first, *others = _cut(sentence)
    opening = _OPENING.match(first.text)
    subject = _subject(first.text[opening.end() :] if opening else first.text)
    whole = first.text
    for part in others:
        clause = _clause(part, subject)
        if clause is None or not _is_sentence(clause) or not _is_sentence(whole):
            whole += part.join + part.text
            continue
        yield whole
        whole = clause
        subject = _subject(clause) or subject
    yield whole


def _cut(sentence: str) -> list[_Part]:
    """Cut where a clause could begin, but never inside brackets or quotes."""
    masked = _UNSPLIT.sub(lambda unsplit: "\0" * len(unsplit[0]), sentence)
    parts: list[_Part] = []
    start, join = 0, ""
    for found in _JOINS.finditer(masked):
        if found["relative"] or len(parts) == _MOST_FACTS - 1:
            continue
        parts.append(_Part(join, sentence[start : found.start()]))
        start, join = found.end(), found[0]
    return [*parts, _Part(join, sentence[start:])]


def _clause(part: _Part, subject: str | None) -> str | None:
    """Return what follows a join as a sentence; `None` if it is not one."""
    found = _WORD.findall(part.text)
    at = 1 if found and found[0] in _ADVERBS else 0
    if at < len(found) and _is_verb(found[at]):
        return f"{subject} {part.text}" if subject else None
    if not found or _is_list_item(part):
        return None
    starts = found[0][0].isupper() or found[0] in _STARTS
    if starts and any(_is_verb(word) for word in found[1:_NEAR]):
        return part.text[0].upper() + part.text[1:]
    return None


def _is_list_item(part: _Part) -> bool:
    """Return whether “and” joins names: “Ada, and Bo, were there” has no new clause."""
    head = part.text.split(",", 1)[0]
    return not any(_is_verb(word) for word in _WORD.findall(head))


def _is_verb(word: str) -> bool:
    if word in _VERBS:
        return True
    return (
        len(word) >= _FEWEST_LETTERS
        and word.islower()
        and word.endswith("ed")
        and word not in _NOT_VERBS
    )


def _subject(clause: str) -> str | None:
    """Return the words before the first verb."""
    for number, found in enumerate(_WORD.finditer(clause)):
        if number > _LONGEST_SUBJECT:
            return None
        if number and _is_verb(found[0]):
            subject = clause[: found.start()].strip(" ,")
            last = subject.rsplit(" ", 1)
            return last[0] if len(last) > 1 and last[1] in _ADVERBS else subject
    return None


def _relative_parts(clause: str) -> Iterator[str]:
    """Yield a clause without its “, which …” part, then that part as a clause."""
    masked = _UNSPLIT.sub(lambda unsplit: "\0" * len(unsplit[0]), clause)
    found = next((one for one in _JOINS.finditer(masked) if one["relative"]), None)
    if found is None:
        yield clause
        return
    start = max(0, found.start() - _LONGEST_ANTECEDENT)
    about = _ANTECEDENT.search(clause[start : found.start()])
    end = _RELATIVE_END.search(masked, found.end())
    predicate = clause[found.end() : end.start() if end else len(clause)]
    verb = _WORD.search(predicate)
    rest = clause[: found.start()] + (clause[end.end() :] if end else "")
    if not (about and verb and _is_verb(verb[0]) and _is_sentence(rest)):
        yield clause
        return
    yield rest
    yield f"{about[0][0].upper()}{about[0][1:]} {predicate}"


def _is_sentence(clause: str) -> bool:
    """Return whether a clause can be a sentence: it has a verb and enough content."""
    has_verb = any(_is_verb(word) for word in _WORD.findall(clause))
    return has_verb and len(content_stems(words(clause))) >= _FEWEST_STEMS
