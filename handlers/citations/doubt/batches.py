"""Which claims are doubtful, and which of them go into one question.

Claims that cite the same sources go together, so that the source is sent once.
What is sent of it are the passages nearest to the claims. Pure.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from handlers.citations.comparison import nearest
from handlers.citations.doubt.prompt import about, claim_part, source_parts
from handlers.citations.passages import cut
from handlers.model import ClaimCheck, Passage, Span
from handlers.ports import Excerpt

_PASSAGES_PER_CLAIM = 4
_MOST_CLAIMS = 8
# English has four to five bytes a token; three leave room for other languages.
_BYTES_PER_TOKEN = 3


@dataclass(frozen=True, slots=True)
class Doubt:
    """Which claims are doubtful, and how large a question about them may be.

    Those whose probability of being supported lies from `low` to `high`, as the
    verifier has it: where that is calibrated, one decided so near the middle is
    wrong at least as often as `low` (or 1 - `high`) says.
    """

    low: float = 0.2
    high: float = 0.8
    max_input_tokens: int = 6_000
    max_output_tokens: int = 2_000

    def holds(self, check: ClaimCheck) -> bool:
        """Tell whether the claim of `check` is doubtful; one that is unread is not."""
        if check.verification is None:
            return False
        return self.low <= check.verification.probabilities.supported <= self.high


@dataclass(frozen=True, slots=True)
class Asked:
    """A doubtful claim: where it stands among the checks, and what may bear it out."""

    place: int
    check: ClaimCheck
    passages: tuple[Passage, ...]  # of all its sources
    near: tuple[Passage, ...]  # those that are sent for it


@dataclass(frozen=True, slots=True)
class Batch:
    """Claims that one question is about; in the request they count from 1."""

    claims: tuple[Asked, ...]
    content: tuple[Excerpt, ...]


def batches(title: str, checks: Sequence[ClaimCheck], doubt: Doubt) -> list[Batch]:
    """Return the questions to ask about the doubtful ones among `checks`."""
    max_bytes = doubt.max_input_tokens * _BYTES_PER_TOKEN
    return [
        Batch(claims, _content(title, claims))
        for group in _by_sources(_asked(title, checks, doubt))
        for claims in _split(title, group, max_bytes)
    ]


def _asked(title: str, checks: Sequence[ClaimCheck], doubt: Doubt) -> Iterator[Asked]:
    known: dict[str, tuple[Passage, ...]] = {}
    for place, check in enumerate(checks):
        if not doubt.holds(check):
            continue
        passages: list[Passage] = []
        for reading in check.readings:
            if reading.document is not None:
                key = reading.source.key
                if key not in known:
                    known[key] = cut(reading.document, key)
                passages.extend(known[key])
        if passages:
            yield Asked(place, check, tuple(passages), _near(title, check, passages))


def _near(
    title: str, check: ClaimCheck, passages: Sequence[Passage]
) -> tuple[Passage, ...]:
    """Return the verifier's evidence and the passages that fit the claim best."""
    assert check.verification is not None  # noqa: S101 - narrows the type
    ranked = nearest(title, check.claim, passages)[:_PASSAGES_PER_CLAIM]
    proofs = [one.passage for one in check.verification.evidence]
    near = dict.fromkeys([*proofs, *(one.passage for one in ranked)])
    return tuple(near)[:_PASSAGES_PER_CLAIM]


def _by_sources(asked: Iterable[Asked]) -> Iterable[list[Asked]]:
    groups: dict[frozenset[str], list[Asked]] = {}
    for one in asked:
        keys = frozenset(passage.source_key for passage in one.passages)
        groups.setdefault(keys, []).append(one)
    return groups.values()


def _split(
    title: str, group: Sequence[Asked], max_bytes: int
) -> Iterator[tuple[Asked, ...]]:
    """Yield the group in parts that fit one question; one claim alone always does."""
    part: list[Asked] = []
    for one in group:
        grown = [*part, one]
        if part and (
            len(grown) > _MOST_CLAIMS or _size(_content(title, grown)) > max_bytes
        ):
            yield tuple(part)
            grown = [one]
        part = grown
    if part:
        yield tuple(part)


def _content(title: str, claims: Sequence[Asked]) -> tuple[Excerpt, ...]:
    return (
        about(title),
        *source_parts(_texts(claims)),
        *(claim_part(number, one.check.claim) for number, one in enumerate(claims, 1)),
    )


def _texts(claims: Sequence[Asked]) -> list[tuple[int, str]]:
    """Return the stretches of the sources that are sent, each with its source's number.

    Passages overlap; where they do, they are sent as one.
    """
    texts: dict[str, str] = {}
    spans: dict[str, list[Span]] = {}
    for one in claims:
        for reading in one.check.readings:
            if reading.document is not None:
                texts[reading.source.key] = reading.document.text
        for passage in one.near:
            spans.setdefault(passage.source_key, []).append(passage.span)
    return [
        (number, span.of(texts[key]))
        for number, key in enumerate(spans, 1)
        for span in _joined(spans[key])
    ]


def _joined(spans: Iterable[Span]) -> Iterator[Span]:
    current: Span | None = None
    for span in sorted(spans, key=lambda one: one.start):
        if current is not None and span.start <= current.end:
            current = Span(current.start, max(current.end, span.end))
            continue
        if current is not None:
            yield current
        current = span
    if current is not None:
        yield current


def _size(content: Iterable[Excerpt]) -> int:
    return sum(len(one.text.encode("utf-8", "replace")) for one in content)
