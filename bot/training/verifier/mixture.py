"""All units of all kinds: what the network is shown, in the order that a seed fixes."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from random import Random

from bot.evaluation.datasets import Row, read_rows
from bot.evaluation.progress import Progress
from bot.training.verifier.contrast import Contrasts, Unit
from bot.training.verifier.labelled import from_revisions, from_rows, read_labelled
from handlers.citations.cues.rarity import Rarity
from handlers.citations.cues.reading import read

_REMEMBERED_TEXTS = 20_000
# So much of each set, for on two cores an hour reads some four million word pieces.
_MOST_REVISIONS = 7000
_MOST_CLAIMS = 7000  # of VitaminC, each with all its evidence
_MOST_EVIDENCE = 6
_MOST_OTHERS = 4500  # of the other labelled sets
_VITAMINC = "vitaminc"
_REAL = "vitaminc_real"


def build(data: Path, rarity: Rarity, progress: Progress, *, seed: int) -> list[Unit]:
    """Make the units from the data sets in the folder `data`.

    The pairs of judged claims come twice, with other words of evidence.

    Raises:
        PermanentError: a data set is missing or has no usable row.
    """
    draws = Random(seed)  # noqa: S311 - draws of examples, no secret
    reader = lru_cache(_REMEMBERED_TEXTS)(read)
    contrasts = Contrasts(rarity, reader, draws)
    judged = data / "judged_claims"
    pairs = read_rows(judged / "pairs_train.jsonl.gz").rows
    labelled, _ = read_labelled(data / "verification" / "train.jsonl.gz")
    others = [row for row in labelled if not row.set.startswith(_VITAMINC)]
    draws.shuffle(others)
    revisions = list(
        from_revisions(data / "editing" / "vitaminc_revisions_train.jsonl.gz")
    )
    revised: list[Unit] = list(zip(revisions[::2], revisions[1::2], strict=True))
    draws.shuffle(revised)
    progress.started(3)
    units: list[Unit] = [*contrasts.mended(pairs), *contrasts.mended(pairs)]
    progress.advance()
    units += contrasts.beside_other_pages(read_rows(judged / "train.jsonl.gz").rows)
    progress.advance()
    units += [
        tuple(from_rows(rows, rarity, reader))
        for rows in _claims(labelled, draws)[:_MOST_CLAIMS]
    ]
    units += contrasts.other_values(tuple(units))
    units += revised[:_MOST_REVISIONS]
    units += [(one,) for one in from_rows(others[:_MOST_OTHERS], rarity, reader)]
    progress.advance()
    return units


def _claims(rows: Sequence[Row], draws: Random) -> list[list[Row]]:
    """Return VitaminC's rows by claim: it has evidence for and against most."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.set.startswith(_REAL):
            found.setdefault((row.group, row.claim), []).append(row)
    claims = [rows[:_MOST_EVIDENCE] for rows in found.values()]
    draws.shuffle(claims)
    return claims
