"""The training loop: one seed, one order, a checkpoint and a log line each minute.

A step learns from a few thousand word pieces, in parts that fit into memory. The log
has the recall of each class on rows kept out of training, because a falling loss says
little: VitaminC's fell while four refuted claims in five were called supported.
"""

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from bot.research.evaluation.datasets import Row, read_rows
from bot.research.evaluation.metrics import auroc
from bot.research.training.verifier.examples import TrainingPair, from_rows
from bot.research.training.verifier.network import CLASSES, PairNetwork
from handlers.citations.network_input import LaidOut, Pieces, lay_out, tags
from handlers.ports import PermanentError
from handlers.text.analysis import analyse
from handlers.text.words import Rarity


@dataclass(frozen=True, slots=True)
class Plan:
    """How to train. `batch_pieces` are word pieces per step, padding included.

    With a `budget_s` the training stops when that time is used up; the learning rate
    then falls with time instead of with steps.
    """

    seed: int = 20261121
    epochs: int = 2
    learning_rate: float = 2e-4
    head_factor: float = 1.0  # how much faster untrained parts learn
    dropout: float = 0.0
    warm_up: float = 0.05  # of all steps
    batch_pieces: int = 4096
    most_together: int = 4096  # as many of these are in memory at once
    word_weight: float = 0.6  # of the word head's loss relative to the pair head's
    unsupported_weight: float = 2.0  # of a word without support, because they are few
    weight_decay: float = 0.01
    most_gradient: float = 1.0
    device: str = "cpu"
    budget_s: float | None = None
    start: str = ""  # the published encoder to begin from; "" continues what ships
    layers: int | None = None  # how many of that encoder's; `None`: all


# For a published encoder, as measured in the model card's "Larger and longer".
ANEW = Plan(
    epochs=6,
    learning_rate=5e-5,
    head_factor=10.0,
    dropout=0.1,
    batch_pieces=32_768,
)
_LOG_EVERY_S = 60.0
_CHECK_EVERY_S = 900.0


UNMARKED = -1.0  # for word pieces that teach nothing
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


def cut(pairs: Sequence[TrainingPair], tokenizer: Tokenizer) -> list[Example]:
    """Return all pairs as word pieces."""
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


def steps(
    units: Sequence[Sequence[Example]], most_pieces: int, draws: Random
) -> Iterator[tuple[Example, ...]]:
    """Yield each step's examples, of similar length, about `most_pieces` pieces.

    The examples of a unit stay together, padded to the longest of them. A processor's
    matrix kernels are built again for each new shape, which takes longer than the work
    itself: so there are few lengths, each with a fixed number of examples, and now and
    then a unit is split between two steps. A remainder at the end of a length is
    dropped.
    """
    waiting: dict[int, list[Example]] = {length: [] for length in LENGTHS}
    order = list(range(len(units)))
    draws.shuffle(order)
    for at in order:
        length = padded(units[at])
        waiting[length] += units[at]
        size = most_pieces // length
        if len(waiting[length]) >= size:
            yield tuple(waiting[length][:size])
            del waiting[length][:size]


def padded(part: Sequence[Example]) -> int:
    """Return the length to which examples that stay together are padded."""
    longest = max(len(one.laid_out.pieces) for one in part)
    return next(limit for limit in LENGTHS if longest <= limit)


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


def _to(batch: Batch, device: str) -> Batch:
    return Batch(
        batch.pieces.to(device),
        batch.attention.to(device),
        batch.segments.to(device),
        batch.targets.to(device),
        batch.words.to(device),
    )


