"""The network: a published encoder with two heads, one for the pair, one for each word.

The word head teaches more precisely: a claim with one wrong name is wrong only in that
place. It also shows which words of a claim lack support, and lets evidence from several
texts be combined word by word.

The pair head uses the word head's output, and reads the claim's own words: the first
piece of these encoders was never trained to represent a text, while the states of the
words were.

The encoder is all-MiniLM-L6-v2 or all-mpnet-base-v2, as its config.json says, either as
published or as in the network that ships; the result is a file of 8-bit weights that
runs without PyTorch.
"""

import json
import tempfile
from pathlib import Path
from typing import cast

import onnx
import torch
from onnx import numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
from torch import Tensor, nn
from transformers import AutoModel

from bot.models.neural import LOGITS, SEGMENTS, STATES
from handlers.citations.network_input import BETWEEN, FIRST, Segment
from handlers.ports import PermanentError

CLASSES = ("supported", "refuted", "not enough information")
_HIDDEN = -1e4  # in place of what a maximum must ignore
_OF_EVIDENCE = frozenset(
    {
        Segment.EVIDENCE,
        Segment.VALUE_CLAIMED,
        Segment.VALUE_OTHER,
        Segment.VALUE_RIVAL,
    }
)
# MPNet's vocabulary is BERT's, preceded by four special tokens that match BERT's.
_BERT, _MPNET = "bert", "mpnet"
_AHEAD = 4
_FILLING, _UNKNOWN, _MASKED = 0, 100, 103  # of the BERT vocabulary
_SIGNS = {FIRST: 0, _FILLING: 1, BETWEEN: 2, _UNKNOWN: 3}
_BEGUN_AS = 0.01  # standard deviation of segments new to MPNet, which has none


