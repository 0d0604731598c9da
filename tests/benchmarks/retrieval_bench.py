"""Queries a second and indexing time of our index's words, beside bm25s.

The documents are made up: sentences of names, years and common words, of which a query
repeats a few. CPU time, one thread. The peer holds its index in memory and cannot be
brought up to date; ours is on disk.
"""

import random
import sys
import tempfile
import time
from pathlib import Path

import bm25s

from bot.search.index.storage import Words, terms
from handlers.search import Part

_PASSAGES = 10_000
_WORDS = 100
_QUERIES = 200
_QUERY_WORDS = 20
_TOP = 100
_VOCABULARY = 30_000


def _passages(draw: random.Random) -> list[str]:
    words = [f"word{number}" for number in range(_VOCABULARY)]
    weights = [1 / (rank + 10) for rank in range(_VOCABULARY)]  # as Zipf has it
    return [" ".join(draw.choices(words, weights, k=_WORDS)) for _ in range(_PASSAGES)]


def _cpu_s(began: float) -> float:
    return time.process_time() - began


def main() -> None:
    """Print CPU times and their ratios."""
    draw = random.Random(0)
    passages = _passages(draw)
    queries = [
        " ".join(draw.sample(draw.choice(passages).split(), _QUERY_WORDS))
        for _ in range(_QUERIES)
    ]
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        words = Words(Path(folder))
        with words.write() as writing:
            for number, passage in enumerate(passages):
                writing.add(number, [passage])
            writing.commit()
        ours_index_s = _cpu_s(began)
        words = Words(Path(folder))
        began = time.process_time()
        for query in queries:
            words.search([Part(query, 1.0)], _TOP)
        ours_s = _cpu_s(began)
    began = time.process_time()
    peer = bm25s.BM25()
    peer.index(
        [list(terms([Part(text, 1.0)])) for text in passages], show_progress=False
    )
    peer_index_s = _cpu_s(began)
    began = time.process_time()
    for query in queries:
        peer.retrieve(
            [list(terms([Part(query, 1.0)]))], k=_TOP, show_progress=False, n_threads=1
        )
    peer_s = _cpu_s(began)
    sys.stdout.write(
        f"{_PASSAGES:,} passages of {_WORDS} words, {_QUERIES} queries of {_QUERY_WORDS}\n"
        f"  indexing   ours {ours_index_s:6.2f} s   bm25s {peer_index_s:6.2f} s"
        f"   ratio {ours_index_s / peer_index_s:5.2f}\n"
        f"  queries    ours {_QUERIES / ours_s:6.0f}/s  bm25s {_QUERIES / peer_s:6.0f}/s"
        f"  ratio {peer_s / ours_s:5.2f}\n"
    )