# Computes in half precision if the processor is quick at it; weights stay in full
# precision. Word pieces per second with 16 and 32 bits, forward and backward on two
# cores: 1,269 and 212 for twelve layers of MPNet, 2,601 and 725 for six, if the
# processor multiplies 16-bit numbers (avx512_bf16, or AMX's tiles); 54 and 839, on one
# core with six layers of MiniLM, if it does not. Steps are smaller than a 16-bit weight
# can represent, so the optimizer moves full ones. Compared with automatic casting a
# step takes three quarters of the time (two cores, 7,700 and 5,800 word pieces per
# second), because nothing is cast back and forth between the layers.
_PROCESSORS = Path("/proc/cpuinfo")
_HALF_FLAGS = frozenset({"amx_bf16", "avx512_bf16"})
_ENCODER = "encoder."


def is_quick_at_half(device: str, processors: Path = _PROCESSORS) -> bool:
    """Return whether 16-bit numbers are quicker than 32-bit ones on `device`."""
    if device != "cpu":
        return True
    return processors.exists() and not _HALF_FLAGS.isdisjoint(
        processors.read_text("utf-8").split()
    )


class FullWeights:
    """The weights that are trained, behind a network that computes with 16 bits.

    The table of word pieces, half of all weights, stays as it was published: what a
    piece means was learned from a billion pairs, and its gradient costs as much as a
    layer.
    """

    def __init__(self, network: PairNetwork, *, halved: bool) -> None:
        """Take over `network`, which then computes in half precision if `halved`."""
        network.encoder.embeddings.word_embeddings.weight.requires_grad_(False)
        self._network = network
        named = [
            (name, each)
            for name, each in network.named_parameters()
            if each.requires_grad
        ]
        self._used = [each for _, each in named]
        self.weights = [each.detach().clone().requires_grad_() for each in self._used]
        self._is_head = [not name.startswith(_ENCODER) for name, _ in named]
        if halved:
            network.encoder.to(torch.bfloat16)

    def groups(self, plan: "Plan") -> list[dict[str, Any]]:
        """Return the parameters to optimize: the encoder's, and those that are new."""
        parts = list(zip(self.weights, self._is_head, strict=True))
        return [
            {"params": [one for one, is_head in parts if not is_head], "factor": 1.0},
            {
                "params": [one for one, is_head in parts if is_head],
                "factor": plan.head_factor,
            },
        ]

    def take_gradients(self) -> None:
        """Copy the gradients of the network to the full weights."""
        for full, used in zip(self.weights, self._used, strict=True):
            full.grad = None if used.grad is None else used.grad.float()
            used.grad = None

    def put_back(self) -> None:
        """Give the network the full weights, rounded."""
        with torch.no_grad():
            torch._foreach_copy_(self._used, self.weights)

    def state(self) -> dict[str, Tensor]:
        """Return all weights of the network in full precision."""
        full = dict(zip(map(id, self._used), self.weights, strict=True))
        named = self._network.state_dict(keep_vars=True)
        return {
            name: full.get(id(each), each).detach().float()
            for name, each in named.items()
        }

    def restore(self) -> None:
        """Give the network full weights again."""
        state = self.state()
        self._network.float()
        self._network.load_state_dict(state)


@dataclass(slots=True)
class _Count:
    """What happened since the last line of the log."""

    began_s: float = field(default_factory=time.monotonic)
    logged_s: float = field(default_factory=time.monotonic)
    pairs: int = 0
    steps: float = 0.0
    pair_loss: float = 0.0
    word_loss: float = 0.0

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self.began_s

    @property
    def is_due(self) -> bool:
        return time.monotonic() - self.logged_s > _LOG_EVERY_S

    def add(self, steps: float, pair_loss: float, word_loss: float) -> None:
        self.steps += steps
        self.pair_loss += steps * pair_loss
        self.word_loss += steps * word_loss

    def line(self, step: int, steps: int) -> str:
        fields = {
            "step": step,
            "steps": steps,
            "pairs": self.pairs,
            "pair_loss": round(self.pair_loss / max(1.0, self.steps), 4),
            "word_loss": round(self.word_loss / max(1.0, self.steps), 4),
            "elapsed_s": round(self.elapsed_s),
            "pairs_per_s": round(self.pairs / self.elapsed_s, 1),
        }
        self.logged_s = time.monotonic()
        self.steps, self.pair_loss, self.word_loss = 0.0, 0.0, 0.0
        return json.dumps(fields)


