"""From data and pretrained weights to the files that ship, in one go."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import torch
from tokenizers import Tokenizer

from bot.adapters.cross_encoder import CrossEncoderModel
from bot.adapters.lexical_model import ModelFile, to_json
from bot.adapters.lexical_verifier import shipped_model
from bot.evaluation.progress import Progress
from bot.training.verifier.batches import examples
from bot.training.verifier.export import export
from bot.training.verifier.fitting import Plan, fit, stages
from bot.training.verifier.mixture import Mixture, again, build
from bot.training.verifier.network import PairNetwork
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
    mixture: Mixture,
    progress: Progress,
    log: Callable[[str], None],
) -> ModelFile:
    """Train, export and weigh; the files go into the folder `output`.

    Args:
        data: folder of the data sets.
        pretrained: folder with the MiniLM weights and their tokenizer.
        output: takes verifier.onnx, neural.json and training.jsonl.
        plan: how to train.
        mixture: on what.
        progress: counts examples, then rows.
        log: takes the lines of the training log as they come.

    Raises:
        PermanentError: a data set is missing or has no usable row.
    """
    rarity = shipped_model().model.rarity
    lines = [json.dumps({"plan": asdict(plan), "mixture": asdict(mixture)})]

    def note(line: str) -> None:
        lines.append(line)
        log(line)

    pairs = build(data, mixture, rarity, progress)
    tokenizer = Tokenizer.from_file(str(pretrained / _TOKENIZER))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    torch.manual_seed(plan.seed)  # the heads begin with random weights
    network = PairNetwork(pretrained)
    found = examples(pairs, tokenizer)
    first, second = stages(plan)
    fit(network, found, first, checkpoint=output / CHECKPOINT, log=note)
    taken = [found[at] for at in again(pairs, mixture.seed)]
    fit(network, taken, second, checkpoint=output / CHECKPOINT, log=note)
    export(network, output / MODEL)
    reader = CrossEncoderModel(output / MODEL, pretrained / _TOKENIZER)
    file = weigh(data, reader, rarity, progress)
    settings = {
        **file.settings,
        "pairs": len(pairs),
        "plan": asdict(plan),
        "mixture": asdict(mixture),
        "torch": torch.__version__,
    }
    file = replace(file, settings=settings)
    (output / WEIGHTS).write_text(to_json(file), "utf-8")
    (output / LOG).write_text("\n".join(lines) + "\n", "utf-8")
    return file
