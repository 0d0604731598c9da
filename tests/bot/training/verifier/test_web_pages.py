import gzip
import json
from functools import lru_cache
from pathlib import Path
from random import Random

import pytest

from bot.training.verifier.beside import Table
from bot.training.verifier.pair import TrainingPair
from bot.training.verifier.web_articles import Article, read_articles
from bot.training.verifier.web_pages import WebPairs
from handlers.citations.cues.rarity import Rarity
from handlers.citations.cues.reading import read

_FILLER = " Nothing else of any note was seen by those who lived along the harbour."
_PAGES = {
    "1": "Clara Stone was elected mayor of York in May 1990 with 1,200 votes."
    " She had taught music in Leeds for 12 years before that." + _FILLER * 30,
    "2": "The bridge over the Ouse was opened by Peter Hall in June 1987."
    " It cost 4 million pounds and is 310 metres long." + _FILLER * 30,
    "3": "Too short to tell.",
}
_FACTS = [
    ("Clara Stone was elected mayor of York in May 1990.", "1"),
    ("She had taught music in Leeds for 12 years before that.", "1"),
    ("The bridge over the Ouse was opened by Peter Hall in June 1987.", ["2", "3"]),
    ("The bridge cost 4 million pounds and it is 310 metres long.", "2"),
    ("Nobody knows whether the old tower was ever painted in blue.", "2"),
    ("Short fact.", "1"),
    ("A fact whose page nobody kept is of no use to anyone here.", "9"),
]


@pytest.fixture
def systems(tmp_path: Path) -> Path:
    article = {
        "title": "History_of_York",
        "statements": [{"fact": fact, "ref_idx": ref} for fact, ref in _FACTS]
        + [{"url": "no fact"}],
        "citation_contents": {key: {"content": text} for key, text in _PAGES.items()}
        | {"4": "not a page"},
    }
    with gzip.open(tmp_path / "one.jsonl.gz", "wt") as file:
        file.write(json.dumps(article) + "\n")
    return tmp_path


def _made(article: Article, seed: int) -> list[TrainingPair]:
    rarity = Rarity(documents=1, floor=1, frequencies={})
    return list(WebPairs(Table(rarity, lru_cache(read), Random(seed))).of(article))


def test_statements_come_with_the_page_they_cite_where_it_was_kept(
    systems: Path,
) -> None:
    [article] = read_articles(systems)

    cited = [(one.text, one.page) for one in article.statements]
    assert [page for _, page in cited] == ["1", "1", "2", "2", "2"]
    assert article.statements[0].title == "History of York"
    assert article.statements[1].before == article.statements[0].text
    assert sorted(article.pages) == ["1", "2"]


def test_markup_of_the_kept_pages_is_gone(tmp_path: Path) -> None:
    text = (
        "![Image 3: a bridge](http://x.test/a.png) The [bridge](http://x.test/b"
        ' "over the Ouse") was **opened**[\\[1\\]](http://x.test/c) in 1987.\n----\n'
    )
    article = {
        "title": "Bridge",
        "statements": [],
        "citation_contents": {"1": {"content": text + _FILLER * 10}},
    }
    with gzip.open(tmp_path / "one.jsonl.gz", "wt") as file:
        file.write(json.dumps(article))

    [read_in] = read_articles(tmp_path)

    first = " ".join(read_in.pages["1"][0].text.split())
    assert first.startswith("The bridge was opened in 1987. Nothing else")


def test_a_cited_page_likely_bears_out_and_what_is_changed_does_not(
    systems: Path,
) -> None:
    [article] = read_articles(systems)
    made = [one for seed in range(30) for one in _made(article, seed)]

    facts = {fact for fact, _ in _FACTS}
    for one in made:
        assert sum(one.target) == pytest.approx(1)
        for mark in one.marks:
            assert 0 <= mark.start <= mark.end <= len(one.text.claim)
        if one.origin == "cited page":
            assert one.text.claim in facts
            assert one.target[0] > 0.5
        if "changed" in one.origin:
            assert one.target[0] == 0
            assert one.text.claim not in facts
    assert {
        "added detail",
        "cited page",
        "evidence removed",
        "joined, all",
        "joined, but one",
        "other page",
    } <= {one.origin for one in made}


def test_a_statement_its_page_says_nothing_of_makes_no_example(systems: Path) -> None:
    [article] = read_articles(systems)

    made = [one for seed in range(10) for one in _made(article, seed)]
    of_it = {one.origin for one in made if "old tower" in one.text.claim.lower()}
    assert of_it <= {"joined, but one"}  # as the part that a page lacks


def test_where_evidence_was_removed_the_missing_words_are_marked(systems: Path) -> None:
    [article] = read_articles(systems)
    removed = [
        one
        for seed in range(40)
        for one in _made(article, seed)
        if one.origin == "evidence removed"
    ]

    assert removed
    for one in removed:
        assert one.target[2] > 0.8
        assert one.marks
        for mark in one.marks:
            word = one.text.claim[mark.start : mark.end]
            assert not mark.supported
            assert word not in one.text.evidence.split()


def test_the_same_seed_makes_the_same_examples(systems: Path) -> None:
    [article] = read_articles(systems)
    assert _made(article, 7) == _made(article, 7)
    assert _made(article, 7) != _made(article, 8)
