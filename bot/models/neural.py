"""Runs the built-in cross-encoders with ONNX Runtime: one pair at a time, no padding.

There are two, because neither is best at both tasks: the smaller one tells best how
much of a claim a real page supports, the larger one whether a value, a name or a word
of it is wrong. PyTorch is not needed. The sessions are created for the first pair.
"""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bot.models.edits import EditFile, shipped_edits
from bot.models.lexical import FittedVerifier, ModelFile, from_json
from bot.models.onnx import WORD_PIECES, load_network, load_word_pieces, shipped
from handlers.citations.edits import judge_edit
from handlers.citations.network_input import (
    CrossEncoder,
    LaidOut,
    PairAnswer,
    PairReader,
    PairText,
    Pieces,
    Reading,
    StatesHead,
    lay_out,
    tags,
)
from handlers.model import Claim, EditJudgement, Passage

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

MODEL, LARGER_MODEL = "verifier.onnx", "verifier_larger.onnx"
# Metadata key of a network that distinguishes values (see `network_input`).
SEGMENTS = "segments"
LOGITS, STATES = "logits", "states"  # names of a network's outputs
_MOST_CHARACTERS = 4000  # of each text; the network reads some 1,500


class CrossEncoderModel:
    """The network of one ONNX file, called with a `PairText`."""

    def __init__(
        self,
        model: Traversable | None = None,
        *,
        threads: int | None = None,
        keeps_memory: bool = False,
    ) -> None:
        """Take a file other than the built-in one; `threads` for one pair.

        `keeps_memory` of one pair for the next. The smaller network then takes half as
        much memory again and is no faster; with the larger one, the threads of a page
        take 200 MiB less.
        """
        self._model = model
        self._threads = threads
        self._keeps_memory = keeps_memory

    @cached_property
    def _session(self) -> "InferenceSession":
        return load_network(
            self._model or shipped(MODEL),
            threads=self._threads,
            keeps_memory=self._keeps_memory,
        )

    @cached_property
    def _reads_values(self) -> bool:
        """Whether the network was trained with segments for values."""
        return SEGMENTS in self._session.get_modelmeta().custom_metadata_map

    @cached_property
    def _tokenizer(self) -> "Tokenizer":
        return load_word_pieces(shipped(WORD_PIECES))

    def __call__(self, pair: PairText) -> PairAnswer:
        """Return the network's output for `pair`."""
        [logits] = self._run(self._lay_out(pair), LOGITS)
        return PairAnswer(*_softmax(logits[0]))

    def read(self, pair: PairText) -> Reading:
        """Return the network's output for `pair`, and its states of the claim.

        Only the larger network gives these out.
        """
        laid_out = self._lay_out(pair)
        logits, states = self._run(laid_out, LOGITS, STATES)
        end = 1 + laid_out.claim_pieces
        answer = PairAnswer(*_softmax(logits[0]))
        return Reading(answer, laid_out.pieces[1:end], states[0, 1:end])

    def _run(
        self, laid_out: LaidOut, *outputs: str
    ) -> Sequence[npt.NDArray[np.float32]]:
        found: Sequence[npt.NDArray[np.float32]] = self._session.run(
            outputs,
            {"pieces": _row(laid_out.pieces), "segments": _row(laid_out.segments)},
        )
        return found

    def _lay_out(self, pair: PairText) -> LaidOut:
        texts = [
            text[:_MOST_CHARACTERS] for text in (pair.claim, pair.about, pair.evidence)
        ]
        claim, about, evidence = self._tokenizer.encode_batch(
            texts, add_special_tokens=False
        )
        of_claim, of_evidence = (
            tags(texts[0], texts[2]) if self._reads_values else ((), ())
        )
        return lay_out(
            Pieces(claim.ids, claim.offsets, of_claim),
            about.ids,
            Pieces(evidence.ids, evidence.offsets, of_evidence),
        )


class BothNetworks:
    """The smaller network, with the larger one's output beside its own.

    `states` weighs the larger one's states.
    """

    def __init__(
        self,
        smaller: CrossEncoder,
        larger: CrossEncoderModel,
        states: StatesHead | None = None,
    ) -> None:
        self._smaller = smaller
        self.larger = larger
        self._states = states

    def __call__(self, pair: PairText) -> PairAnswer:
        """Return the outputs of both networks for `pair`."""
        reading = self.larger.read(pair)
        of_states = self._states.log_odds(reading) if self._states else None
        answer = self._smaller(pair)
        return replace(answer, larger=reading.answer, borne_out=of_states)

    def weighed_by(self, states: StatesHead) -> "BothNetworks":
        """Return these networks with another head for the states."""
        return BothNetworks(self._smaller, self.larger, states)


def shipped_networks(*, threads: int | None = None) -> BothNetworks:
    """Return both built-in networks; `threads` are for one pair."""
    return BothNetworks(
        CrossEncoderModel(threads=threads),
        shipped_larger(threads=threads),
        shipped_neural().states,
    )


def shipped_larger(*, threads: int | None = None) -> CrossEncoderModel:
    """Return the larger built-in network; `threads` are for one pair."""
    return CrossEncoderModel(shipped(LARGER_MODEL), threads=threads, keeps_memory=True)


def _row(values: tuple[int, ...]) -> npt.NDArray[np.int64]:
    return np.array([values], dtype=np.int64)


def _softmax(logits: npt.NDArray[np.float32]) -> tuple[float, float, float]:
    odds = np.exp(logits - logits.max())
    supported, refuted, unmentioned = (odds / odds.sum()).tolist()
    return supported, refuted, unmentioned


_MOST_AT_ONCE = 4


class NeuralVerifier(FittedVerifier):
    """The built-in verifier: two cross-encoders, weighed with the lexical features.

    No network access, no service; about 140 ms of one core per claim, without holding
    the interpreter's lock. A cell of a table or infobox is judged like a sentence: what
    its row and column say is put before its value.
    """

    network: CrossEncoder

    def __init__(
        self, file: ModelFile | None = None, network: CrossEncoder | None = None
    ) -> None:
        """Take a model or network other than the built-in ones."""
        super().__init__(
            "minilm",
            lambda: file or shipped_neural(),
            at_once=min(_MOST_AT_ONCE, os.cpu_count() or 1),
            network=network or shipped_networks(threads=1),
        )

    @cached_property
    def _edits(self) -> EditFile:
        return shipped_edits()

    @property
    def noted_from(self) -> float:
        """The probability from which an edit is noted."""
        return self._edits.noted_from

    @cached_property
    def _reader(self) -> PairReader:
        if isinstance(self.network, BothNetworks):
            return self.network.larger.read
        # One that remembers answers holds no readings.
        return shipped_larger(threads=1).read

    async def judge_edit(
        self, title: str, before: Claim, after: Claim, passages: Sequence[Passage]
    ) -> EditJudgement:
        """Judge a claim before and after an edit by all `passages` of its sources."""
        async with self._free:
            return await asyncio.to_thread(
                lambda: judge_edit(
                    title,
                    before,
                    after,
                    self._corpora.of(passages),
                    edits=self._edits.model,
                    reader=self._reader,
                    model=self.file.model,
                    engine=self.engine,
                    analyse=self._analyse,
                    network=self.network,
                )
            )


def shipped_neural() -> ModelFile:
    """Read the model file from the package's data."""
    return from_json(
        files("bot.models").joinpath("files", "neural.json").read_text("utf-8")
    )