def fit(
    network: PairNetwork,
    passes: Sequence[Sequence[Sequence[Example]]],
    plan: Plan,
    *,
    checkpoint: Path,
    log: Callable[[str], None],
    check: Callable[[PairNetwork], Mapping[str, float]],
) -> None:
    """Train `network` in place; continue from `checkpoint` if it exists.

    Args:
        network: to be trained.
        passes: the units of each pass; those of a unit are learned from in one step.
        plan: how to train; must match the checkpoint's.
        checkpoint: where weights, optimizer and position are saved each minute or so.
        log: takes one JSON line about every minute.
        check: returns figures on rows kept out of training, for the log.

    Raises:
        PermanentError: the checkpoint is of another plan.
    """
    network.to(plan.device).train()
    order = [
        step
        for at, units in enumerate(passes)
        for step in steps(units, plan.batch_pieces, Random(plan.seed + at))  # noqa: S311 - an order, no secret
    ]
    run = _Run(network, plan, checkpoint)
    checked_s = run.count.elapsed_s
    for step in order[run.step :]:
        passed = _passed((run.step + 1) / len(order), run.count.elapsed_s, plan)
        if passed > 1:
            break
        run.learn(step, plan.learning_rate * _rate(passed, plan.warm_up))
        if run.count.is_due:
            log(run.count.line(run.step, len(order)))
            run.save()
        if run.count.elapsed_s - checked_s > _CHECK_EVERY_S:
            checked_s = run.count.elapsed_s
            log(json.dumps({"step": run.step, **_checked(network, check)}))
    log(run.count.line(run.step, len(order)))
    run.full.restore()
    log(json.dumps(_checked(network, check)))


class _Run:
    """A network that learns, and what is saved in its checkpoint."""

    def __init__(self, network: PairNetwork, plan: Plan, checkpoint: Path) -> None:
        """Begin, or continue from `checkpoint` if it exists."""
        self._network, self._plan, self._checkpoint = network, plan, checkpoint
        self.step, self.count = 0, _Count()
        state = self._saved()
        if state is not None:
            network.load_state_dict(state["network"])
        self.full = FullWeights(network, halved=is_quick_at_half(plan.device))
        self._optimizer = torch.optim.AdamW(
            self.full.groups(plan),
            lr=plan.learning_rate,
            weight_decay=plan.weight_decay,
            fused=True,
        )
        if state is not None:
            self._optimizer.load_state_dict(state["optimizer"])
            self.step = state["step"]
            self.count.began_s -= state["elapsed_s"]

    def learn(self, step: Sequence[Example], rate: float) -> None:
        """Take one step, in parts that fit into memory."""
        plan = self._plan
        for group in self._optimizer.param_groups:
            group["lr"] = rate * group["factor"]
        length = padded(step)
        size = max(1, plan.most_together // length)
        for first in range(0, len(step), size):
            part = step[first : first + size]
            share = len(part) / len(step)
            losses = _losses(self._network, _to(batch(part, length), plan.device), plan)
            pair_loss, word_loss = losses
            (share * (pair_loss + plan.word_weight * word_loss)).backward()
            self.count.add(share, pair_loss.item(), word_loss.item())
        self.full.take_gradients()
        torch.nn.utils.clip_grad_norm_(self.full.weights, plan.most_gradient)
        self._optimizer.step()
        self.full.put_back()
        self.step += 1
        self.count.pairs += len(step)

    def save(self) -> None:
        """Write the checkpoint so that a kill leaves the one before intact."""
        state = {
            "plan": json.dumps(asdict(self._plan)),
            "network": self.full.state(),
            "optimizer": self._optimizer.state_dict(),
            "step": self.step,
            "elapsed_s": self.count.elapsed_s,
        }
        half = self._checkpoint.with_suffix(".half")
        torch.save(state, half)
        half.replace(self._checkpoint)

    def _saved(self) -> dict[str, Any] | None:
        if not self._checkpoint.exists():
            return None
        state: dict[str, Any] = torch.load(
            self._checkpoint, map_location=self._plan.device, weights_only=True
        )
        if state["plan"] != json.dumps(asdict(self._plan)):
            raise PermanentError(
                f"{self._checkpoint} was started with another plan; use another folder,"
                " or delete it to start over."
            )
        return state


def _checked(
    network: PairNetwork, check: Callable[[PairNetwork], Mapping[str, float]]
) -> Mapping[str, float]:
    network.eval()
    with torch.no_grad():
        figures = check(network)
    network.train()
    return {name: round(value, 3) for name, value in figures.items()}


def _passed(steps: float, elapsed_s: float, plan: Plan) -> float:
    """Return how far the training is, from 0 to 1, by its steps or by its time."""
    if plan.budget_s is None:
        return steps
    return max(steps, elapsed_s / plan.budget_s)


def _rate(passed: float, warm_up: float) -> float:
    """Return the rate's factor: a linear rise, then a cosine fall to nearly nothing."""
    if passed < warm_up:
        return passed / warm_up
    falling = (passed - warm_up) / (1 - warm_up)
    return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * falling))


