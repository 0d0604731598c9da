"""Decides whether an edit moved a claim away from its sources.

The claim before the edit is the best control there is: same topic, same style, same
page, and usually right. So the two are read beside the same evidence, and what is
decided is of the pair. How many words an edit changes says nothing of the kind: bad
edits are small ones. Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from handlers.citations.comparison import Analyser
from handlers.citations.network_input import CrossEncoder
from handlers.citations.verification import LexicalModel
from handlers.model import Claim, EditJudgement, Engine, Passage


@dataclass(frozen=True, slots=True)
class EditModel:
    """A logistic regression on what the networks say of both sides."""

    version: str
    features: tuple[str, ...]
    weights: npt.NDArray[np.float64]
    bias: float


def judge_edit(
    title: str,
    before: Claim,
    after: Claim,
    passages: Sequence[Passage],
    *,
    edits: EditModel,
    model: LexicalModel,
    engine: Engine,
    analyse: Analyser,
    network: CrossEncoder,
) -> EditJudgement:
    """Judge an edit of a claim of the article `title` by `passages`, at least one.

    Args:
        title: of the article.
        before: the claim as it stood.
        after: as it stands now.
        passages: of all sources that stand behind it.
        edits: decides about the pair.
        model: judges each side by itself.
        engine: named in both verdicts.
        analyse: reads a text; may remember those it has read.
        network: reads both sides.
    """
    raise NotImplementedError
