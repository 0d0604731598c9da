"""Writes the trained network as a quantised ONNX file that runs without PyTorch.

Weights become 8-bit integers, each output channel with its own scale (one scale for
a whole matrix costs five times the agreement, and is slower).
"""

import tempfile
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn

from bot.adapters.cross_encoder import SEGMENTS
from bot.training.verifier.network import PairNetwork
from handlers.citations.neural.values import Segment

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