def _losses(network: PairNetwork, batch: Batch, plan: Plan) -> tuple[Tensor, Tensor]:
    """Return the loss of the pair head and that of the word head."""
    pair_logits, word_logits = network(batch.pieces, batch.attention, batch.segments)
    pair_loss = functional.cross_entropy(pair_logits, batch.targets)
    words = batch.words
    marked = words >= 0
    if not bool(marked.any()):
        return pair_loss, pair_loss.new_zeros(())
    value = words[marked]
    each = functional.binary_cross_entropy_with_logits(
        word_logits[marked],
        value,
        weight=torch.where(value > 0, 1.0, plan.unsupported_weight),
        reduction="none",
    )
    # Every claim counts the same, however many words it has.
    share = (1.0 / marked.sum(dim=1, keepdim=True).clamp(min=1)).expand_as(words)
    share = share[marked]
    return pair_loss, (each * share).sum() / share.sum()


_FILES = (
    "verification/dev.jsonl.gz",
    "judged_claims/pairs_dev.jsonl.gz",
    "judged_claims/dev.jsonl.gz",
    "wice/claim_full_dev.jsonl.gz",
    "real_citations/dev.jsonl.gz",
)
_SETS = frozenset({"vitaminc_real", "judged_natural"})  # of the files that hold several
_ALL_OF = frozenset({"pairs_dev.jsonl.gz", "claim_full_dev.jsonl.gz"})
_MOST_ROWS = 240
_TOGETHER = 16
_REMEMBERED_TEXTS = 20_000


def recalls(
    data: Path, rarity: Rarity, tokenizer: Tokenizer
) -> Callable[[PairNetwork], dict[str, float]]:
    """Read some rows of each dev set; return what measures a network on them.

    Raises:
        PermanentError: a data set is missing or has no usable row.
    """
    reader = lru_cache(_REMEMBERED_TEXTS)(analyse)
    sets = {
        name: cut(list(from_rows(rows, rarity, reader)), tokenizer)
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
    device = str(network.word_head.weight.device)
    for first in range(0, len(order), _TOGETHER):
        part = order[first : first + _TOGETHER]
        longest = max(len(found[at].laid_out.pieces) for at in part)
        one = batch([found[at] for at in part], longest)
        one = _to(one, device)
        logits, _ = network(one.pieces, one.attention, one.segments)
        likely[part] = torch.softmax(logits.float(), dim=-1).cpu().numpy()
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
