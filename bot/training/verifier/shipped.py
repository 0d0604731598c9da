"""Takes up the network that ships, so that training goes on where the last one ended.

Only the 8-bit file is published. What rounding took from its weights comes back within
a few steps; the table of word pieces, which no training touches, is taken from the
published encoder.
"""

from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import Tensor

from bot.training.verifier.network import PairNetwork

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
