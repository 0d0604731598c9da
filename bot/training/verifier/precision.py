"""Computes in half precision where the processor is quick at it, weights kept in full.

A processor without tiles for 16 bits (AMX) takes 15 times as long for them as for 32,
so there nothing is rounded (54 against 839 word pieces a second and core).

Steps are smaller than what a 16-bit weight can tell apart, so the optimizer moves full
ones. Against automatic casting a step costs three quarters (two cores, 7,700 against
5,800 word pieces a second), for nothing is cast back and forth between the layers.
"""

from pathlib import Path

import torch
from torch import Tensor

from bot.training.verifier.network import PairNetwork

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
