"""The training loop: one seed, one order, a checkpoint and a log line a minute."""

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from bot.research.training.verifier.batches import Batch, Example, batches
from bot.research.training.verifier.network import PairNetwork
from handlers.ports import PermanentError

# Computes in half precision where the processor is quick at it, weights kept in full.
# A processor without tiles for 16 bits (AMX) takes 15 times as long for them as for 32,
# so there nothing is rounded (54 against 839 word pieces a second and core).
# Steps are smaller than what a 16-bit weight can tell apart, so the optimizer moves
# full ones. Against automatic casting a step costs three quarters (two cores, 7,700
# against 5,800 word pieces a second), for nothing is cast back and forth between the
# layers.

_PROCESSORS = Path("/proc/cpuinfo")
_TILES = "amx_bf16"


def is_quick_at_half(device: str) -> bool:
    """Tell whether 16-bit numbers are quicker than 32-bit ones on `device`."""
    if device != "cpu":
        return True
    return _PROCESSORS.exists() and _TILES in _PROCESSORS.read_text("utf-8")


class FullWeights:
    """The weights that are trained, behind a network that computes with 16 bits.

    The table of word pieces, half of all weights, stays as it was published: what a
    piece means is known from a billion pairs, and its gradient costs as much as a
    layer.
    """

    def __init__(self, network: PairNetwork, *, halved: bool) -> None:
        """Take over `network`, which then computes in half precision if `halved`."""
        network.encoder.embeddings.word_embeddings.weight.requires_grad_(False)
        self._network = network
        self._used = [each for each in network.parameters() if each.requires_grad]
        self.weights = [each.detach().clone().requires_grad_() for each in self._used]
        if halved:
            network.encoder.to(torch.bfloat16)

    def take_gradients(self) -> None:
        """Move the gradients of the network to the full weights."""
        for full, used in zip(self.weights, self._used, strict=True):
            full.grad = None if used.grad is None else used.grad.float()
            used.grad = None

    def put_back(self) -> None:
        """Give the network the full weights, rounded."""
        with torch.no_grad():
            torch._foreach_copy_(self._used, self.weights)

    def state(self) -> dict[str, Tensor]:
        """Return all weights of the network in full."""
        full = dict(zip(map(id, self._used), self.weights, strict=True))
        named = self._network.state_dict(keep_vars=True)
        return {
            name: full.get(id(each), each).detach().float()
            for name, each in named.items()
        }

    def restore(self) -> None:
        """Make the network one of full weights again."""
        state = self.state()
        self._network.float()
        self._network.load_state_dict(state)


_LOG_EVERY_S = 60.0
_CHECK_EVERY_S = 900.0


@dataclass(frozen=True, slots=True)
class Plan:
    """How to train. `batch_pieces` are word pieces a step, padding included.

    With a `budget_s` the training stops when so much time is used up; the learning
    rate then falls with the time as it else does with the steps.
    """

    seed: int = 20261121
    epochs: int = 2
    learning_rate: float = 2e-4
    warm_up: float = 0.05  # of all steps
    batch_pieces: int = 4096
    word_weight: float = 0.6  # of the word head's loss beside the pair head's
    unsupported_weight: float = 2.0  # of a word without support; they are few
    weight_decay: float = 0.01
    most_gradient: float = 1.0
    device: str = "cpu"
    budget_s: float | None = None


@dataclass(slots=True)
class _Count:
    """What happened since the last line of the log."""

    began_s: float = field(default_factory=time.monotonic)
    logged_s: float = field(default_factory=time.monotonic)
    pairs: int = 0
    steps: int = 0
    pair_loss: float = 0.0
    word_loss: float = 0.0

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self.began_s

    @property
    def is_due(self) -> bool:
        return time.monotonic() - self.logged_s > _LOG_EVERY_S

    def add(self, pairs: int, pair_loss: float, word_loss: float) -> None:
        self.pairs += pairs
        self.steps += 1
        self.pair_loss += pair_loss
        self.word_loss += word_loss

    def line(self, step: int, steps: int) -> str:
        told = {
            "step": step,
            "steps": steps,
            "pairs": self.pairs,
            "pair_loss": round(self.pair_loss / max(1, self.steps), 4),
            "word_loss": round(self.word_loss / max(1, self.steps), 4),
            "elapsed_s": round(self.elapsed_s),
            "pairs_per_s": round(self.pairs / self.elapsed_s, 1),
        }
        self.logged_s = time.monotonic()
        self.steps, self.pair_loss, self.word_loss = 0, 0.0, 0.0
        return json.dumps(told)


