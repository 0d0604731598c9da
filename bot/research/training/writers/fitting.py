"""Fine-tunes a chat model on conversations, by low-rank adapters (LoRA) or whole.

Only the words of the answer are learnt. Adapters are merged into the model in the
end, so that any server of such models can serve the result. PyTorch is imported here
and below, for it is no part of an installation.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer

from bot.models.language_model.prompt import Message
from handlers.ports import PermanentError

_UNLEARNT = -100  # what PyTorch's cross-entropy leaves out
_CLIP = 1.0
# For a model that brings no form of its own for conversations.
PLAIN_FORM = (
    "{% for m in messages %}<|{{ m['role'] }}|>\n{{ m['content'] }}{{ eos_token }}\n"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)


@dataclass(frozen=True, slots=True)
class Plan:
    """How long and how hard to train. `most_tokens` is of one conversation.

    `rank` is that of the adapters; with 0 all weights of the model are trained.
    """

    epochs: int = 3
    batch: int = 8
    learning_rate: float = 1e-4
    rank: int = 16
    most_tokens: int = 2_048
    seed: int = 0
    device: str = "cpu"


@dataclass(frozen=True, slots=True)
class Learnt:
    """What came of training: the loss of each epoch, and conversations left out."""

    losses: tuple[float, ...]
    examples: int
    too_long: int


@dataclass(frozen=True, slots=True)
class _Example:
    pieces: list[int]
    answer_from: int


class ChatModel:
    """A chat model and its tokenizer, loaded from a folder. No network is used."""

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        """Load the model.

        Raises:
            PermanentError: the folder holds no model that can be loaded.
        """
        try:
            self.tokenizer = AutoTokenizer.from_pretrained(
                folder, local_files_only=True
            )
            self.model = AutoModelForCausalLM.from_pretrained(
                folder, local_files_only=True
            ).to(device)
        except (OSError, ValueError) as error:
            raise PermanentError(
                f"{folder} holds no chat model; download one with its tokenizer and"
                " name its folder"
            ) from error
        if self.tokenizer.chat_template is None:
            self.tokenizer.chat_template = PLAIN_FORM
        self._device = device

    def pieces(self, talk: Sequence[Message], *, is_asked: bool) -> list[int]:
        """Return a conversation in word pieces, ready for an answer if `is_asked`."""
        text = self.tokenizer.apply_chat_template(
            list(talk), tokenize=False, add_generation_prompt=is_asked
        )
        found = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return [int(one) for one in found]

    def answer(self, talk: Sequence[Message], most_tokens: int = 800) -> str:
        """Return what the model answers, its likeliest word each time."""
        asked = torch.tensor([self.pieces(talk, is_asked=True)], device=self._device)
        with torch.inference_mode():
            found = self.model.generate(
                asked,
                attention_mask=torch.ones_like(asked),
                max_new_tokens=most_tokens,
                do_sample=False,
                pad_token_id=self._padding,
            )
        new = found[0][asked.shape[1] :]
        return str(self.tokenizer.decode(new, skip_special_tokens=True)).strip()

    def fit(
        self, talks: Sequence[Sequence[Message]], plan: Plan, log: Callable[[str], None]
    ) -> Learnt:
        """Learn the answers of `talks`; the same talks and plan give the same model.

        Raises:
            PermanentError: no conversation is short enough.
        """
        torch.manual_seed(plan.seed)
        examples = [self._example(one) for one in talks]
        fitting = [one for one in examples if len(one.pieces) <= plan.most_tokens]
        if not fitting:
            raise PermanentError(
                f"no example fits into {plan.most_tokens} tokens; allow more, or collect"
                " more examples"
            )
        adapted = _adapted(self.model, plan.rank) if plan.rank else self.model
        losses = _train(adapted, fitting, plan, self._padding, log)
        self.model = adapted.merge_and_unload() if plan.rank else adapted
        self.model.eval()
        return Learnt(losses, len(fitting), len(examples) - len(fitting))

    def save(self, folder: Path) -> None:
        """Write model and tokenizer in the form that servers of such models read."""
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)

    @property
    def _padding(self) -> int:
        given = self.tokenizer.pad_token_id
        return int(self.tokenizer.eos_token_id if given is None else given)

    def _example(self, talk: Sequence[Message]) -> _Example:
        whole = self.pieces(talk, is_asked=False)
        asked = self.pieces(talk[:-1], is_asked=True)
        return _Example(whole, min(len(asked), len(whole)))


def _adapted(model: Any, rank: int) -> Any:
    config = LoraConfig(
        r=rank,
        lora_alpha=2 * rank,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, config)


def _train(
    model: Any,
    examples: Sequence[_Example],
    plan: Plan,
    padding: int,
    log: Callable[[str], None],
) -> tuple[float, ...]:
    """Return the mean loss of each epoch; the learning rate falls to nothing."""
    weights = [one for one in model.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=plan.learning_rate)
    steps = plan.epochs * -(-len(examples) // plan.batch)
    falling = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, max(steps, 1))
    draws, losses = Random(plan.seed), []  # noqa: S311 - an order, no secret
    model.train()
    for epoch in range(1, plan.epochs + 1):
        total = 0.0
        for pieces, attention, labels in _batches(examples, plan, padding, draws):
            loss = model(input_ids=pieces, attention_mask=attention, labels=labels).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(weights, _CLIP)
            optimizer.step()
            falling.step()
            optimizer.zero_grad()
            total += float(loss.detach()) * len(pieces)
        losses.append(total / len(examples))
        log(f"epoch {epoch} of {plan.epochs}: loss {losses[-1]:.4f}")
    return tuple(losses)


def _batches(
    examples: Sequence[_Example], plan: Plan, padding: int, draws: Random
) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Yield word pieces, attention and labels of shape (batch, length)."""
    order = list(examples)
    draws.shuffle(order)
    for first in range(0, len(order), plan.batch):
        part = order[first : first + plan.batch]
        length = max(len(one.pieces) for one in part)
        pieces = torch.full((len(part), length), padding, dtype=torch.long)
        attention = torch.zeros_like(pieces)
        labels = torch.full_like(pieces, _UNLEARNT)
        for at, one in enumerate(part):
            size = len(one.pieces)
            pieces[at, :size] = torch.tensor(one.pieces)
            attention[at, :size] = 1
            labels[at, one.answer_from : size] = pieces[at, one.answer_from : size]
        device = plan.device
        yield pieces.to(device), attention.to(device), labels.to(device)
