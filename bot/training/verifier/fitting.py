"""The training loop: one seed, one order, a checkpoint and a log line a minute."""

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import torch
from torch import Tensor
from torch.nn import functional

from bot.training.verifier.batches import Batch, Example, batches
from bot.training.verifier.network import PairNetwork
from bot.training.verifier.precision import FullWeights

_LOG_EVERY_S = 60.0
_FIRST_SHARE = 0.6
_SECOND_RATE = 0.75


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


def stages(plan: Plan) -> tuple[Plan, Plan]:
    """Part a training in two: all examples, then one look at mostly pages.

    Three fifths of the time are the first one's, where there is a limit.
    """
    of_first, of_second = (
        (_FIRST_SHARE * plan.budget_s, (1 - _FIRST_SHARE) * plan.budget_s)
        if plan.budget_s is not None
        else (None, None)
    )
    return (
        replace(plan, budget_s=of_first),
        replace(
            plan,
            budget_s=of_second,
            epochs=1,
            learning_rate=_SECOND_RATE * plan.learning_rate,
        ),
    )


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
    found: Sequence[Example],
    plan: Plan,
    *,
    checkpoint: Path,
    log: Callable[[str], None],
) -> None:
    """Train `network` in place; save it to `checkpoint` with each line of the log.

    Args:
        network: to be trained.
        found: all examples.
        plan: how.
        checkpoint: where the weights go.
        log: takes one JSON line about every minute.
    """
    network.to(plan.device).train()
    order = [
        batch
        for epoch in range(plan.epochs)
        for batch in batches(found, plan.batch_pieces, Random(plan.seed + epoch))  # noqa: S311 - an order, no secret
    ]
    full = FullWeights(network)
    optimizer = torch.optim.AdamW(
        full.weights,
        lr=plan.learning_rate,
        weight_decay=plan.weight_decay,
        fused=True,
    )
    count = _Count()
    for step, batch in enumerate(order, start=1):
        passed = _passed(step / len(order), count.elapsed_s, plan)
        if passed > 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = plan.learning_rate * _rate(passed, plan.warm_up)
        pair_loss, word_loss = _losses(network, batch, plan)
        (pair_loss + plan.word_weight * word_loss).backward()
        full.take_gradients()
        torch.nn.utils.clip_grad_norm_(full.weights, plan.most_gradient)
        optimizer.step()
        full.put_back()
        count.add(len(batch.targets), float(pair_loss), float(word_loss))
        if count.is_due:
            log(count.line(step, len(order)))
            torch.save(full.state(), checkpoint)
    log(count.line(len(order), len(order)))
    full.restore()
    torch.save(network.state_dict(), checkpoint)


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
