"""From data and published weights to the files that ship, in one go."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.resources import as_file
from pathlib import Path

import torch
from tokenizers import Tokenizer

from bot.models.lexical import ModelFile, shipped_lexical, to_json
from bot.models.neural import (
    LARGER_MODEL,
    MODEL,
    BothNetworks,
    CrossEncoderModel,
)
from bot.models.onnx import WORD_PIECES, load_word_pieces, shipped
from bot.research.evaluation.report import Progress
from bot.research.training.verifier.examples import ALL, SOME, Unit, build
from bot.research.training.verifier.fit import ANEW, Example, Plan, cut, fit, recalls
from bot.research.training.verifier.heads import weigh
from bot.research.training.verifier.network import (
    PairNetwork,
    continue_from,
    export,
)
from handlers.ports import PermanentError

WEIGHTS, LOG, CHECKPOINT = "neural.json", "training.jsonl", "network.pt"
_MOST_ON_GPU = 16_384  # word pieces; twelve layers of MPNet take about 40 GB
_FILES = ("model.safetensors", "config.json")


@dataclass(frozen=True, slots=True)
class VerifierAsk:
    """What a run is asked to do: exactly one of `weights` and `start` is given."""

    data: Path
    output: Path
    weights: Path | None = None  # of MiniLM, whose table of word pieces never changes
    start: Path | None = None  # a published encoder to begin with
    layers: int | None = None
    epochs: int | None = None
    minutes: float | None = None
    device: str | None = None

    @property
    def encoder(self) -> Path:
        """The folder of the published encoder.

        Raises:
            PermanentError: none is named, or a file of it is missing.
        """
        folder = self.start or self.weights
        if folder is None:
            raise PermanentError("name the folder of a published encoder")
        absent = [name for name in _FILES if not (folder / name).is_file()]
        if absent:
            raise PermanentError(
                f"{folder} lacks {', '.join(absent)}; it takes the folder of a published"
                " encoder, such as all-MiniLM-L6-v2"
            )
        return folder

    def plan(self) -> Plan:
        """Return how to train.

        Raises:
            PermanentError: PyTorch finds no such device.
        """
        plan = Plan() if self.start is None else replace(ANEW, start=self.start.name)
        device = _device(self.device)
        return replace(
            plan,
            layers=self.layers,
            epochs=self.epochs or plan.epochs,
            budget_s=self.minutes * 60 if self.minutes else None,
            device=device,
            most_together=plan.most_together if device == "cpu" else _MOST_ON_GPU,
        )


def _device(requested: str | None) -> str:
    found = "cuda" if torch.cuda.is_available() else "cpu"
    if requested == "cuda" and found != requested:
        raise PermanentError("PyTorch finds no GPU here; leave --device cuda out")
    return requested or found


def make(ask: VerifierAsk, progress: Progress, log: Callable[[str], None]) -> ModelFile:
    """Train, export and fit the heads; write the files to the folder `ask.output`.

    A run that was stopped continues where it was when it is started again.

    Args:
        ask: where from, where to and how.
        progress: counts examples, then rows.
        log: takes the lines of the training log as they come.

    Raises:
        PermanentError: a data set is missing or has no usable row, or the checkpoint
            is of another plan.
    """
    plan, output = ask.plan(), ask.output
    rarity = shipped_lexical().model.rarity

    def note(line: str) -> None:
        with (output / LOG).open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        log(line)

    torch.manual_seed(plan.seed)
    network = PairNetwork(ask.encoder, layers=plan.layers, dropout=plan.dropout)
    if ask.start is None:
        with as_file(shipped(MODEL)) as weights:
            continue_from(network, weights)
    tokenizer = load_word_pieces(shipped(WORD_PIECES))
    shown = build(
        ask.data,
        rarity,
        progress,
        seed=plan.seed,
        amount=SOME if ask.start is None else ALL,
        passes=plan.epochs,
    )
    others = _cut(shown.others, tokenizer)
    views = [_cut(units, tokenizer) for units in shown.written]
    fit(
        network,
        [
            [*(views[at] if at < len(views) else ()), *others]
            for at in range(plan.epochs)
        ],
        plan,
        checkpoint=output / CHECKPOINT,
        log=note,
        check=recalls(ask.data, rarity, tokenizer),
    )
    name = MODEL if network.segments is None else LARGER_MODEL
    export(network, output / name)
    file = weigh(ask.data, _beside_the_other(output / name), rarity, progress)
    settings = {
        **file.settings,
        "units": len(others) + sum(map(len, views)),
        "plan": asdict(plan),
        "torch": torch.__version__,
    }
    file = replace(file, settings=settings)
    (output / WEIGHTS).write_text(to_json(file), "utf-8")
    return file


def _beside_the_other(trained: Path) -> BothNetworks:
    """Return the network of this file in its place beside the other one that ships."""
    smaller, larger = (
        CrossEncoderModel(trained if trained.name == name else shipped(name))
        for name in (MODEL, LARGER_MODEL)
    )
    return BothNetworks(smaller, larger)


def _cut(units: Sequence[Unit], tokenizer: Tokenizer) -> Sequence[tuple[Example, ...]]:
    found = iter(cut([one for unit in units for one in unit], tokenizer))
    return [tuple(next(found) for _ in unit) for unit in units]
