"""Runs the shipped cross-encoder with ONNX Runtime: one pair at a time, no padding.

On a CPU nothing is gained by filling up batches, and memory is lost. No PyTorch is needed. The session is made
when the first pair comes.
"""

from functools import cached_property
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
import numpy.typing as npt
from onnxruntime import GraphOptimizationLevel, InferenceSession, SessionOptions
from tokenizers import Tokenizer

from handlers.citations.neural.answer import PairAnswer, PieceSupport, sigmoid
from handlers.citations.neural.layout import lay_out
from handlers.citations.neural.pairs import PairText
from handlers.model import Span

_MODEL = "verifier.onnx"
_WORD_PIECES = "wordpieces.json"
_MOST_CHARACTERS = 4000  # of each text; the network reads some 1,500


class CrossEncoderModel:
    """The network of one ONNX file, ready to be called with a `PairText`."""

    def __init__(
        self,
        model: Path | None = None,
        word_pieces: Path | None = None,
        *,
        threads: int | None = None,
    ) -> None:
        """Name other files than those that ship; `threads` for one pair."""
        self._model = model
        self._word_pieces = word_pieces
        self._threads = threads

    @cached_property
    def _session(self) -> InferenceSession:
        options = SessionOptions()
        options.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
        options.enable_cpu_mem_arena = False  # a third of the memory, no slower
        if self._threads is not None:
            options.intra_op_num_threads = self._threads
        with as_file(_shipped(_MODEL)) as shipped:
            return InferenceSession(
                self._model or shipped,
                options,
                providers=["CPUExecutionProvider"],
            )

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        with as_file(_shipped(_WORD_PIECES)) as shipped:
            tokenizer = Tokenizer.from_file(str(self._word_pieces or shipped))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def __call__(self, pair: PairText) -> PairAnswer:
        """Return what the network says of `pair`."""
        claim, about, evidence = self._tokenizer.encode_batch(
            [
                text[:_MOST_CHARACTERS]
                for text in (pair.claim, pair.about, pair.evidence)
            ],
            add_special_tokens=False,
        )
        laid_out = lay_out(claim.ids, about.ids, evidence.ids)
        pair_logits, word_logits = self._session.run(
            None,
            {
                "pieces": _row(laid_out.pieces),
                "segments": _row(laid_out.segments),
            },
        )
        supported, refuted, unmentioned = _softmax(pair_logits[0])
        offsets = claim.offsets[: laid_out.claim_pieces]
        logits = word_logits[0, 1 : 1 + laid_out.claim_pieces]
        return PairAnswer(
            supported,
            refuted,
            unmentioned,
            tuple(
                PieceSupport(Span(start, end), sigmoid(float(logit)))
                for (start, end), logit in zip(offsets, logits, strict=True)
            ),
        )


def _shipped(name: str):  # type: ignore[no-untyped-def]
    return files("bot.adapters").joinpath("models", name)


def _row(values: tuple[int, ...]) -> npt.NDArray[np.int64]:
    return np.array([values], dtype=np.int64)


def _softmax(logits: npt.NDArray[np.float32]) -> tuple[float, float, float]:
    odds = np.exp(logits - logits.max())
    supported, refuted, unmentioned = (odds / odds.sum()).tolist()
    return supported, refuted, unmentioned
