"""Which engines can be fitted again without the rows they are measured on.

A verifier's answers to the pages its page head was fitted on come from folds. The short
head, the rarity of words and the network, where there is one, come from other data and
stay as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.models.lexical import FittedVerifier, ModelFile, fold_of
from bot.research.evaluation.contest import OutOfFold
from bot.research.evaluation.datasets import DataSet
from bot.research.evaluation.report import Progress
from bot.research.training import lexical
from bot.research.training.lexical import PAGE_SETS, Sample, sample
from handlers.citations.network_input import CrossEncoder
from handlers.citations.verification import LexicalModel, judge
from handlers.model import Engine, Probabilities
from handlers.ports import Verifier


def folds_of(verifier: Verifier) -> OutOfFold | None:
    """Return the folds of `verifier`; `None` if it never saw data it may meet."""
    if isinstance(verifier, FittedVerifier):
        return PageFolds(verifier.file, verifier.engine, verifier.network)
    return None


_FITTED_SET = "wice"  # whole pages; the other sets of its articles are cut from these


class PageFolds:
    def __init__(
        self, file: ModelFile, engine: Engine, network: CrossEncoder | None = None
    ) -> None:
        """Fit the page head of `file` anew; its features may need a `network`."""
        self._file = file
        self._engine = engine
        self._network = network

    @property
    def engine(self) -> Engine:
        """Name and version of the verifier as it ships."""
        return self._engine

    def answers(self, data: DataSet, progress: Progress) -> Mapping[int, Probabilities]:
        """Answer for the pages of `data`, each by a head that saw none of its article."""
        if not self._has_seen(data):
            return {}
        if self._file.folds:
            return self._kept(data, progress)
        rarity = self._file.model.rarity
        asked = [at for at, row in enumerate(data.rows) if row.set in PAGE_SETS]
        if not asked:
            return {}
        progress.started(len(asked))
        samples = {}
        for at in asked:
            samples[at] = sample(data.rows[at], rarity, self._network)
            progress.advance()
        fitted = [samples[at] for at in asked if data.rows[at].set == _FITTED_SET]
        models = _models(self._file.model, fitted)
        return {
            at: judge(models[data.rows[at].group], one.measured, one.word_count)
            for at, one in samples.items()
            if data.rows[at].group in models
        }

    def _kept(self, data: DataSet, progress: Progress) -> Mapping[int, Probabilities]:
        """Answer by the heads that were fitted without the row's article."""
        models = [replace(self._file.model, page=head) for head in self._file.folds]
        progress.started(len(data.rows))
        found = {}
        for at, row in enumerate(data.rows):
            one = sample(row, self._file.model.rarity, self._network)
            model = models[fold_of(row.title or row.group, len(models))]
            found[at] = judge(model, one.measured, one.word_count)
            progress.advance()
        return found

    def _has_seen(self, data: DataSet) -> bool:
        return any(one.sha256 == data.sha256 for one in self._file.fitted_on)


def _models(
    shipped: LexicalModel, samples: Sequence[Sample]
) -> dict[str, LexicalModel]:
    """Return for each article the model that was fitted without it."""
    models: dict[str, LexicalModel] = {}
    for seen, left_out in lexical.folds_of(samples):
        model = replace(shipped, page=lexical.levelled([samples[at] for at in seen]))
        models.update({samples[at].row.group: model for at in left_out})
    return models
