"""Turns pairs into batches of like length, in an order that a seed fixes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import torch
from tokenizers import Tokenizer
from torch import Tensor

from bot.research.training.verifier.pair import TrainingPair
from handlers.citations.network_input import LaidOut, Pieces, lay_out, tags

UNMARKED = -1.0  # of word pieces that teach nothing
LENGTHS = (40, 48, 56, 64, 80, 96, 128, 160, 192, 224, 256, 288, 320)
_ENCODED_TOGETHER = 3000


@dataclass(frozen=True, slots=True)
class Example:
    """A pair in word pieces. `words` has a value for each piece of the claim."""

    laid_out: LaidOut
    target: tuple[float, float, float]
    words: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """Tensors of shape (batch, length), targets of (batch, 3)."""

    pieces: Tensor
    attention: Tensor
    segments: Tensor
    targets: Tensor
    words: Tensor


def examples(pairs: Sequence[TrainingPair], tokenizer: Tokenizer) -> list[Example]:
    """Cut all pairs into word pieces."""
    found = []
    for first in range(0, len(pairs), _ENCODED_TOGETHER):
        part = pairs[first : first + _ENCODED_TOGETHER]
        claims, abouts, texts = (
            tokenizer.encode_batch(
                [getattr(one.text, name) for one in part], add_special_tokens=False
            )
            for name in ("claim", "about", "evidence")
        )
        for pair, claim, about, text in zip(part, claims, abouts, texts, strict=True):
            of_claim, of_evidence = tags(pair.text.claim, pair.text.evidence)
            laid_out = lay_out(
                Pieces(claim.ids, claim.offsets, of_claim),
                about.ids,
                Pieces(text.ids, text.offsets, of_evidence),
            )
            words = _words(pair, claim.offsets[: laid_out.claim_pieces])
            found.append(Example(laid_out, pair.target, words))
    return found


def _words(pair: TrainingPair, offsets: Sequence[tuple[int, int]]) -> tuple[float, ...]:
    values = [UNMARKED] * len(offsets)
    for mark in pair.marks:
        for at, (start, end) in enumerate(offsets):
            if start < mark.end and end > mark.start:
                values[at] = float(mark.supported)
    return tuple(values)


def batches(
    units: Sequence[Sequence[Example]], most_pieces: int, draws: Random
) -> Iterator[Batch]:
    """Yield the examples in batches of few shapes, some `most_pieces` pieces each.

    The examples of a unit stand together, padded to the longest of them. A processor's
    matrix kernels are made anew for each shape they first meet, which takes longer
    than the work itself: so there are few lengths, each with one number of examples,
    and now and then a unit is parted between two batches. What is left over at the
    end of a length is left out.
    """
    waiting: dict[int, list[Example]] = {length: [] for length in LENGTHS}
    order = list(range(len(units)))
    draws.shuffle(order)
    for at in order:
        length = _padded(max(len(one.laid_out.pieces) for one in units[at]))
        waiting[length] += units[at]
        size = most_pieces // length
        if len(waiting[length]) >= size:
            yield batch(waiting[length][:size], length)
            del waiting[length][:size]


def _padded(length: int) -> int:
    return next(limit for limit in LENGTHS if length <= limit)


def batch(part: Sequence[Example], length: int) -> Batch:
    """Pad examples to `length`."""
    pieces = torch.zeros((len(part), length), dtype=torch.long)
    segments, attention = torch.zeros_like(pieces), torch.zeros_like(pieces)
    words = torch.full((len(part), length), UNMARKED)
    for at, one in enumerate(part):
        size = len(one.laid_out.pieces)
        pieces[at, :size] = torch.tensor(one.laid_out.pieces)
        segments[at, :size] = torch.tensor(one.laid_out.segments)
        attention[at, :size] = 1
        words[at, 1 : 1 + len(one.words)] = torch.tensor(one.words)
    targets = torch.tensor([one.target for one in part])
    return Batch(pieces, attention, segments, targets, words)
