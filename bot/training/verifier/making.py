"""From data and pretrained weights to the files that ship, in one go."""

from collections.abc import Callable
from dataclasses import asdict, replace
from importlib.resources import as_file
from itertools import islice
from pathlib import Path

import torch
from tokenizers import Tokenizer

from bot.adapters.cross_encoder import CrossEncoderModel
from bot.adapters.lexical_model import ModelFile, to_json
from bot.adapters.lexical_verifier import shipped_model
from bot.adapters.onnx import shipped
from bot.evaluation.progress import Progress
from bot.training.verifier.batches import examples
from bot.training.verifier.export import export
from bot.training.verifier.fitting import Plan, fit
from bot.training.verifier.mixture import build
from bot.training.verifier.network import PairNetwork
from bot.training.verifier.recall import recalls
from bot.training.verifier.shipped import continue_from
from bot.training.verifier.weighing import weigh

MODEL, WEIGHTS, LOG, CHECKPOINT = (
    "verifier.onnx",
    "neural.json",
    "training.jsonl",
    "network.pt",
)
_TOKENIZER = "tokenizer.json"


def make(
    data: Path,
    pretrained: Path,
    output: Path,
    *,
    plan: Plan,
    progress: Progress,
    log: Callable[[str], None],
) -> ModelFile:
    """Train, export and weigh; the files go into the folder `output`.

    A run that was cut off goes on where it was when it is started again.

    Args:
        data: folder of the data sets.
        pretrained: folder with the MiniLM weights and their tokenizer.
        output: takes verifier.onnx, neural.json, training.jsonl and the checkpoint.
        plan: how to train.
        progress: counts examples, then rows.
        log: takes the lines of the training log as they come.

    Raises:
        PermanentError: a data set is missing or has no usable row, or the checkpoint
            is of another plan.
    """
    rarity = shipped_model().model.rarity

    def note(line: str) -> None:
        with (output / LOG).open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        log(line)

    tokenizer = Tokenizer.from_file(str(pretrained / _TOKENIZER))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    units = build(data, rarity, progress, seed=plan.seed)
    found = iter(examples([one for unit in units for one in unit], tokenizer))
    torch.manual_seed(plan.seed)
    network = PairNetwork(pretrained)
    with as_file(shipped(MODEL)) as weights:
        continue_from(network, weights)
    fit(
        network,
        [tuple(islice(found, len(unit))) for unit in units],
        plan,
        checkpoint=output / CHECKPOINT,
        log=note,
        check=recalls(data, rarity, tokenizer),
    )
    export(network, output / MODEL)
    reader = CrossEncoderModel(output / MODEL, pretrained / _TOKENIZER)
    file = weigh(data, reader, rarity, progress)
    settings = {
        **file.settings,
        "units": len(units),
        "plan": asdict(plan),
        "torch": torch.__version__,
    }
    file = replace(file, settings=settings)
    (output / WEIGHTS).write_text(to_json(file), "utf-8")
    return file
