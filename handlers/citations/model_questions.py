"""Which claims a language model is asked about, in which order, and what it is sent.

Every claim with a source that could be read is asked about, as long as the budget
lasts: first those that would be flagged, then the others that the verifier does not
confirm or cannot read, last those that it confirms, the least certain first. Its
confirmation proves little: when one value in a sentence is changed, it mostly still
confirms it. Claims that cite the same sources share a question, so that the sources are
sent only once: whole if they fit, otherwise the passages nearest to the claims. The
instructions are written by people and contain nothing from a page. How much an answer
counts follows by Bayes' rule from how often a model gave which answer on claims that
people had judged. Pure.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import IntEnum
from hashlib import sha256
from itertools import chain
from typing import Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field

from handlers.citations.comparison import context, rank
from handlers.citations.corpus import read_corpus
from handlers.citations.passages import cut
from handlers.citations.tags import goes_first
from handlers.model import (
    Claim,
    ClaimCheck,
    ModelUse,
    Passage,
    Probabilities,
    SourceFetch,
    SourceText,
    Span,
    Verdict,
    Verification,
)
from handlers.page.sentences import split
from handlers.ports import Excerpt
from handlers.text.analysis import analyse
from handlers.text.words import content_stems, words

Word = Literal[
    "supported", "partly supported", "contradicted", "not stated", "source unusable"
]

VERDICTS: dict[str, Verdict | None] = {
    "supported": Verdict.SUPPORTED,
    "partly supported": Verdict.PARTIALLY_SUPPORTED,
    "contradicted": Verdict.CONTRADICTED,
    "not stated": Verdict.NOT_SUPPORTED,
    "source unusable": None,
}

COPYING = """\
the words of the sources that decide, copied character for character; whole \
sentences, one run of words each. One is best; take two or three where parts of the \
claim stand in different places. Never shorten a quote with dots, never join two \
places, never correct or translate. A quote that does not stand in the source is \
worthless."""
AROUND = """\
"Context" is what the article says before the claim; it tells who "he" or "the band" \
is and needs no support. The subject of the article needs none either. Of a claim \
from a table, the row, the column and the other cells of the row tell what the value \
is about; only the value needs support.
"""

INSTRUCTIONS = f"""
You check whether sources support what an encyclopaedia article says.

You are given one or more sources, whole or in excerpts, and some numbered claims of \
one article that cite them. Judge each claim by these sources alone, whatever you know \
from elsewhere. Answer once for each claim, with its id, in this order:

"quotes": {COPYING} For "not stated" leave the list empty.

"reason": one line. Hold each detail of the claim (who, what, where, when, how many) \
against the quotes, and name the one that differs or is missing.

"verdict": one of
- "supported": a fair editor would let the citation stand: the sources state what the \
claim is about, in any words and any language. A rounded number, another unit, another \
spelling of a name, what plainly follows from the source, and a shade of meaning or a \
linking word that the article adds are no difference.
- "partly supported": they state one fact of the claim and say nothing of another that \
matters by itself: a person, a number, a date, an event.
- "contradicted": they say something else about the same thing, so that both cannot be \
true: another number, date, name or outcome. Silence is no contradiction, nor is a \
value of something else.
- "not stated": they can be read and do not say it.
- "source unusable": there is nothing to judge by: an error page, a login, a cookie \
notice, a menu, a bare list of links. Quote what shows it. A readable page about \
something else is "not stated".

{AROUND}"""

QUESTION = sha256(INSTRUCTIONS.encode()).hexdigest()[:6]
"""The version of the question; it changes with the instructions."""

_MOST_CONTEXT = 400  # characters, nearest to the claim
_MOST_CLAIM = 2_000
_MOST_TITLE = 300
_MOST_MADE_UP = 600
_DIGITS = re.compile(r"\d{1,15}")
_YEAR_DIGITS = 4
_MOST_TRIES = 400
_STRIDE = 7
_FAR = 20  # two numbers differ by more than one part in so many: none is rounded
_SYLLABLES = ("ba", "dor", "fen", "gli", "kos", "lu", "mar", "nev")

# What is assumed before any answers are counted, weighing as much as this many claims
# of each true verdict: four answers in five are right. Published accuracies of open
# models on WiCE (whole pages, supported against the rest) are 78.9 % (Qwen3-32B) and
# 84.4 % (gpt-oss-20b).
_ASSUMED_RIGHT = 0.8
_ASSUMED_CLAIMS = 5

_MOST_CLAIMS = 8
# English has four to five bytes a token; three leave room for other languages.
_BYTES_PER_TOKEN = 3
_BYTES_BESIDE = 1_500  # the answer format, and the marks around the parts
_ANSWER_TOKENS = 120  # per claim: a quote or two, a line and the verdict
_MILLION = 1_000_000


class ClaimAnswer(BaseModel):
    """What the model says of one claim. An unknown verdict is let in, and reported.

    The quotes come first and the reason next, so that the verdict rests on them.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    id: str
    quotes: list[str]
    reason: str
    verdict: str = Field(json_schema_extra={"enum": list(get_args(Word))})


