"""From data and pretrained weights to the files that ship, in one go."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from importlib.resources import as_file
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer
from torch import Tensor, nn

from bot.models.lexical import ModelFile, shipped_lexical, to_json
from bot.models.neural import SEGMENTS, CrossEncoderModel
from bot.models.onnx import shipped
from bot.research.evaluation.datasets import Row, read_rows
from bot.research.evaluation.metrics import auroc
from bot.research.evaluation.report import Progress
from bot.research.training.verifier.batches import Example, batch, examples
from bot.research.training.verifier.contrast import Contrasts, Unit
from bot.research.training.verifier.fitting import Plan, fit
from bot.research.training.verifier.labelled import (
    from_revisions,
    from_rows,
    read_labelled,
)
from bot.research.training.verifier.network import CLASSES, PairNetwork
from bot.research.training.verifier.weighing import weigh
from handlers.citations.network_input import Segment
from handlers.citations.reading import read
from handlers.citations.words import Rarity

# What the network alone says of rows kept from training, class by class.
# A loss that falls tells little: VitaminC's fell while four refuted claims in five were
# called supported. So the log has the recall of each class for each set.

_FILES = (
    "verification/dev.jsonl.gz",
    "judged_claims/pairs_dev.jsonl.gz",
    "judged_claims/dev.jsonl.gz",
    "wice/claim_full_dev.jsonl.gz",
    "real_citations/dev.jsonl.gz",
)
_SETS = frozenset({"vitaminc_real", "judged_natural"})  # of the files with several
_ALL_OF = frozenset({"pairs_dev.jsonl.gz", "claim_full_dev.jsonl.gz"})
_MOST_ROWS = 240
_TOGETHER = 16
_RECALL_REMEMBERED_TEXTS = 20_000


def recalls(
    data: Path, rarity: Rarity, tokenizer: Tokenizer
) -> Callable[[PairNetwork], dict[str, float]]:
    """Read some rows of each dev set; return what measures a network on them.

    Raises:
        PermanentError: a data set is missing or has no usable row.
    """
    reader = lru_cache(_RECALL_REMEMBERED_TEXTS)(read)
    sets = {
        name: examples(list(from_rows(rows, rarity, reader)), tokenizer)
        for name, rows in _sets(data).items()
    }

    def measure(network: PairNetwork) -> dict[str, float]:
        figures: dict[str, float] = {}
        for name, found in sets.items():
            figures |= _figures(name, found, _likely(network, found))
        return figures

    return measure


def _sets(data: Path) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for path in _FILES:
        for row in read_rows(data / path).rows:
            file = Path(path)
            if (
                row.set in _SETS
                or file.name in _ALL_OF
                or file.parent.name == "real_citations"
            ):
                found.setdefault(
                    row.set if row.set != "unnamed" else file.parent.name, []
                ).append(row)
    for rows in found.values():
        Random(1).shuffle(rows)  # noqa: S311 - a choice of rows, no secret
    return {name: rows[:_MOST_ROWS] for name, rows in found.items()}


def _likely(network: PairNetwork, found: Sequence[Example]) -> npt.NDArray[np.float64]:
    order = sorted(range(len(found)), key=lambda at: len(found[at].laid_out.pieces))
    likely = np.zeros((len(found), len(CLASSES)))
    for first in range(0, len(order), _TOGETHER):
        part = order[first : first + _TOGETHER]
        longest = max(len(found[at].laid_out.pieces) for at in part)
        one = batch([found[at] for at in part], longest)
        logits, _ = network(one.pieces, one.attention, one.segments)
        likely[part] = torch.softmax(logits.float(), dim=-1).numpy()
    return likely


def _figures(
    name: str, found: Sequence[Example], likely: npt.NDArray[np.float64]
) -> dict[str, float]:
    truth = np.array([int(np.argmax(one.target)) for one in found])
    called = likely.argmax(axis=1)
    figures = {f"{name} auroc": auroc(truth == 0, likely[:, 0])}
    for at, label in enumerate(CLASSES):
        if (truth == at).any():
            recall = float((called[truth == at] == at).mean())
            figures[f"{name} recall of {label}"] = recall
    return figures


# Takes up the network that ships, so that training goes on where the last one ended.
# Only the 8-bit file is published. What rounding took from its weights comes back
# within a few steps; the table of word pieces, which no training touches, is taken from
# the published encoder.

_QUANTISED = "_quantized"
_PREFIX = "network."
_TABLE = "encoder.embeddings.word_embeddings.weight"
_SEGMENTS = "encoder.embeddings.token_type_embeddings.weight"


def continue_from(network: PairNetwork, shipped: Path) -> None:
    """Give `network` the weights of the ONNX file `shipped`."""
    found = _weights(shipped)
    state = network.state_dict()
    for name, weight in found.items():
        if name == _TABLE:
            continue
        if name == _SEGMENTS and len(weight) != len(state[name]):
            # A network from before values had segments of their own.
            state[name] = torch.stack(
                [weight[int(torch.equal(one, state[name][1]))] for one in state[name]]
            )
            continue
        state[name] = weight.reshape(state[name].shape)
    unknown = state.keys() - found.keys() - {_TABLE}
    left = {name for name in unknown if not name.endswith("position_ids")}
    if left:
        raise ValueError(f"{shipped} lacks {sorted(left)}")
    network.load_state_dict(state)


def _weights(shipped: Path) -> dict[str, Tensor]:
    """Return the weights by the names that they have in the network."""
    graph = onnx.load(shipped).graph
    held = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    found: dict[str, Tensor] = {}
    for name, array in held.items():
        if name.startswith(_PREFIX) and name.endswith((".weight", ".bias")):
            found[name.removeprefix(_PREFIX)] = torch.tensor(array)
        elif name.startswith(_PREFIX) and name.endswith(_QUANTISED):
            stem = name.removesuffix(_QUANTISED)
            full = _full(held, stem)
            # Linear layers keep their weights transposed; tables do not.
            is_table = "embeddings" in stem
            found[stem.removeprefix(_PREFIX)] = full if is_table else full.T
    for node in graph.node:
        if node.op_type == "MatMulInteger" and not node.input[1].startswith(_PREFIX):
            path = node.name.removesuffix("/MatMul_quant").strip("/")
            name = path.replace("/", ".").removeprefix(_PREFIX)
            full = _full(held, node.input[1].removesuffix(_QUANTISED))
            found[f"{name}.weight"] = full.T
    return found


def _full(held: dict[str, object], stem: str) -> Tensor:
    values = torch.tensor(held[stem + _QUANTISED]).float()
    zero = torch.tensor(held[stem + "_zero_point"]).float()
    return (values - zero) * torch.tensor(held[stem + "_scale"])


# All units of all kinds: what the network is shown, in the order that a seed fixes.

_REMEMBERED_TEXTS = 20_000
# So much of each set, for on two cores an hour reads some four million word pieces.
_MOST_REVISIONS = 7000
_MOST_CLAIMS = 7000  # of VitaminC, each with all its evidence
_MOST_EVIDENCE = 6
_MOST_OTHERS = 4500  # of the other labelled sets
_VITAMINC = "vitaminc"
_REAL = "vitaminc_real"
# Claims of WiCE with marked words: all lack support, so a network learns the manner of
# WiCE for a lack of support (its AUROC on WiCE dev fell from .69 to .56).
_ALL_LACKING = "wice_partial_tokens"


def build(data: Path, rarity: Rarity, progress: Progress, *, seed: int) -> list[Unit]:
    """Make the units from the data sets in the folder `data`.

    The pairs of judged claims come twice, with other words of evidence.

    Raises:
        PermanentError: a data set is missing or has no usable row.
    """
    draws = Random(seed)  # noqa: S311 - draws of examples, no secret
    reader = lru_cache(_REMEMBERED_TEXTS)(read)
    contrasts = Contrasts(rarity, reader, draws)
    judged = data / "judged_claims"
    pairs = read_rows(judged / "pairs_train.jsonl.gz").rows
    labelled, _ = read_labelled(data / "verification" / "train.jsonl.gz")
    others = [
        row for row in labelled if not row.set.startswith((_VITAMINC, _ALL_LACKING))
    ]
    draws.shuffle(others)
    revisions = list(
        from_revisions(data / "editing" / "vitaminc_revisions_train.jsonl.gz")
    )
    revised: list[Unit] = list(zip(revisions[::2], revisions[1::2], strict=True))
    draws.shuffle(revised)
    progress.started(3)
    units: list[Unit] = [*contrasts.mended(pairs), *contrasts.mended(pairs)]
    progress.advance()
    units += contrasts.beside_other_pages(read_rows(judged / "train.jsonl.gz").rows)
    progress.advance()
    units += [
        tuple(from_rows(rows, rarity, reader))
        for rows in _claims(labelled, draws)[:_MOST_CLAIMS]
    ]
    units += contrasts.other_values(tuple(units))
    units += revised[:_MOST_REVISIONS]
    units += [(one,) for one in from_rows(others[:_MOST_OTHERS], rarity, reader)]
    progress.advance()
    return units


def _claims(rows: Sequence[Row], draws: Random) -> list[list[Row]]:
    """Return VitaminC's rows by claim: it has evidence for and against most."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.set.startswith(_REAL):
            found.setdefault((row.group, row.claim), []).append(row)
    claims = [rows[:_MOST_EVIDENCE] for rows in found.values()]
    draws.shuffle(claims)
    return claims


