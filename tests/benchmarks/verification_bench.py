"""What the cross-encoders cost: CPU time a pair, time until ready, memory, a whole page.

The peer is a network of the smaller one's shape in PyTorch, with weights of 32 bits, on one
thread, as ours; how long it takes does not depend on what it has learned. PyTorch
comes with the training extra and not with an installation; without it, the peer's
lines say so.
"""

import asyncio
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from bot.models.lexical import LexicalVerifier
from bot.models.neural import LARGER_MODEL, CrossEncoderModel
from bot.models.onnx import shipped
from handlers.citations.network_input import PairText
from handlers.citations.passages import cut
from handlers.model import SourceText
from tests import builders

_ROOT = Path(__file__).parents[2]
_KIB = 1024
PIECES = 256
_PAIRS = 60
_CITATIONS = 100
_WORDS_OF_SOURCE = 1500
_LARGE_WORDS = 480_000  # 2.9 MB
_FURTHER_CLAIMS = 20
_TEXT = (
    "the council opened a new bridge over river in spring and its mayor said that it"
    " cost more than planned while trains run again between both towns since then"
)
_PEER = """
import sys, time, torch
from transformers import BertConfig, BertModel
torch.set_num_threads(1)
torch.manual_seed(0)
network = BertModel(BertConfig(vocab_size=30522, hidden_size=384, num_hidden_layers=6,
    num_attention_heads=12, intermediate_size=1536), add_pooling_layer=False).eval()
pieces = torch.randint(1000, 20000, (1, int(sys.argv[1])))
with torch.inference_mode():
    for _ in range(3):
        network(pieces)
    began = time.process_time()
    for _ in range(int(sys.argv[2])):
        network(pieces)
print((time.process_time() - began) / int(sys.argv[2]))
"""
_READY = """
import resource, time
began = time.perf_counter()
from bot.models.neural import shipped_networks
from handlers.citations.network_input import PairText
shipped_networks(threads=1)(PairText("It opened in 1874.", "Bridge", "It opened in 1874."))
print(time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def main() -> None:
    """Print times, memory and the ratio to the peer."""
    ours = ours_s(CrossEncoderModel(threads=1), _PAIRS)
    _tell(f"a pair of {PIECES} word pieces, ours", f"{ours * 1000:.1f} CPU ms")
    if find_spec("torch") and find_spec("transformers"):
        peer = peer_s(_PAIRS)
        _tell(
            "  unquantised, PyTorch",
            f"{peer * 1000:.1f} CPU ms, {peer / ours:.2f} times as much",
        )
    else:
        _tell("  unquantised, PyTorch", "not measured: needs the training extra")
    larger = ours_s(CrossEncoderModel(shipped(LARGER_MODEL), threads=1), _PAIRS)
    _tell("  the larger network, ours", f"{larger * 1000:.1f} CPU ms")
    ready_s, peak = _printed(_READY)
    _tell("ready, with the first answer", f"{float(ready_s):.2f} s")
    _tell("memory of that process", f"{int(peak) / _KIB:.0f} MiB")
    first_s, further_s = asyncio.run(large_source_s())
    _tell(
        f"a claim of a source of {_LARGE_WORDS:,} words",
        f"{first_s:.1f} CPU s, then {further_s * 1000:.0f} CPU ms for each further claim",
    )
    _tell(f"a page of {_CITATIONS} citations, sources on disk", _page())


def _tell(name: str, value: str) -> None:
    sys.stdout.write(f"{name:44}{value}\n")


def peer_s(pairs: int) -> float:
    """Return the CPU time of a pair for the peer, in a process of its own."""
    return float(_printed(_PEER, str(PIECES), str(pairs))[0])


def ours_s(network: CrossEncoderModel, pairs: int) -> float:
    """Return the CPU time of a pair for a network that ships."""
    draw, words = random.Random(0), _TEXT.split()
    pair = PairText(
        " ".join(draw.choices(words, k=30)),
        "Bridge",
        " ".join(draw.choices(words, k=PIECES - 35)),
    )
    for _ in range(3):
        network(pair)
    began = time.process_time()
    for _ in range(pairs):
        network(pair)
    return (time.process_time() - began) / pairs


async def large_source_s() -> tuple[float, float]:
    """Return the CPU time of the first two claims of a large source, and of a later one.

    The first claim needs the text analysed and the second its index.
    """
    draw, verifier = random.Random(0), LexicalVerifier()
    passages = cut(SourceText(_prose(draw, _LARGE_WORDS)), "source")
    claims = [builders.claim(_prose(draw, 22)) for _ in range(2 + _FURTHER_CLAIMS)]
    took_s: list[float] = []
    for claim in claims:
        began = time.process_time()
        await verifier.verify("Bridge", claim, passages)
        took_s.append(time.process_time() - began)
    return sum(took_s[:2]), sum(took_s[2:]) / _FURTHER_CLAIMS


def _printed(program: str, *arguments: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, *arguments],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(_ROOT), *_given_paths()]),
        },
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.split()


def _given_paths() -> list[str]:
    """Return where else packages lie: the peer may be installed beside the project."""
    environment = os.environ.get("PYTHONPATH", "")
    return environment.split(os.pathsep) if environment else []


def _page() -> str:
    """Check a made-up page twice; the second time its sources are cached."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write_page(folder)
        took_s = [_checked_s(folder) for _ in range(2)][-1]
        found = json.loads((folder / "out.json").read_text("utf-8"))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / _KIB
    return f"{took_s:.1f} s, {len(found['reports'][0]['claims'])} claims, at most {peak:.0f} MiB"


def _write_page(folder: Path) -> None:
    draw = random.Random(0)
    pages = folder / "pages"
    pages.mkdir()
    article = ["'''Bridges''' are old.\n"]
    for number in range(_CITATIONS):
        address = f"https://example.org/{number}"
        text = _prose(draw, _WORDS_OF_SOURCE)
        (pages / f"{quote(address, safe='')}.txt").write_text(text, "utf-8")
        claim = _prose(draw, 22)
        article.append(f"{claim}<ref>{{{{cite web|url={address}|title=T}}}}</ref>\n")
    (folder / "page.wikitext").write_text("\n".join(article), "utf-8")


def _prose(draw: random.Random, words: int) -> str:
    """Return sentences of some twenty words with a name and a year in each."""
    known = _TEXT.split()
    sentences = []
    for _ in range(max(1, words // 22)):
        body = " ".join(draw.choices(known, k=18))
        name = f"N{draw.choice(known)}{draw.randrange(90)}"
        sentences.append(f"In {draw.randrange(1800, 2020)} {name} {body}.")
    return " ".join(sentences)


def _checked_s(folder: Path) -> float:
    began = time.perf_counter()
    done = subprocess.run(
        [
            *(sys.executable, "-m", "bot", "check"),
            *("--file", str(folder / "page.wikitext")),
            *("--sources", str(folder / "pages")),
            *("--format", "json", "-o", str(folder / "out.json")),
        ],
        env={
            **os.environ,
            "PYTHONPATH": str(_ROOT),
            "SIDENOTE_DATA_DIR": str(folder / "data"),
        },
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode not in {0, 1}:
        raise RuntimeError(done.stderr)
    return time.perf_counter() - began