def fit(
    network: PairNetwork,
    units: Sequence[Sequence[Example]],
    plan: Plan,
    *,
    checkpoint: Path,
    log: Callable[[str], None],
    check: Callable[[PairNetwork], Mapping[str, float]],
) -> None:
    """Train `network` in place; go on from `checkpoint` where it is there.

    Args:
        network: to be trained.
        units: all examples; those of a unit are learned from in one step.
        plan: how; another plan than the checkpoint's is refused.
        checkpoint: where weights, optimizer and place go, some every minute.
        log: takes one JSON line about every minute.
        check: returns figures on rows kept from training, for the log.

    Raises:
        PermanentError: the checkpoint is of another plan.
    """
    network.to(plan.device).train()
    order = [
        batch
        for epoch in range(plan.epochs)
        for batch in batches(units, plan.batch_pieces, Random(plan.seed + epoch))  # noqa: S311 - an order, no secret
    ]
    run = _Run(network, plan, checkpoint)
    checked_s = run.count.elapsed_s
    for batch in order[run.step :]:
        passed = _passed((run.step + 1) / len(order), run.count.elapsed_s, plan)
        if passed > 1:
            break
        run.learn(batch, plan.learning_rate * _rate(passed, plan.warm_up))
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
    """A network that learns, and what goes into its checkpoint."""

    def __init__(self, network: PairNetwork, plan: Plan, checkpoint: Path) -> None:
        """Begin, or take up `checkpoint` where it is there."""
        self._network, self._plan, self._checkpoint = network, plan, checkpoint
        self.step, self.count = 0, _Count()
        state = self._kept()
        if state is not None:
            network.load_state_dict(state["network"])
        self.full = FullWeights(network, halved=is_quick_at_half(plan.device))
        self._optimizer = torch.optim.AdamW(
            self.full.weights,
            lr=plan.learning_rate,
            weight_decay=plan.weight_decay,
            fused=True,
        )
        if state is not None:
            self._optimizer.load_state_dict(state["optimizer"])
            self.step = state["step"]
            self.count.began_s -= state["elapsed_s"]

    def learn(self, batch: Batch, rate: float) -> None:
        """Take one step."""
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        pair_loss, word_loss = _losses(self._network, batch, self._plan)
        (pair_loss + self._plan.word_weight * word_loss).backward()
        self.full.take_gradients()
        torch.nn.utils.clip_grad_norm_(self.full.weights, self._plan.most_gradient)
        self._optimizer.step()
        self.full.put_back()
        self.step += 1
        self.count.add(len(batch.targets), pair_loss.item(), word_loss.item())

    def save(self) -> None:
        """Write the checkpoint whole, so that a kill leaves the one before."""
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

    def _kept(self) -> dict[str, Any] | None:
        if not self._checkpoint.exists():
            return None
        state: dict[str, Any] = torch.load(self._checkpoint, weights_only=True)
        if state["plan"] != json.dumps(asdict(self._plan)):
            raise PermanentError(
                f"{self._checkpoint} was begun with another plan; name another folder,"
                " or delete it to begin anew."
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
    """Rise linearly, then fall along a cosine to nearly nothing."""
    if passed < warm_up:
        return passed / warm_up
    falling = (passed - warm_up) / (1 - warm_up)
    return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * falling))


def _losses(network: PairNetwork, batch: Batch, plan: Plan) -> tuple[Tensor, Tensor]:
    """Return the loss of the pair head and that of the word head."""
    texts = (batch.pieces, batch.attention, batch.segments)
    pair_logits, word_logits = network(*(one.to(plan.device) for one in texts))
    targets, words = batch.targets.to(plan.device), batch.words.to(plan.device)
    pair_loss = functional.cross_entropy(pair_logits, targets)
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
    # Every claim counts alike, however many words it has.
    share = (1.0 / marked.sum(dim=1, keepdim=True).clamp(min=1)).expand_as(words)
    share = share[marked]
    return pair_loss, (each * share).sum() / share.sum()