class PairNetwork(nn.Module):
    """Reads `[CLS] claim [SEP] about [SEP] evidence [SEP]`.

    Returns three logits per pair, and one logit of "supported" for every word piece;
    only those of the claim mean anything.
    """

    def __init__(
        self, weights: Path, *, layers: int | None = None, dropout: float = 0.0
    ) -> None:
        """Load the encoder in the folder `weights`, or only its first `layers`.

        Raises:
            PermanentError: it is no encoder of BERT's or MPNet's shape, or has fewer
                layers.
        """
        super().__init__()
        kind, depth = _shape(weights)
        if layers is not None and layers > depth:
            raise PermanentError(f"{weights} has {depth} layers, not {layers}")
        # PyTorch's fused attention is half as fast as the plain one in the backward
        # pass on a CPU at these lengths (16.6 and 30.7 pairs/s of 160 word pieces).
        self.encoder = AutoModel.from_pretrained(
            weights,
            add_pooling_layer=False,
            attn_implementation="eager",
            hidden_dropout_prob=dropout,
            attention_probs_dropout_prob=dropout,
            num_hidden_layers=layers or depth,
        )
        width = self.encoder.config.hidden_size
        self.segments: nn.Embedding | None = None
        if kind == _MPNET:
            self.encoder.embeddings.word_embeddings = _as_bert(self.encoder)
            self.segments = nn.Embedding(len(Segment), width)
            nn.init.normal_(self.segments.weight, std=_BEGUN_AS)
        else:
            _widen(self.encoder)
        self.inner = nn.Linear(3 * width, width)
        self.pair_head = nn.Linear(width + 2, len(CLASSES))
        self.word_head = nn.Linear(width, 1)

    def forward(
        self, pieces: Tensor, attention: Tensor, segments: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return logits of shape (batch, 3) and (batch, length)."""
        pair, words, _ = self.read(pieces, attention, segments)
        return pair, words

    def read(
        self, pieces: Tensor, attention: Tensor, segments: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the logits, and the last state of each piece."""
        states = self._states(pieces, attention, segments).float()
        words = self.word_head(states).squeeze(-1)
        claim = _of_claim(pieces)
        mean, most = _pooled(states, claim.unsqueeze(-1))
        of_words = torch.stack((*_pooled(-words, claim),), dim=-1)
        read = torch.cat((states[:, 0], mean, most), dim=-1).unsqueeze(1)
        # With three dimensions, or it would be skipped when weights are rounded.
        first = torch.tanh(self.inner(read)).squeeze(1)
        pair = self.pair_head(torch.cat((first, of_words), dim=-1))
        return pair, cast(Tensor, words), states

    def _states(self, pieces: Tensor, attention: Tensor, segments: Tensor) -> Tensor:
        if self.segments is None:
            found = self.encoder(
                input_ids=pieces, attention_mask=attention, token_type_ids=segments
            )
        else:
            known = self.encoder.embeddings.word_embeddings(pieces)
            marked = (known + self.segments(segments)).to(known.dtype)
            found = self.encoder(inputs_embeds=marked, attention_mask=attention)
        return cast(Tensor, found.last_hidden_state)


def _shape(weights: Path) -> tuple[str, int]:
    """Return the kind of an encoder and how many layers it has."""
    try:
        config = json.loads((weights / "config.json").read_text("utf-8"))
        kind, depth = str(config["model_type"]), int(config["num_hidden_layers"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PermanentError(f"{weights / 'config.json'} cannot be read") from error
    if kind not in {_BERT, _MPNET}:
        raise PermanentError(
            f"{weights} holds a network of the kind {kind!r}; all-MiniLM-L6-v2 (bert) and"
            " all-mpnet-base-v2 (mpnet) can be taken"
        )
    return kind, depth


def _as_bert(encoder: nn.Module) -> nn.Embedding:
    """Return MPNet's table of word pieces in the order of BERT's, which we use."""
    known = encoder.embeddings.word_embeddings.weight.detach()
    masked = len(known) - 1  # MPNet has its mask last
    order = torch.arange(_AHEAD, masked)
    for bert, mpnet in (*_SIGNS.items(), (_MASKED, masked)):
        order[bert] = mpnet
    table = nn.Embedding(len(order), known.shape[1])
    table.weight = nn.Parameter(known[order].clone())
    return table


def _widen(encoder: nn.Module) -> None:
    """Give BERT a token type for each segment, each starting as its text's own."""
    known = encoder.embeddings.token_type_embeddings.weight.detach()
    begun = [int(segment in _OF_EVIDENCE) for segment in Segment]
    table = nn.Embedding(len(begun), known.shape[1])
    table.weight = nn.Parameter(known[begun].clone())
    encoder.embeddings.token_type_embeddings = table
    encoder.config.type_vocab_size = len(begun)


def _of_claim(pieces: Tensor) -> Tensor:
    """Return 1 for the claim's pieces, which are before the first separator."""
    before = (pieces == BETWEEN).long().cumsum(dim=1) == 0
    place = torch.ones_like(pieces).cumsum(dim=1)
    return (before & (place > 1)).float()


def _pooled(values: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Return mean and maximum over the second dimension, only where `mask` is set."""
    count = mask.sum(dim=1).clamp(min=1.0)
    mean = (values * mask).sum(dim=1) / count
    return mean, (values + _HIDDEN * (1.0 - mask)).amax(dim=1)


_QUANTISED = "_quantized"
_TRANSPOSED = "_Transposed"  # the quantiser's mark on biased linear layers
_PREFIX = "network."
_TABLE = "encoder.embeddings.word_embeddings.weight"


def continue_from(network: PairNetwork, shipped: Path) -> None:
    """Give `network` the weights of the ONNX file `shipped`.

    Only the 8-bit file is published. What rounding took from its weights comes back
    within a few steps; the table of word pieces, which training never changes, is taken
    from the published encoder.
    """
    found = _weights(shipped)
    state = network.state_dict()
    for name, weight in found.items():
        if name == _TABLE:
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
            # Linear layers store their weights transposed; tables do not.
            is_table = "embeddings" in stem
            plain = stem.removeprefix(_PREFIX).removesuffix(_TRANSPOSED)
            found[plain] = full if is_table else full.T
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


_OPSET = 17
_BLOCK = 128
_BITS = 8
_WHOLE_NUMBERS = 4  # the accuracy level at which products use 8-bit integers


class _ForUse(nn.Module):
    """One pair per call, so nothing is padded and attention covers everything.

    It returns the pair head's output, which already uses the word head's, and the states
    that edits are judged by.
    """

    def __init__(self, network: PairNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, pieces: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
        pair, _, states = self.network.read(pieces, torch.ones_like(pieces), segments)
        return pair, states


def export(network: PairNetwork, target: Path, *, quantised: bool = True) -> None:
    """Write `network` to `target`; inputs `pieces` and `segments` of (1, length).

    The file runs without PyTorch. Weights become 8-bit integers, each output channel
    with its own scale (one scale for a whole matrix costs five times as much agreement,
    and is slower). A few values that MPNet's layers pass on are some thirty times the
    others, and one scale for a whole text flattens the rest: probabilities were off by
    0.18 on average (60 pairs), but by 0.01 if each block of a row has its own scale, in
    weights and in what they are applied to.
    """
    network = network.float().cpu().eval()
    example = torch.ones((1, 16), dtype=torch.long)
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx" if quantised else target
        torch.onnx.export(
            _ForUse(network),
            (example, torch.zeros_like(example)),
            str(plain),
            input_names=["pieces", "segments"],
            output_names=[LOGITS, STATES],
            dynamic_axes={
                name: {1: "length"} for name in ("pieces", "segments", STATES)
            },
            opset_version=_OPSET,
            dynamo=False,
        )
        if quantised and network.segments is not None:
            _round_in_blocks(plain, target)
        elif quantised:
            quantize_dynamic(
                plain, target, per_channel=True, weight_type=QuantType.QInt8
            )
    _tell_segments(target)


def _round_in_blocks(plain: Path, target: Path) -> None:
    rounded = MatMulNBitsQuantizer(
        onnx.load(plain),
        bits=_BITS,
        block_size=_BLOCK,
        is_symmetric=True,
        accuracy_level=_WHOLE_NUMBERS,
    )
    rounded.process()
    onnx.save(rounded.model.model, plain)
    quantize_dynamic(
        plain,
        target,
        op_types_to_quantize=["Gather"],  # the table of word pieces
        weight_type=QuantType.QInt8,
    )


def _tell_segments(target: Path) -> None:
    """Record in the file which segments its network knows."""
    model = onnx.load(target)
    names = ", ".join(one.name.lower() for one in Segment)
    onnx.helper.set_model_props(model, {SEGMENTS: names})
    onnx.save(model, target)


def give_states(target: Path) -> None:
    """Let the network in `target`, exported without them, give out its last states."""
    model = onnx.load(target)
    last = [one for one in model.graph.node if one.op_type == "LayerNormalization"][-1]
    model.graph.node.append(onnx.helper.make_node("Identity", last.output, [STATES]))
    model.graph.output.append(
        onnx.helper.make_tensor_value_info(
            STATES, onnx.TensorProto.FLOAT, [1, "length", None]
        )
    )
    onnx.save(model, target)
