"""Fine-tuning, on a tiny model with random weights made here; left out without the training extra."""

from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from bot.research.training.writers.fitting import ChatModel, Plan
from handlers.ports import PermanentError

# PEFT asks Transformers for something by its old name.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning:transformers.*")

_TALKS = [
    [
        {"role": "system", "content": "Edit."},
        {"role": "user", "content": f"Paragraph {at}"},
        {"role": "assistant", "content": f"Answer {at % 2}"},
    ]
    for at in range(8)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of some thousand weights that reads and writes bytes."""
    path = tmp_path_factory.mktemp("tiny")
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {"<eos>": 0} | {one: at for at, one in enumerate(letters, 1)}
    words = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    words.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    words.decoder = decoders.ByteLevel()
    special = {"eos_token": "<eos>"}
    PreTrainedTokenizerFast(tokenizer_object=words, **special).save_pretrained(path)
    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=512,
        eos_token_id=0,
        bos_token_id=0,
    )
    LlamaForCausalLM(config).save_pretrained(path)
    return path


@pytest.mark.parametrize("rank", [8, 0])
def test_the_loss_falls_and_the_result_is_a_model_of_its_own(
    folder: Path, tmp_path: Path, rank: int
) -> None:
    editor, told = ChatModel(folder), list[str]()
    plan = Plan(epochs=20, batch=4, learning_rate=2e-2, rank=rank)

    learnt = editor.fit(_TALKS, plan, told.append)
    editor.save(tmp_path)

    assert learnt.losses[-1] < (0.95 if rank else 0.3) * learnt.losses[0]
    assert (learnt.examples, learnt.too_long) == (8, 0)
    assert len(told) == 20
    answer = editor.answer(_TALKS[0][:-1], 12)
    assert ChatModel(tmp_path).answer(_TALKS[0][:-1], 12) == answer
    assert not list(tmp_path.glob("adapter*"))
    if not rank:
        assert answer.startswith("Answer")


def test_the_same_talks_give_the_same_model(folder: Path) -> None:
    plan = Plan(epochs=1, batch=4, learning_rate=1e-2, rank=4)
    losses = [ChatModel(folder).fit(_TALKS, plan, print).losses for _ in range(2)]

    assert losses[0] == losses[1]


def test_only_the_answer_is_learnt(folder: Path) -> None:
    editor = ChatModel(folder)
    example = editor._example(_TALKS[0])

    learnt = editor.tokenizer.decode(example.pieces[example.answer_from :])
    assert learnt == "Answer 0<eos>\n"


def test_what_is_too_long_is_left_out_and_nothing_left_is_told(folder: Path) -> None:
    long = [{"role": "user", "content": "x" * 300}, _TALKS[0][-1]]
    plan = Plan(epochs=1, most_tokens=150)
    assert ChatModel(folder).fit([*_TALKS, long], plan, print).too_long == 1
    with pytest.raises(PermanentError, match="no example fits into 5 tokens"):
        ChatModel(folder).fit(_TALKS, Plan(most_tokens=5), print)


def test_a_folder_without_a_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match="holds no chat model"):
        ChatModel(tmp_path)
