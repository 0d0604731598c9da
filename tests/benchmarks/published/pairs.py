"""The cross-encoder, beside the same network in PyTorch with weights of 32 bits."""

from importlib.util import find_spec

from bot.models.neural import CrossEncoderModel
from tests.benchmarks.published.sizes import Sizes
from tests.benchmarks.published.values import Bar, Comparison, Section
from tests.benchmarks.verification_bench import PIECES, ours_s, peer_s


def measured(sizes: Sizes) -> list[Section]:
    """Return the CPU time of a pair; the peer is left out where it is not installed."""
    if not sizes.pairs:
        return []
    has_peer = bool(find_spec("torch") and find_spec("transformers"))
    ours: list[float] = []
    peer: list[float] = []
    for _ in range(sizes.rounds):
        ours.append(ours_s(CrossEncoderModel(threads=1), sizes.pairs) * 1000)
        if has_peer:
            peer.append(peer_s(sizes.pairs) * 1000)
    bars = [Bar("ours: 8 bits, ONNX Runtime", tuple(ours))]
    if peer:
        bars.append(Bar("PyTorch, 32 bits", tuple(peer), is_peer=True))
    missing = "unquantised PyTorch: the training extra is not installed"
    return [
        Comparison(
            "pairs",
            "The network, a claim beside its evidence",
            "CPU milliseconds a pair",
            f"n = {sizes.pairs} pairs of about {PIECES} word pieces a round, one at a time,"
            " one thread. What the network learned does not change how long it takes."
            " Ours also cuts the texts into word pieces; PyTorch is given the pieces.",
            "CPU time of all pairs divided by their number, after three that do not count.",
            tuple(bars),
            () if has_peer else (missing,),
        )
    ]
