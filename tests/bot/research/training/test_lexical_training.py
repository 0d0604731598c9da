"""The training on a data set small enough to run in a test."""

from itertools import product
from pathlib import Path

import pytest

from bot.models.lexical import (
    LexicalVerifier,
    ModelFile,
    from_json,
    shipped_lexical,
    to_json,
)
from bot.research.evaluation.datasets import read_rows
from bot.research.training.lexical import strangers, train
from handlers.ports import PermanentError
from tests.bot.research.evaluation.rows import CLAIMS, PAGES, row, write
from tests.fakes import Silent


def _data(folder: Path) -> Path:
    (folder / "verification").mkdir(parents=True)
    (folder / "wice").mkdir()
    copies = [
        one | {"group": f"{one['group']} {copy}", "claim": f"{one['claim']} {copy}"}
        for copy, one in product(
            range(4), [*CLAIMS, row("Berg sang", "partially_supported")]
        )
    ]
    closed = [
        row("A row", "supported", openly_licensed=False, evidence=f"zebra {n}")
        for n in range(20)
    ]
    write(folder / "verification" / "train.jsonl.gz", [*copies, *closed])
    write(folder / "verification" / "dev.jsonl.gz", CLAIMS)
    pages = [
        one | {"group": f"{one['group']} {n}"} for n, one in product(range(4), PAGES)
    ]
    write(folder / "wice" / "claim_full_dev.jsonl.gz", pages)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _data(tmp_path_factory.mktemp("training") / "data")


@pytest.fixture(scope="module")
def trained(folder: Path) -> ModelFile:
    return train(folder, Silent())


def test_rows_without_an_open_licence_teach_nothing_and_that_is_said(
    tmp_path: Path,
) -> None:
    data = _data(tmp_path / "data")
    closed = [one | {"openly_licensed": False} for one in CLAIMS]
    write(data / "verification" / "train.jsonl.gz", closed)

    with pytest.raises(PermanentError, match="no openly licensed rows"):
        train(data, Silent())


def test_the_same_data_give_the_same_model(folder: Path, trained: ModelFile) -> None:
    again = train(folder, Silent())

    assert to_json(again) == to_json(trained)
    assert "zebra" not in to_json(trained)  # rows without an open licence
    shipped = shipped_lexical().model
    assert trained.model.short.features == shipped.short.features
    assert trained.model.page.features == shipped.page.features


def test_a_model_remembers_its_data_and_its_figures(
    folder: Path, trained: ModelFile
) -> None:
    verifier = LexicalVerifier(trained)

    pages = read_rows(folder / "wice" / "claim_full_dev.jsonl.gz")
    figures = verifier.fitted_on(pages.sha256)
    assert figures is not None
    assert 0 <= figures["auroc"] <= 1
    assert verifier.fitted_on("0" * 64) is None


def test_without_its_data_training_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match=r"train\.jsonl\.gz cannot be read"):
        train(tmp_path, Silent())


def test_a_stranger_is_a_claim_beside_the_evidence_of_another_article(
    tmp_path: Path,
) -> None:
    rows = [
        row(f"claim {n}", "supported", evidence=f"evidence {n}") for n in range(100)
    ]
    read = read_rows(write(tmp_path / "r.jsonl", rows)).rows

    found = strangers(read)

    assert found
    for one in found:
        assert one.evidence[0].split()[1] != one.claim.split()[1]
        assert one.label.value == "not_supported"


def test_a_model_file_is_read_back_as_it_was_written_and_no_other() -> None:
    text = to_json(shipped_lexical())

    assert to_json(from_json(text)) == text
    with pytest.raises(ValueError, match="format 99"):
        from_json('{"format": 99}')