class Answers(BaseModel):
    """What the model says of all claims it was asked about."""

    model_config = ConfigDict(extra="forbid", strict=True)

    answers: list[ClaimAnswer]


def about_article(title: str) -> Excerpt:
    """Return the part that names the article."""
    return Excerpt("title of the article", title[:_MOST_TITLE])


def claim_part(claim: Claim) -> str:
    """Return one claim and what a reader knows besides."""
    lines = [
        ("Section", " > ".join(claim.section)),
        ("Row", claim.row or ""),
        ("Column", claim.column or ""),
        ("Whole row", (claim.line or "")[:_MOST_CONTEXT]),
        ("Context", claim.context[-_MOST_CONTEXT:]),
        ("Claim", claim.text[:_MOST_CLAIM]),
    ]
    return "\n".join(
        f"{name}: {' '.join(value.split())}" for name, value in lines if value
    )


@dataclass(frozen=True, slots=True)
class Control:
    """A claim that no source states, where it goes among those of its question."""

    place: int
    claim: Claim


def control(
    title: str,
    claims: Sequence[Claim],
    others: Sequence[Claim],
    stated: frozenset[str],
) -> Control:
    """Return a claim that no source states, made from a real one.

    A model that supports it is not judging but obeying, usually a page. A page can
    except what it can describe, so nothing is the same from article to article: the
    made-up claim is one of the question with other values, or says of the same subject
    what another claim of the article says, again with other values. It is the same for
    the same question.

    Args:
        title: of the article.
        claims: those of the question, at least one.
        others: claims of the article that are asked about elsewhere.
        stated: the numbers in the sources that the question is about.
    """
    asked = "\n".join((title, *map(claim_part, claims)))
    digest = sha256(asked.encode("utf-8", "replace")).digest()
    # As many of the others as there are in the question. They are drawn so that an edit
    # of the article seldom changes which: answers are remembered by their question.
    drawn = sorted(
        (one for one in others if _numbers(one.text, title)),
        key=lambda one: sha256(digest + one.text.encode("utf-8", "replace")).digest(),
    )
    pool = [*claims, *drawn[: len(claims)]]
    model = pool[digest[1] % len(pool)]
    changed = _changed(model.text[:_MOST_MADE_UP], title, stated, digest)
    # The whole row of a cell would give its true value away.
    made_up = replace(model, text=changed, line=None)
    return Control(digest[2] % (len(claims) + 1), made_up)


def _numbers(text: str, title: str) -> list[re.Match[str]]:
    """Return the numbers of a claim, without those that belong to its subject."""
    known = frozenset(_DIGITS.findall(title))
    return [one for one in _DIGITS.finditer(text) if one[0] not in known]


def _changed(text: str, title: str, stated: frozenset[str], digest: bytes) -> str:
    """Return a claim with its numbers, else its names, changed to what nobody states."""
    if numbers := _numbers(text, title):
        places = [(one.start(), one.end()) for one in numbers]
        new = [_other_number(text[a:b], stated, digest) for a, b in places]
        return _with(text, places, new)
    name = "".join(_SYLLABLES[byte % len(_SYLLABLES)] for byte in digest[3:6])
    analysis, subject = analyse(text), content_stems(words(title))
    places = [
        (analysis.words[one.first_word].start, analysis.words[one.last_word].end)
        for one in analysis.names
        if subject.isdisjoint(one.stems)
    ]
    if places:
        return _with(text, places, [name.capitalize()] * len(places))
    # It names nothing that could be another; so it says one thing more.
    year = _other_number("1850", stated, digest)
    return f"{text.rstrip('. ')} ({name.capitalize()}, {year})."


def _with(text: str, places: Sequence[tuple[int, int]], new: Sequence[str]) -> str:
    ends = [0, *(end for _, end in places)]
    starts = [*(start for start, _ in places), len(text)]
    kept = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    return "".join(chain.from_iterable(zip(kept, [*new, ""], strict=True)))


