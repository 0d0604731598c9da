"""Pairs of sentences and pages, and the figures of finding one by the other."""

import gzip
import json
from pathlib import Path

import pytest

from bot.models.lexical import LexicalVerifier
from bot.research.evaluation.citations import retrieval
from bot.research.evaluation.citations.sentences import find_pairs
from bot.research.evaluation.events import read_events
from handlers.ports import PermanentError
from tests.bot.research.evaluation.event_rows import (
    CITED,
    SENTENCE,
    cited,
    event,
    of_event,
    three_events,
)
from tests.bot.research.evaluation.rows import write
from tests.bot.search.index.documents import HashEncoder
from tests.fakes import Silent
from tests.shared_data import shared_data

_JUDGED = Path(__file__).parents[4] / "fixtures" / "retrieval_pairs_judged.json"


def test_a_sentence_is_paired_with_the_one_page_that_shares_its_specifics(
    tmp_path: Path,
) -> None:
    events = read_events(three_events(tmp_path))

    pairs = find_pairs(events.rows)

    assert [pair.page for pair in pairs] == [
        f"example.org/clock-{n}" for n in (1, 2, 3)
    ]
    assert pairs[0].sentence == of_event(1, SENTENCE)
    assert (pairs[0].title, pairs[0].section) == ("Harbour 1", ("The Tower",))
    assert len({pair.id for pair in pairs}) == 3


@pytest.mark.parametrize(
    ("page", "why"),
    [
        pytest.param(CITED.replace("1874", "1875"), "another year", id="number"),
        pytest.param(f"{CITED} {SENTENCE.lower()}", "copied", id="copied"),
        pytest.param(CITED.replace("penrose of", "x " * 200), "far apart", id="apart"),
    ],
)
def test_no_pair_is_made_of_a_page_that_differs_or_was_copied(
    tmp_path: Path, page: str, why: str
) -> None:
    citation, address, _ = cited(1)

    def pairs(text: str) -> int:
        row = event(1, SENTENCE, (citation, address, text.replace(".", "")))
        return len(find_pairs(read_events(write(tmp_path / "e.gz", [row])).rows))

    assert pairs(CITED) == 1
    assert pairs(page) == 0, why


def test_two_pages_that_fit_make_no_pair(tmp_path: Path) -> None:
    citation, address, text = cited(1)
    other = (citation, f"{address}-again", f"{text} again")
    sentence = of_event(1, SENTENCE)
    row = event(1, sentence, (citation, address, text), other)

    assert find_pairs(read_events(write(tmp_path / "e.jsonl.gz", [row])).rows) == []


def test_every_retriever_has_its_figures_with_intervals(tmp_path: Path) -> None:
    report = retrieval.evaluate(
        three_events(tmp_path),
        LexicalVerifier(),
        HashEncoder(),
        Silent(),
        pool=tmp_path / "pool",
    )

    written = json.loads(report.to_json())
    assert written["benchmark"] == "retrieval"
    assert written["data"]["pairs"] == 3
    assert written["data"]["pool"] == 6
    assert (written["data"]["rows"], written["data"]["unscored"]) == (5, 2)
    assert written["engine"]["name"] == "lexical"
    for name in ("bm25", "bm25_expanded", "dense", "merged", "verified"):
        figures = written["metrics"][name]
        depths = [figures[f"{at}"] for at in retrieval.DEPTHS]
        assert depths == sorted(depths)
        assert figures["sr_at_100"] == 1
        for depth in retrieval.DEPTHS:
            low, high = figures[f"{depth}_ci95"]
            assert 0 <= low <= figures[depth] <= high <= 1
    assert written["metrics"]["bm25"]["p_at_1"] == 1
    assert written["metrics"]["unseen_half"]["pairs"] == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no usable row"),
        (b"\x1f\x8b broken", "not a complete gzip file"),
        (gzip.compress(b'{"id": 1}', mtime=0), "no usable row"),
        (
            # With the time in it, each process would call the test otherwise.
            gzip.compress(b'{"id": 1, "article": {"key": "A", "text": "b"}}', mtime=0),
            "no sentence",
        ),
    ],
)
def test_a_file_that_is_of_no_use_is_reported(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "events.jsonl.gz"
    path.write_bytes(content or gzip.compress(b""))

    with pytest.raises(PermanentError, match=message):
        retrieval.evaluate(
            path, LexicalVerifier(), HashEncoder(), Silent(), pool=tmp_path / "pool"
        )


@pytest.mark.shared_data
def test_the_rule_still_makes_the_pairs_that_were_read_by_hand() -> None:
    """Their ids hold no text; 39 of the 50 were right."""
    judged = json.loads(_JUDGED.read_text("utf-8"))
    events = read_events(shared_data("wikigenbench/events_dev.jsonl.gz"))

    pairs = {pair.id for pair in find_pairs(events.rows)}

    assert judged["sha256"] == events.sha256
    assert len(pairs) == judged["pairs_in_all"]
    assert judged["right"].keys() <= pairs
    assert len(judged["right"]) == 50
    assert sum(judged["right"].values()) == 39
