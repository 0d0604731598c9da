"""The network of either shape learns, goes on where it stopped, and runs without PyTorch."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is no part of this installation")
transformers = pytest.importorskip(
    "transformers", reason="transformers are no part of this installation"
)

from bot.models.neural import CrossEncoderModel  # noqa: E402
from bot.models.onnx import (  # noqa: E402
    WORD_PIECES,
    load_network,
    load_word_pieces,
    shipped,
)
from bot.research.training.verifier.examples import (  # noqa: E402
    REFUTED,
    SUPPORTED,
    WORDS_ALONE,
    TrainingPair,
    whole,
)
from bot.research.training.verifier.fit import (  # noqa: E402
    ANEW,
    Plan,
    batch,
    cut,
    fit,
    is_quick_at_half,
    padded,
)
from bot.research.training.verifier.network import (  # noqa: E402
    PairNetwork,
    continue_from,
    export,
)
from bot.research.training.verifier.run import VerifierAsk  # noqa: E402
from handlers.citations.network_input import (  # noqa: E402
    BETWEEN,
    FIRST,
    PairText,
)
from handlers.ports import PermanentError  # noqa: E402

# PyTorch says of its older exporter, which gives the smaller graph, that it is old.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*legacy TorchScript.*:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:torch"),
    pytest.mark.filterwarnings("ignore:Exporting aten..index:UserWarning"),
]
_SMALL = {
    "hidden_size": 16,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "intermediate_size": 24,
}
_PLAN = Plan(epochs=1, batch_pieces=320, learning_rate=5e-3)
_TEXT = PairText("The clock was built in 1874.", "Clock", "Penrose built it in 1874.")


def encoder(kind: str, folder: Path) -> Path:
    """Write a small encoder with random weights, as one is published."""
    torch.manual_seed(3)
    if kind == "mpnet":
        config = transformers.MPNetConfig(vocab_size=30527, **_SMALL)
        transformers.MPNetModel(config, add_pooling_layer=False).save_pretrained(folder)
    else:
        config = transformers.BertConfig(vocab_size=30522, **_SMALL)
        transformers.BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder


def units(count: int = 60) -> list[tuple[Any, ...]]:
    tokenizer = load_word_pieces(shipped(WORD_PIECES))
    right = TrainingPair(
        _TEXT, SUPPORTED, (whole(_TEXT.claim, supported=True),), "right"
    )
    claim = _TEXT.claim.replace("1874", "1911")
    wrong = TrainingPair(replace(_TEXT, claim=claim), REFUTED, (), "wrong")
    return [tuple(cut([right, wrong], tokenizer)) for _ in range(count)]


def trained(
    network: PairNetwork, plan: Plan, checkpoint: Path, shown: list[Any]
) -> list[dict[str, Any]]:
    lines: list[str] = []
    fit(
        network,
        [shown],
        plan,
        checkpoint=checkpoint,
        log=lines.append,
        check=lambda _: {"figure": 1.0},
    )
    return [json.loads(line) for line in lines]


def loss(network: PairNetwork, shown: list[Any]) -> float:
    one = batch(shown[0], padded(shown[0]))
    with torch.no_grad():
        logits, _ = network.eval()(one.pieces, one.attention, one.segments)
    return float(torch.nn.functional.cross_entropy(logits, one.targets))


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_a_network_trained_from_scratch_learns_and_runs_without_pytorch(
    kind: str, tmp_path: Path
) -> None:
    network = PairNetwork(encoder(kind, tmp_path / kind), layers=2)
    pairs = units()
    table = network.encoder.embeddings.word_embeddings.weight.detach().clone()
    before = loss(network, pairs)

    trained(network, _PLAN, tmp_path / "network.pt", pairs)

    assert len(network.encoder.encoder.layer) == 2
    assert loss(network, pairs) < before / 2
    after = network.encoder.embeddings.word_embeddings.weight.detach()
    assert torch.allclose(after, table, atol=0.01)  # at most rounded to 16 bits

    export(network, tmp_path / "whole.onnx", quantised=False)
    session = load_network(tmp_path / "whole.onnx")
    for text in ("short", "a much longer evidence than what it was traced with " * 9):
        pair = TrainingPair(replace(_TEXT, evidence=text), SUPPORTED, (), "any")
        [one] = cut([pair], load_word_pieces(shipped(WORD_PIECES)))
        laid = one.laid_out
        pieces, segments = (np.array([it]) for it in (laid.pieces, laid.segments))
        [found] = session.run(None, {"pieces": pieces, "segments": segments})
        exact, _ = network(
            torch.tensor(pieces), torch.ones(pieces.shape), torch.tensor(segments)
        )
        assert np.allclose(found, exact.detach().numpy(), atol=1e-4)

    export(network, tmp_path / "verifier.onnx")
    model = CrossEncoderModel(tmp_path / "verifier.onnx")
    assert model(_TEXT).supported > 0.5
    assert model(replace(_TEXT, claim="It was built in 1911.")).supported < 0.5


def test_training_continues_from_the_file_that_ships(tmp_path: Path) -> None:
    folder = encoder("bert", tmp_path / "bert")
    first = PairNetwork(folder)
    with torch.no_grad():
        # The exporter writes equal weights once; the table of word pieces never changes.
        for name, each in first.named_parameters():
            if "word_embeddings" not in name:
                each.add_(0.05 * torch.randn_like(each))
    export(first, tmp_path / "verifier.onnx")

    again = PairNetwork(folder)
    continue_from(again, tmp_path / "verifier.onnx")

    [[right, _], *_] = units(1)
    one = batch([right], padded([right]))
    found = [
        network.eval()(one.pieces, one.attention, one.segments)[0].detach()
        for network in (first, again)
    ]
    assert torch.allclose(*found, atol=0.05)  # but for the rounding to 8 bits
    assert not torch.allclose(first.inner.weight, PairNetwork(folder).inner.weight)
    assert torch.allclose(first.inner.weight, again.inner.weight, atol=0.01)


def test_mpnets_table_is_in_the_order_of_our_word_pieces(tmp_path: Path) -> None:
    folder = encoder("mpnet", tmp_path / "mpnet")
    known = transformers.MPNetModel.from_pretrained(folder).embeddings.word_embeddings

    table = PairNetwork(folder).encoder.embeddings.word_embeddings

    assert table.num_embeddings == 30522
    for ours, theirs in ((FIRST, 0), (0, 1), (BETWEEN, 2), (100, 3), (103, 30526)):
        assert torch.equal(table.weight[ours], known.weight[theirs])
    assert torch.equal(table.weight[2000], known.weight[2004])
    assert torch.equal(table.weight[30521], known.weight[30525])


def test_a_step_in_parts_teaches_what_the_whole_step_does(tmp_path: Path) -> None:
    folder = encoder("bert", tmp_path / "bert")
    pairs = units(5)
    found = []
    for name in ("whole", "parts"):
        torch.manual_seed(1)
        network = PairNetwork(folder)
        plan = replace(_PLAN, batch_pieces=10 * padded(pairs[0]), head_factor=10.0)
        if name == "parts":
            plan = replace(plan, most_together=2 * padded(pairs[0]))
        trained(network, plan, tmp_path / name, pairs)
        found.append(network.pair_head.weight.detach())

    assert torch.allclose(*found, atol=2e-2)
    assert not torch.allclose(found[0], PairNetwork(folder).pair_head.weight)


def test_rows_that_teach_words_alone_say_nothing_of_the_pair(tmp_path: Path) -> None:
    network = PairNetwork(encoder("bert", tmp_path / "bert"))
    [[right, _], *_] = units(1)
    silent = [(replace(right, target=WORDS_ALONE, words=()),)]
    plan = replace(_PLAN, batch_pieces=padded(silent[0]), weight_decay=0.0)
    before = network.pair_head.weight.detach().clone()

    trained(network, plan, tmp_path / "network.pt", silent)

    assert torch.equal(network.pair_head.weight, before)


def test_another_plan_does_not_take_up_a_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.research.training.verifier.fit._LOG_EVERY_S", -1.0)
    folder = encoder("bert", tmp_path / "bert")
    pairs = units()
    first = trained(PairNetwork(folder), _PLAN, tmp_path / "network.pt", pairs)
    again = trained(PairNetwork(folder), _PLAN, tmp_path / "network.pt", pairs)

    assert first[0]["step"] == 1
    assert again[0]["step"] == first[0]["steps"]  # nothing was left to do
    with pytest.raises(PermanentError, match="another plan"):
        trained(PairNetwork(folder), ANEW, tmp_path / "network.pt", pairs)


def test_a_folder_that_holds_no_such_encoder_is_refused(tmp_path: Path) -> None:
    folder = encoder("bert", tmp_path / "bert")
    with pytest.raises(PermanentError, match="3 layers, not 4"):
        PairNetwork(folder, layers=4)
    (tmp_path / "config.json").write_text(
        '{"model_type": "gpt2", "num_hidden_layers": 2}', "utf-8"
    )
    with pytest.raises(PermanentError, match="gpt2"):
        PairNetwork(tmp_path)
    with pytest.raises(PermanentError, match=r"lacks model\.safetensors"):
        _ = VerifierAsk(tmp_path, tmp_path, start=tmp_path).encoder


@pytest.mark.parametrize(
    ("flags", "quick"),
    [("fpu avx512_bf16 sse", True), ("amx_bf16", True), ("fpu avx512f", False)],
)
def test_16_bits_are_taken_where_the_processor_multiplies_them(
    tmp_path: Path, flags: str, quick: bool
) -> None:
    (tmp_path / "cpuinfo").write_text(f"flags\t\t: {flags}\n", "utf-8")

    assert is_quick_at_half("cpu", tmp_path / "cpuinfo") is quick
    assert not is_quick_at_half("cpu", tmp_path / "missing")
    assert is_quick_at_half("cuda", tmp_path / "missing")