def _other_number(number: str, stated: frozenset[str], digest: bytes) -> str:
    """Return a number as long as `number`, far from it, that no source contains."""
    least = 10 ** (len(number) - 1) if len(number) > 1 else 2
    most = 10 ** len(number) - 1
    if len(number) == _YEAR_DIGITS:
        least, most = 1200, 1999
    own = int(number)
    seed = int.from_bytes(sha256(digest + number.encode()).digest()[:8])
    for step in range(_MOST_TRIES):
        other = least + (seed + step * _STRIDE) % (most - least + 1)
        if str(other) not in stated and abs(other - own) * _FAR > max(other, own):
            return str(other)
    # The sources have all of them: a longer one is far from each.
    return f"{digest[6] % 9 + 1}{number}"


# --- how much an answer counts ---


@dataclass(frozen=True, slots=True)
class Trust:
    """What models answered about claims, by the true verdict: `answers[true][given]`.

    The verifier's probabilities are raised to the power of `verifier_weight`, which is
    below 1 because the verifier is too confident about its flags.
    """

    answers: Mapping[Verdict, Mapping[Verdict, int]] = field(default_factory=dict)
    verifier_weight: float = 0.5

    @property
    def base(self) -> Probabilities:
        """How likely each verdict is before anything is read."""
        shares = {
            true: _ASSUMED_CLAIMS + sum(self.answers.get(true, {}).values())
            for true in Verdict
        }
        return _normal(shares)

    def weighed(self, before: Probabilities, given: Verdict) -> Probabilities:
        """Return the verifier's probabilities `before`, updated by a model's answer."""
        # The verifier's split between the failing verdicts is only half believed: it
        # calls almost nothing contradicted, and a model's quote says a lot.
        even = (1 - before.supported) / (len(Verdict) - 1)
        first = {true: (before.of(true) + even) / 2 for true in Verdict}
        first[Verdict.SUPPORTED] = before.supported
        return _normal(
            {
                true: first[true] ** self.verifier_weight
                * self._likelihood(true, given)
                for true in Verdict
            }
        )

    def _likelihood(self, true: Verdict, given: Verdict) -> float:
        """Return how likely a model is to answer `given` where `true` is true."""
        counted = self.answers.get(true, {})
        wrong = (1 - _ASSUMED_RIGHT) / (len(Verdict) - 1)
        assumed = _ASSUMED_CLAIMS * (_ASSUMED_RIGHT if given is true else wrong)
        total = _ASSUMED_CLAIMS + sum(counted.values())
        return (assumed + counted.get(given, 0)) / total


def _normal(shares: Mapping[Verdict, float]) -> Probabilities:
    total = sum(shares.values())
    return Probabilities(
        supported=shares[Verdict.SUPPORTED] / total,
        partially_supported=shares[Verdict.PARTIALLY_SUPPORTED] / total,
        not_supported=shares[Verdict.NOT_SUPPORTED] / total,
        contradicted=shares[Verdict.CONTRADICTED] / total,
    )


# --- which claims, and in which order ---


@dataclass(frozen=True, slots=True)
class Terms:
    """How large a question to a model is, and how much its answer counts.

    The prices, per million tokens, only serve to estimate the cost beforehand.
    """

    max_input_tokens: int = 16_000
    trust: Trust = field(default_factory=Trust)
    input_price: Decimal = Decimal(0)
    output_price: Decimal = Decimal(0)

    def cost(self, questions: Sequence["Question"]) -> ModelUse:
        """Return an estimate of what `questions` will take."""
        answers = sum(len(one.claims) + 1 for one in questions)
        return self.cost_of([one.content for one in questions], INSTRUCTIONS, answers)

    def cost_of(
        self, contents: Sequence[Sequence[Excerpt]], instructions: str, answers: int
    ) -> ModelUse:
        """Return an estimate of what questions of one kind will take.

        Args:
            contents: of each question.
            instructions: of all of them.
            answers: how many they ask for together, each with its quote.
        """
        beside = _bytes(instructions) + _BYTES_BESIDE
        read = sum(_size(one) + beside for one in contents)
        tokens_in = read // (_BYTES_PER_TOKEN + 1)
        tokens_out = _ANSWER_TOKENS * answers
        money = tokens_in * self.input_price + tokens_out * self.output_price
        return ModelUse(len(contents), 0, tokens_in, tokens_out, money / _MILLION)

    @property
    def most_bytes(self) -> int:
        """How large the content of a question may be."""
        return self.max_input_tokens * _BYTES_PER_TOKEN


