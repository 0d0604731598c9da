"""What fuzzing found stays mended, and all promises hold over the corpus and beyond."""

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handlers.ports import PermanentError
from tests.fuzz import ledger
from tests.fuzz.child import Search
from tests.fuzz.corpus import corpus, findings
from tests.fuzz.ledger import Account, State
from tests.fuzz.minimising import smallest
from tests.fuzz.mutating import swapped
from tests.fuzz.rounds import is_mended, retried
from tests.fuzz.summary import summary
from tests.fuzz.target import Target
from tests.fuzz.targets import NAMES, load

_COMMITTED_BYTES = 300_000


@pytest.mark.parametrize("name", NAMES)
def test_every_kept_input_keeps_the_promises(name: str) -> None:
    target = load(name)
    mended = [one.input for one in findings(name)]

    for one in (b"", *target.seeds, *corpus(name), *mended):
        target.check(one)


@pytest.mark.parametrize("name", NAMES)
def test_odd_values_in_the_json_of_an_input_keep_the_promises(name: str) -> None:
    target, chance = load(name), Random(name)
    inputs = [one for one in target.seeds if b"{" in one]
    variants = [
        swapped(chance.choice(inputs), chance) for _ in range(40 if inputs else 0)
    ]

    for one in variants:
        target.check(one or b"")


@pytest.mark.parametrize("name", NAMES)
def test_words_of_the_grammar_in_any_order_keep_the_promises(name: str) -> None:
    target = load(name)

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(st.sampled_from(target.words) | st.binary(max_size=3), max_size=30))
    def holds(words: list[bytes]) -> None:
        target.check(b"".join(words))

    holds()


def test_the_corpora_are_small() -> None:
    kept = [one for name in NAMES for one in corpus(name)]

    assert sum(map(len, kept)) < _COMMITTED_BYTES
    assert all(corpus(name) for name in NAMES)


# --- the search itself ------------------------------------------------------------


def _picky(data: bytes) -> None:
    if data.startswith(b"b"):
        raise PermanentError("no words may begin so")
    while data == b"slow":
        pass


PICKY = Target("picky", "none", _picky, (b"b", b"c"), (b"a",), longest_s=0.05)


def _tried(state: State, *inputs: bytes) -> Search:
    search = Search(PICKY, state.folder)
    for one in inputs:
        search.try_one(one)
    return search


def test_a_broken_promise_is_put_down_once_with_its_input(tmp_path: Path) -> None:
    state = State(tmp_path)

    _tried(state, b"a", b"bad", b"bc")
    _tried(state, b"bd")

    [path] = state.open_findings("picky")
    details = json.loads(path.read_text())
    assert bytes.fromhex(details["input"]) == b"bad"
    assert "no words may begin so" in details["error"]
    assert "_picky" in details["told"]


def test_an_input_that_takes_too_long_is_a_finding(tmp_path: Path) -> None:
    state = State(tmp_path)

    _tried(state, b"slow")

    [path] = state.open_findings("picky")
    assert "TooSlowError: in _picky" in json.loads(path.read_text())["error"]


def test_what_is_mended_is_no_finding_any_more(tmp_path: Path) -> None:
    state = State(tmp_path)
    folder = tmp_path / "findings" / "packed_bodies"
    folder.mkdir(parents=True)
    (folder / "0.json").write_text(json.dumps({"input": b"\3words".hex()}))
    state.corpus("packed_bodies").mkdir(parents=True)

    assert retried("packed_bodies", state) == 0
    assert state.open_findings("packed_bodies") == []
    assert state.inputs("packed_bodies") == [b"\3words"]


def test_what_is_still_too_slow_is_not_mended() -> None:
    assert not is_mended(PICKY, b"slow")
    assert not is_mended(PICKY, b"b")
    assert is_mended(PICKY, b"c")


def test_what_ends_the_interpreter_is_a_finding_until_a_child_survives_it(
    tmp_path: Path,
) -> None:
    state = State(tmp_path)
    (tmp_path / "crashes").mkdir()
    (tmp_path / "crashes" / "packed_bodies-oom-1").write_bytes(b"\3words")
    (tmp_path / "crashes" / "packed_bodies-slow-unit-1").write_bytes(b"\3")

    assert [path.name for path in state.open_findings("packed_bodies")] == [
        "packed_bodies-oom-1"
    ]
    assert retried("packed_bodies", state) == 0
    assert state.inputs("packed_bodies") == [b"\3words"]


def test_the_corpus_keeps_the_shortest_that_reach_something_new() -> None:
    target = load("community_page")

    kept = smallest(
        target, [b"{}", b"{} ", b"{}  ", b"x", b"yy"], most_bytes=99, most=9
    )

    assert b"{}" in kept
    assert b"x" in kept
    assert len(kept) < 5


def test_accounts_add_up_over_rounds_and_are_reported(tmp_path: Path) -> None:
    state = State(tmp_path)
    for _ in range(2):
        before = state.account("pdf")
        state.keep("pdf", before.with_round(90.0, 1_000, crashed=False))

    report = summary(state, NAMES, "./dev fuzz --write")

    assert "| pdf | 3.0 | 2,000 | 2 |" in report
    assert "3.0 minutes of processor time, 2,000 executions, 0 open findings" in report


def test_a_search_goes_on_from_what_was_kept_beside_the_corpus(tmp_path: Path) -> None:
    kept = ledger.kept()
    state = State(tmp_path)
    state.keep("dump", Account(cpu_s=1.0))

    state.go_on(kept)
    ledger.write({name: state.account(name) for name in NAMES}, tmp_path / "all.json")

    assert set(kept) == set(NAMES)
    assert ledger.kept(tmp_path / "all.json") == kept | {"dump": Account(cpu_s=1.0)}