# Writes the trained network as a quantised ONNX file that runs without PyTorch.
# Weights become 8-bit integers, each output channel with its own scale (one scale for a
# whole matrix costs five times the agreement, and is slower).

_OPSET = 17


class _ForUse(nn.Module):
    """One pair a call, so nothing is padded and everything is attended to.

    The word head taught the other one, which hears it; nobody else does.
    """

    def __init__(self, network: PairNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, pieces: Tensor, segments: Tensor) -> Tensor:
        pair: Tensor
        pair, _ = self.network(pieces, torch.ones_like(pieces), segments)
        return pair


def export(network: PairNetwork, target: Path, *, quantised: bool = True) -> None:
    """Write `network` to `target`; inputs `pieces` and `segments` of (1, length)."""
    network = network.float().cpu().eval()
    example = torch.ones((1, 16), dtype=torch.long)
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx" if quantised else target
        torch.onnx.export(
            _ForUse(network),
            (example, torch.zeros_like(example)),
            str(plain),
            input_names=["pieces", "segments"],
            output_names=["logits"],
            dynamic_axes={"pieces": {1: "length"}, "segments": {1: "length"}},
            opset_version=_OPSET,
            dynamo=False,
        )
        if quantised:
            quantize_dynamic(
                plain, target, per_channel=True, weight_type=QuantType.QInt8
            )
    _tell_segments(target)


def _tell_segments(target: Path) -> None:
    """Note in the file which segments its network knows."""
    model = onnx.load(target)
    names = ", ".join(one.name.lower() for one in Segment)
    onnx.helper.set_model_props(model, {SEGMENTS: names})
    onnx.save(model, target)


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
    rarity = shipped_lexical().model.rarity

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