class Priority(IntEnum):
    """Which claims are asked about first."""

    FLAG = 0  # would be flagged, or is tagged, which comes first
    OPEN = 1  # the verifier does not confirm it, or could not read a source
    CONFIRMED = 2


# When a claim is due: its priority, how likely it is supported, its place.
_Due: TypeAlias = tuple[Priority, float, int]


@dataclass(frozen=True, slots=True)
class ClaimQuestion:
    """A claim: its id, where it is among the checks, and the passages it cites."""

    id: str
    place: int
    check: ClaimCheck
    passages: tuple[Passage, ...]  # of all its sources


@dataclass(frozen=True, slots=True)
class Question:
    """The claims of one question; `control` is the id of the made-up one."""

    priority: Priority
    claims: tuple[ClaimQuestion, ...]
    control: str
    content: tuple[Excerpt, ...]


def questions(
    title: str,
    checks: Sequence[ClaimCheck],
    terms: Terms,
    flags: Callable[[ClaimCheck], bool],
) -> list[Question]:
    """Return what to ask about `checks`, in the order of their priority."""
    groups: dict[frozenset[str], list[_Due]] = {}
    texts: dict[str, SourceText] = {}
    for place, check in enumerate(checks):
        cited = {
            fetch.key: text
            for fetch in check.fetches
            if (text := text_of(fetch)) is not None
        }
        if cited and not check.claim.missing:  # no answer about the rest would count
            texts.update(cited)
            due = (*_priority(check, flags), place)
            groups.setdefault(frozenset(cited), []).append(due)
    passages = {key: cut(text, key) for key, text in texts.items()}
    most = terms.most_bytes
    found: list[tuple[_Due, Question]] = []
    for keys, group in groups.items():
        # The other claims of a source are asked along with those that would be flagged.
        sources = [CitedText(texts[key].text, passages[key]) for key in sorted(keys)]
        stated = frozenset(
            chain.from_iterable(_DIGITS.findall(one.text) for one in sources)
        )
        found += [
            (part[0], _question(title, checks, part, sources, stated, most=most))
            for part in _parts(sorted(group), checks, most // 2)
        ]
    return [question for _, question in sorted(found, key=lambda one: one[0])]


def text_of(fetch: SourceFetch) -> SourceText | None:
    """Return the text that a model may read, even if the verifier may not."""
    return fetch.document or fetch.withheld


def verified(check: ClaimCheck) -> Verification | None:
    """Return what the verifier found, unless it read only some of the sources.

    That those do not state the claim says nothing about one in a foreign language.
    """
    is_partly_withheld = check.verdict is None and any(
        fetch.withheld is not None for fetch in check.fetches
    )
    return None if is_partly_withheld else check.verification


def _priority(
    check: ClaimCheck, flags: Callable[[ClaimCheck], bool]
) -> tuple[Priority, float]:
    """Return the priority of a claim, and how likely it is supported as far as is known."""
    found = verified(check)
    if goes_first(check.claim):
        return Priority.FLAG, 0.0
    if found is None:
        return Priority.OPEN, 0.0
    likely = found.probabilities.supported
    if flags(check):
        return Priority.FLAG, likely
    confirmed = check.verdict is Verdict.SUPPORTED
    return Priority.CONFIRMED if confirmed else Priority.OPEN, likely


def _parts(
    group: Iterable[_Due], checks: Sequence[ClaimCheck], most: int
) -> Iterator[list[_Due]]:
    """Yield the claims in parts of at most this many bytes; one alone always fits."""
    part: list[_Due] = []
    size = 0
    for due in group:
        *_, place = due
        own = _bytes(claim_part(checks[place].claim))
        if part and (len(part) == _MOST_CLAIMS or size + own > most):
            yield part
            part, size = [], 0
        part.append(due)
        size += own
    if part:
        yield part


def _question(
    title: str,
    checks: Sequence[ClaimCheck],
    part: Sequence[_Due],
    sources: Sequence["CitedText"],
    stated: frozenset[str],
    *,
    most: int,
) -> Question:
    of_part = [checks[place] for *_, place in part]
    asked = [one.claim for one in of_part]
    others = [one.claim for one in checks if one.claim not in asked]
    false = control(title, asked, others, stated)
    at = false.place
    texts = [claim_part(one) for one in asked]
    texts.insert(at, claim_part(false.claim))
    ids = [f"c{number}" for number in range(1, len(texts) + 1)]
    claims = [
        Excerpt(f"claim {name}", text) for name, text in zip(ids, texts, strict=True)
    ]
    cited = tuple(passage for source in sources for passage in source.passages)
    made_up = ids.pop(at)
    return Question(
        priority=part[0][0],
        claims=tuple(
            ClaimQuestion(name, place, check, cited)
            for name, (*_, place), check in zip(ids, part, of_part, strict=True)
        ),
        control=made_up,
        content=beside_sources(title, asked, sources, claims, most=most),
    )


# --- what is sent of the sources ---


@dataclass(frozen=True, slots=True)
class CitedText:
    """The text of a source, and the passages it was cut into."""

    text: str
    passages: tuple[Passage, ...]


def beside_sources(
    title: str,
    claims: Sequence[Claim],
    sources: Sequence[CitedText],
    parts: Sequence[Excerpt],
    *,
    most: int,
) -> tuple[Excerpt, ...]:
    """Return what is sent: the article's title, what fits of its sources, and `parts`.

    Args:
        title: of the article.
        claims: those that are asked about.
        sources: that they cite.
        parts: show the claims.
        most: bytes of all this.
    """
    about = about_article(title)
    room = most - _size([about, *parts])
    return (about, *_shown(title, claims, sources, room), *parts)


def _shown(
    title: str, claims: Sequence[Claim], sources: Sequence[CitedText], room: int
) -> Iterator[Excerpt]:
    """Yield the sources, whole or only the parts nearest to the claims."""
    if sum(_bytes(source.text) for source in sources) <= room:
        for number, source in enumerate(sources, 1):
            yield Excerpt(f"source {number}, whole", source.text)
        return
    chosen = _chosen(title, claims, sources, room)
    for number, (source, spans) in enumerate(zip(sources, chosen, strict=True), 1):
        for at, span in enumerate(spans, 1):
            yield Excerpt(f"source {number}, excerpt {at}", span.of(source.text))


def _chosen(
    title: str, claims: Sequence[Claim], sources: Sequence[CitedText], room: int
) -> list[list[Span]]:
    """Return the places of the whole sentences of each source that fit, in order.

    Each claim in turn adds its next best passage; a source's opening comes
    first, because it says what the source is about.
    """
    whole = [_whole_sentences(source) for source in sources]
    owner = {
        passage: (number, whole[number][at])
        for number, source in enumerate(sources)
        for at, passage in enumerate(source.passages)
    }
    corpus = read_corpus(owner, analyse)
    ranked = [
        [
            one.passage
            for one in rank(
                analyse(claim.text),
                analyse(context(title, claim)),
                corpus,
            )
        ]
        for claim in claims
    ]
    openings = [source.passages[0] for source in sources if source.passages]
    ordered = chain(openings, *zip(*ranked, strict=True))
    chosen: list[list[Span]] = [[] for _ in sources]
    for passage in dict.fromkeys(ordered):
        number, span = owner[passage]
        grown = _joined([*chosen[number], span])
        text = sources[number].text
        more = sum(_bytes(one.of(text)) for one in grown)
        more -= sum(_bytes(one.of(text)) for one in chosen[number])
        if more <= room:
            chosen[number] = grown
            room -= more
    if not any(chosen):  # no prose: its "sentences" are too long to fit
        [first, *_] = (ranks[0] for ranks in ranked)
        number, start = owner[first][0], first.span.start
        chosen[number] = [Span(start, min(first.span.end, start + max(room // 4, 1)))]
    return chosen


def _whole_sentences(source: CitedText) -> list[Span]:
    """Return the place of each passage, extended to whole sentences."""
    sentences = split(source.text)
    starts = [one.start for one in sentences]
    ends = [one.end for one in sentences]
    return [
        Span(
            starts[max(0, bisect_right(starts, one.span.start) - 1)],
            ends[min(len(ends) - 1, bisect_left(ends, one.span.end))],
        )
        for one in source.passages
    ]


def _joined(spans: Iterable[Span]) -> list[Span]:
    joined: list[Span] = []
    for span in sorted(spans, key=lambda one: one.start):
        if joined and span.start <= joined[-1].end + 1:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


def _size(content: Iterable[Excerpt]) -> int:
    return sum(_bytes(one.text) for one in content)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
