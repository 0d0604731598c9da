"""Which claims a language model is asked about, in which order, and what it is sent.

First the claims that would be flagged, then those in doubt, last those whose source
the verifier does not read, such as one in another language. Claims that cite the same
sources go into one question, so that these are sent once: whole where they fit, else
the passages nearest to the claims. Pure.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import IntEnum
from itertools import chain

from handlers.citations.comparison import nearest
from handlers.citations.doubt.prompt import (
    INSTRUCTIONS,
    about,
    claim_part,
    control,
)
from handlers.citations.doubt.trust import Trust
from handlers.citations.passages import cut
from handlers.model import (
    ClaimCheck,
    ModelUse,
    Passage,
    SourceReading,
    SourceText,
    Span,
    Verdict,
    Verification,
)
from handlers.page.sentences import split
from handlers.ports import Excerpt

_MOST_CLAIMS = 8
# English has four to five bytes a token; three leave room for other languages.
_BYTES_PER_TOKEN = 3
_BYTES_BESIDE = 1_500  # how to answer, and the marks around the parts
_ANSWER_TOKENS = 120  # for a claim: a quote or two, a line and the verdict
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Doubt:
    """Which claims are put to a model, how large a question is, and what its word counts.

    Doubtful are those whose probability of being supported lies from `low` to `high`.
    The prices, of a million tokens each, only serve to tell the cost beforehand.
    """

    low: float = 0.2
    high: float = 0.8
    max_input_tokens: int = 16_000
    trust: Trust = field(default_factory=Trust)
    input_price: Decimal = Decimal(0)
    output_price: Decimal = Decimal(0)

    def cost(self, questions: Sequence["Question"]) -> ModelUse:
        """Return about what `questions` will take."""
        beside = _bytes(INSTRUCTIONS) + _BYTES_BESIDE
        read = sum(_size(one.content) + beside for one in questions)
        tokens_in = read // (_BYTES_PER_TOKEN + 1)
        tokens_out = _ANSWER_TOKENS * sum(len(one.claims) + 1 for one in questions)
        money = tokens_in * self.input_price + tokens_out * self.output_price
        return ModelUse(len(questions), 0, tokens_in, tokens_out, money / _MILLION)


class Turn(IntEnum):
    """When a claim has its turn."""

    FLAG = 0
    DOUBT = 1
    UNREAD = 2  # by the verifier


@dataclass(frozen=True, slots=True)
class Asked:
    """A claim: its id, where it stands among the checks, and the passages it cites."""

    id: str
    place: int
    check: ClaimCheck
    passages: tuple[Passage, ...]  # of all its sources


@dataclass(frozen=True, slots=True)
class Question:
    """Claims that one question is about; `control` is the id of the one made up."""

    turn: Turn
    claims: tuple[Asked, ...]
    control: str
    content: tuple[Excerpt, ...]


def questions(
    title: str,
    checks: Sequence[ClaimCheck],
    doubt: Doubt,
    flags: Callable[[ClaimCheck], bool],
) -> list[Question]:
    """Return what to ask about `checks`, in the order of the turns."""
    groups: dict[frozenset[str], list[tuple[Turn, int]]] = {}
    texts: dict[str, SourceText] = {}
    for place, check in enumerate(checks):
        turn = _turn(check, doubt, flags)
        if turn is not None:
            cited = {
                reading.source.key: text
                for reading in check.readings
                if (text := text_of(reading)) is not None
            }
            texts.update(cited)
            groups.setdefault(frozenset(cited), []).append((turn, place))
    passages = {key: cut(text, key) for key, text in texts.items()}
    most = doubt.max_input_tokens * _BYTES_PER_TOKEN
    found: list[Question] = []
    for keys, group in groups.items():
        # The doubtful claims of a source ride along with its would-be flags.
        sources = [_Source(texts[key].text, passages[key]) for key in sorted(keys)]
        found += [
            _question(title, checks, part, sources, most)
            for part in _parts(sorted(group), checks, most // 2)
        ]
    return sorted(found, key=lambda one: one.turn)


def text_of(reading: SourceReading) -> SourceText | None:
    """Return what a model may read of a source, the verifier too or not."""
    return reading.document or reading.withheld


def verified(check: ClaimCheck) -> Verification | None:
    """Return what the verifier found, unless it is of a part of the sources only.

    That a part does not state the claim says nothing of one in a foreign language.
    """
    partly = check.verdict is None and _is_partly_withheld(check)
    return None if partly else check.verification


def _is_partly_withheld(check: ClaimCheck) -> bool:
    return any(reading.withheld is not None for reading in check.readings)


def _turn(
    check: ClaimCheck, doubt: Doubt, flags: Callable[[ClaimCheck], bool]
) -> Turn | None:
    if all(text_of(reading) is None for reading in check.readings):
        return None
    found = verified(check)
    if found is None:
        return Turn.UNREAD
    if flags(check):
        return Turn.FLAG
    if doubt.low <= found.probabilities.supported <= doubt.high:
        return Turn.DOUBT
    fails = check.verdict is not Verdict.SUPPORTED
    return Turn.UNREAD if fails and _is_partly_withheld(check) else None


def _parts(
    group: Iterable[tuple[Turn, int]], checks: Sequence[ClaimCheck], most: int
) -> Iterator[list[tuple[Turn, int]]]:
    """Yield the claims in parts of at most so many bytes; one alone always fits."""
    part: list[tuple[Turn, int]] = []
    size = 0
    for turn, place in group:
        own = _bytes(claim_part(checks[place].claim))
        if part and (len(part) == _MOST_CLAIMS or size + own > most):
            yield part
            part, size = [], 0
        part.append((turn, place))
        size += own
    if part:
        yield part


def _question(
    title: str,
    checks: Sequence[ClaimCheck],
    part: Sequence[tuple[Turn, int]],
    sources: Sequence["_Source"],
    most: int,
) -> Question:
    texts = [claim_part(checks[place].claim) for _, place in part]
    at, made_up = control("\n".join((title, *texts)))
    at %= len(texts) + 1
    texts.insert(at, made_up)
    ids = [f"c{number}" for number in range(1, len(texts) + 1)]
    claims = [
        Excerpt(f"claim {name}", text) for name, text in zip(ids, texts, strict=True)
    ]
    asked = [checks[place] for _, place in part]
    room = most - _size([about(title), *claims])
    cited = tuple(passage for source in sources for passage in source.passages)
    made_up = ids.pop(at)
    return Question(
        turn=part[0][0],
        claims=tuple(
            Asked(name, place, check, cited)
            for name, (_, place), check in zip(ids, part, asked, strict=True)
        ),
        control=made_up,
        content=(about(title), *_shown(title, asked, sources, room), *claims),
    )


# --- what is sent of the sources ------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Source:
    text: str
    passages: tuple[Passage, ...]


def _shown(
    title: str, checks: Sequence[ClaimCheck], sources: Sequence[_Source], room: int
) -> Iterator[Excerpt]:
    """Yield the sources, whole or what of them is nearest to the claims."""
    if sum(_bytes(source.text) for source in sources) <= room:
        for number, source in enumerate(sources, 1):
            yield Excerpt(f"source {number}, whole", source.text)
        return
    chosen = _chosen(title, checks, sources, room)
    for number, (source, spans) in enumerate(zip(sources, chosen, strict=True), 1):
        for at, span in enumerate(spans, 1):
            yield Excerpt(f"source {number}, excerpt {at}", span.of(source.text))


def _chosen(
    title: str, checks: Sequence[ClaimCheck], sources: Sequence[_Source], room: int
) -> list[list[Span]]:
    """Return the places of whole sentences in each source that fit, in their order.

    The claims take turns, each with its next best passage; a source's opening comes
    first, for it says what all of it is about.
    """
    whole = [_whole_sentences(source) for source in sources]
    owner = {
        passage: (number, whole[number][at])
        for number, source in enumerate(sources)
        for at, passage in enumerate(source.passages)
    }
    ranked = [
        [one.passage for one in nearest(title, check.claim, tuple(owner))]
        for check in checks
    ]
    openings = [source.passages[0] for source in sources if source.passages]
    turns = chain(openings, *zip(*ranked, strict=True))
    chosen: list[list[Span]] = [[] for _ in sources]
    for passage in dict.fromkeys(turns):
        number, span = owner[passage]
        grown = _joined([*chosen[number], span])
        text = sources[number].text
        more = sum(_bytes(one.of(text)) for one in grown)
        more -= sum(_bytes(one.of(text)) for one in chosen[number])
        if more <= room:
            chosen[number] = grown
            room -= more
    if not any(chosen):  # no prose: what it has for sentences fits nowhere
        [first, *_] = (ranks[0] for ranks in ranked)
        number, start = owner[first][0], first.span.start
        chosen[number] = [Span(start, min(first.span.end, start + max(room // 4, 1)))]
    return chosen


def _whole_sentences(source: _Source) -> list[Span]:
    """Return where each passage stands with the sentences it begins and ends in."""
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
