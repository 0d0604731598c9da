"""Weighs the network's answers beside the lexical features, and calibrates both.

The network answers well for rows it was trained on, whatever it learned; so the short
head is fitted on the twelfth of the articles that were kept from it, and the page
head on WiCE dev, which it never saw, with figures from folds by article.
"""

from collections.abc import Iterable
from pathlib import Path

from bot.adapters.lexical_model import ModelFile
from bot.evaluation.datasets import Row, read_rows
from bot.evaluation.progress import Progress
from bot.training.lexical import (
    CHANGEOVER_WORDS,
    fitted,
    page_head,
    short_head,
    strangers,
)
from bot.training.samples import PAGE_SETS, Sample, sample
from bot.training.verifier.labelled import read_labelled
from handlers.citations.cues.rarity import Rarity
from handlers.citations.lexical import LexicalModel
from handlers.citations.neural.answer import CrossEncoder

VERSION = "1"


def weigh(
    data: Path, network: CrossEncoder, rarity: Rarity, progress: Progress
) -> ModelFile:
    """Fit both heads on what `network` and the lexical features say.

    Args:
        data: the folder that holds verification/ and wice/.
        network: the trained one, as it ships.
        rarity: of words, as the lexical model counted it.
        progress: counts rows.

    Raises:
        PermanentError: a data set is missing or has no usable row.
    """
    train_file = data / "verification" / "train.jsonl.gz"
    train_set = read_rows(train_file)
    dev_set = read_rows(data / "verification" / "dev.jsonl.gz")
    page_set = read_rows(data / "wice" / "claim_full_dev.jsonl.gz")
    _, held = read_labelled(train_file)
    held = [row for row in held if row.set not in PAGE_SETS]
    held += strangers(held)
    progress.started(len(held) + len(page_set.rows))
    short = short_head(_measured(held, rarity, network, progress))
    pages = _measured(page_set.rows, rarity, network, progress)
    page, figures = page_head(pages, short, rarity)
    return ModelFile(
        LexicalModel(VERSION, rarity, short, page, CHANGEOVER_WORDS),
        (
            fitted(train_set, "the network; weights of the short head", {}),
            fitted(dev_set, "its rows of WiCE: weights of the page head", figures),
            fitted(page_set, "weights of the page head", figures),
        ),
        {"held_out_rows": len(held)},
    )


def _measured(
    rows: Iterable[Row], rarity: Rarity, network: CrossEncoder, progress: Progress
) -> list[Sample]:
    samples = []
    for row in rows:
        samples.append(sample(row, rarity, network))
        progress.advance()
    return samples
