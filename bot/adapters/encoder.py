"""Turns a text into a vector whose nearness to others says how alike they mean.

The model is all-MiniLM-L6-v2 as int8 ONNX, shipped with the package; mean of the
tokens and length 1 are part of its graph. One text is run at a time and none is
padded: that is the fastest and smallest way on a CPU.
"""

from collections.abc import Sequence
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from handlers.ports import PermanentError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

DIMENSIONS = 384
NAME = "all-MiniLM-L6-v2 int8 1"  # another one makes vectors that cannot be compared
_MOST_TOKENS = 256  # what the model was made for; more words are not read
_MODEL = "encoder.onnx"
_WORD_PIECES = "wordpieces.json"


class Encoder:
    """Encodes texts; the model is loaded with the first one (a fifth of a second)."""

    name = NAME

    def __init__(self, *, threads: int = 1) -> None:
        self._threads = threads
        self._loaded: tuple[InferenceSession, Tokenizer] | None = None

    def encode(self, text: str) -> npt.NDArray[np.float32]:
        """Return the vector of `text`: `DIMENSIONS` numbers, of length 1.

        Raises:
            PermanentError: the installation lacks the model.
        """
        self._loaded = self._loaded or _load(self._threads)
        session, tokenizer = self._loaded
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        [found] = session.run(None, {"input_ids": ids})
        return np.asarray(found[0], dtype=np.float32)

    def encode_all(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the vectors of `texts`, one a row."""
        if not texts:
            return np.zeros((0, DIMENSIONS), dtype=np.float32)
        return np.stack([self.encode(text) for text in texts])


def _load(threads: int) -> "tuple[InferenceSession, Tokenizer]":
    from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415 - slow to import
    from tokenizers import Tokenizer  # noqa: PLC0415 - slow to import

    options = SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    models = files("bot.adapters") / "models"
    try:
        tokenizer = Tokenizer.from_str((models / _WORD_PIECES).read_text("utf-8"))
        with as_file(models / _MODEL) as file:
            session = InferenceSession(
                str(file), options, providers=["CPUExecutionProvider"]
            )
    except Exception as error:  # the libraries have no common base for their errors
        raise PermanentError(
            f"the encoder that ships with Sidenote cannot be loaded ({error});"
            " install Sidenote again"
        ) from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(_MOST_TOKENS)
    return session, tokenizer
