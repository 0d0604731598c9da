"""Fits the lexical model that ships: the same data and seed give the same weights.

The short head learns from the openly licensed rows of the verification train split.
No such split has whole pages as evidence, so the page head is fitted on WiCE dev,
and its reported figures come from cross-validation by article.

An engine can be fitted again without the rows it is measured on (`folds_of`): its
answers to the pages that its page head was fitted on come from folds. The short head,
the rarity of words and the network, if there is one, come from other data and stay as
they are.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.preprocessing import StandardScaler

from bot.models.lexical import CLASSES, FittedOn, FittedVerifier, ModelFile, fold_of
from bot.research.evaluation.contest import OutOfFold
from bot.research.evaluation.datasets import DataSet, Label, Row, case, read_rows
from bot.research.evaluation.metrics import (
    auroc,
    average_precision,
    balanced_accuracy,
    calibration_error,
)
from bot.research.evaluation.report import Progress
from handlers.citations.corpus import read_corpus
from handlers.citations.features import RULE_ONLY, measure
from handlers.citations.network_input import (
    CrossEncoder,
    network_features,
)
from handlers.citations.values import ROLE_FEATURES, measure_roles
from handlers.citations.verification import Head, LexicalModel, ask, judge
from handlers.model import Engine, Probabilities, Verdict
from handlers.ports import PermanentError, Verifier
from handlers.text.analysis import analyse
from handlers.text.words import Rarity

PAGE_SETS = frozenset({"wice", "wice_oracle_chunk", "wice_partial_tokens"})
_CLASS_OF = {
    Verdict.SUPPORTED: CLASSES.index("supported"),
    Verdict.PARTIALLY_SUPPORTED: CLASSES.index("partially_supported"),
    Verdict.NOT_SUPPORTED: CLASSES.index("not_supported"),
    Verdict.CONTRADICTED: CLASSES.index("contradicted"),
}


@dataclass(frozen=True, slots=True)
class Sample:
    row: Row
    measured: Mapping[str, float]
    word_count: int

    @property
    def label(self) -> int:
        return _CLASS_OF[self.row.label.verdict]


def sample(row: Row, rarity: Rarity, network: CrossEncoder | None = None) -> Sample:
    """Compute one row's features as in use, with the answers of `network` if given."""
    given = case(row)
    corpus = read_corpus(given.passages, analyse)
    asked = ask(row.title, given.claim, corpus, rarity, analyse)
    measured = measure(asked.claimed, asked.stated)
    if network is not None:
        measured |= measure_roles(asked.claimed, asked.stated)
        measured |= network_features(network(asked.pair))
    return Sample(row, measured, asked.stated.word_count)


def measured_of(
    rows: Iterable[Row],
    rarity: Rarity,
    progress: Progress,
    network: CrossEncoder | None = None,
) -> list[Sample]:
    samples = []
    for row in rows:
        samples.append(sample(row, rarity, network))
        progress.advance()
    return samples


VERSION = "3"
_SEED = 20261120
_FOLDS = 5
_REPEATS = 5
_RARITY_FLOOR = 10  # stems in fewer documents all get the same weight
_SHORT_STRENGTH = 0.1  # scikit-learn's C: the smaller, the simpler the head
_PAGE_STRENGTH = 0.003
# How much weight rare classes gain: 0 leaves them as rare as in WiCE (one claim in
# eight is not supported), 1 gives each class the same weight. How many claims fail
# depends on how they were drawn (SIDE found no evidence for four in ten), so neither is
# right; this value assumes one in four.
_LEVELLING = 0.75
_STRANGERS = "evidence of another article"
_STRANGER_SHARE = 0.05
CHANGEOVER_WORDS = 150.0
_NOT = CLASSES.index("not_supported")  # the last of WiCE's three classes

# The indices to fit on, and those left out.
Fold: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def train(data: Path, progress: Progress) -> ModelFile:
    """Fit the model on the data sets in the folder `data`."""
    train_set = read_rows(data / "verification" / "train.jsonl.gz")
    dev_set = read_rows(data / "verification" / "dev.jsonl.gz")
    page_set = read_rows(data / "wice" / "claim_full_dev.jsonl.gz")
    open_rows = [
        row
        for row in train_set.rows
        if row.openly_licensed and row.set not in PAGE_SETS
    ]
    if len({row.label.verdict for row in open_rows}) <= 1:
        raise PermanentError(
            f"{data / 'verification' / 'train.jsonl.gz'} has no openly licensed rows of"
            " several verdicts to learn from: `openly_licensed` must be true in them"
        )
    rarity = count(open_rows)
    open_rows += strangers(open_rows)
    progress.started(len(open_rows) + len(page_set.rows))
    short = short_head(measured_of(open_rows, rarity, progress))
    pages = measured_of(page_set.rows, rarity, progress)
    page, figures = page_head(pages, short, rarity)
    model = LexicalModel(VERSION, rarity, short, page, CHANGEOVER_WORDS)
    fitted_on = (
        fitted(train_set, "weights of the short head; word counts", {}),
        fitted(dev_set, "its rows of WiCE: weights of the page head", figures),
        fitted(page_set, "weights of the page head", figures),
    )
    return ModelFile(model, fitted_on, _settings())


def count(rows: Iterable[Row]) -> Rarity:
    """Count in how many of the rows' distinct evidence texts each stem occurs."""
    frequencies: Counter[str] = Counter()
    documents = 0
    for evidence in dict.fromkeys(row.evidence for row in rows):
        frequencies.update(analyse("\n".join(evidence)).stems)
        documents += 1
    common = {stem: n for stem, n in frequencies.items() if n > _RARITY_FLOOR}
    return Rarity(documents, _RARITY_FLOOR, common)


def strangers(rows: Sequence[Row]) -> list[Row]:
    """Return claims with the evidence of other articles, which cannot support them.

    The data sets pair each claim only with evidence on its subject, so without
    these the head would never learn what it means to have nothing in common.
    """
    draws = np.random.default_rng(_SEED)
    count = int(len(rows) * _STRANGER_SHARE)
    pairs = draws.choice(len(rows), size=(count, 2))
    return [
        replace(
            rows[claim],
            set=_STRANGERS,
            evidence=rows[other].evidence,
            label=Label.NOT_SUPPORTED,
        )
        for claim, other in pairs
        if rows[claim].group != rows[other].group
    ]


def _settings() -> dict[str, Any]:
    return {
        "seed": _SEED,
        "folds": _FOLDS,
        "repeats": _REPEATS,
        "short_strength": _SHORT_STRENGTH,
        "page_strength": _PAGE_STRENGTH,
        "stranger_share": _STRANGER_SHARE,
        "scikit_learn": sklearn.__version__,
        "page_weights": f"the class's rows to the power of -{_LEVELLING}",
        "set_weights": "inverse square root of the set's rows",
    }


def fitted(data: DataSet, use: str, figures: Mapping[str, Any]) -> FittedOn:
    """Describe a data set: its use, and the figures it gave out of fold."""
    return FittedOn(data.file, data.sha256, len(data.rows), use, figures)


def fit(
    samples: Sequence[Sample],
    strength: float,
    weights: Sequence[float],
    features: Sequence[str] | None = None,
) -> Head:
    """Fit one head; classes without a sample get probability 0.

    It uses the `features`, or all except those reserved for a rule or for pages.
    """
    apart = RULE_ONLY | ROLE_FEATURES
    features = tuple(
        features or (name for name in samples[0].measured if name not in apart)
    )
    values = np.array(
        [[sample.measured[name] for name in features] for sample in samples]
    )
    scaler = StandardScaler().fit(values)
    regression = LogisticRegression(C=strength, max_iter=5000)
    regression.fit(
        scaler.transform(values),
        [sample.label for sample in samples],
        sample_weight=np.array(weights),
    )
    rows = np.zeros((len(CLASSES), len(features)))
    biases = np.full(len(CLASSES), -np.inf)
    rows[regression.classes_] = regression.coef_
    biases[regression.classes_] = regression.intercept_
    return Head(features, scaler.mean_, scaler.scale_, rows, biases)


def short_head(
    samples: Sequence[Sample], features: Sequence[str] | None = None
) -> Head:
    """Fit the head for short evidence; large sets weigh less than their row counts."""
    sizes = Counter(sample.row.set for sample in samples)
    weights = np.array([sizes[sample.row.set] ** -0.5 for sample in samples])
    return fit(samples, _SHORT_STRENGTH, list(weights / weights.mean()), features)


def _labels(samples: Sequence[Sample]) -> npt.NDArray[np.int64]:
    return np.array([sample.label for sample in samples], dtype=np.int64)


def page_head(
    samples: Sequence[Sample], short: Head, rarity: Rarity
) -> tuple[Head, dict[str, Any]]:
    """Fit the page head on all pages; the figures are from folds it did not see."""
    runs = [
        _cross_validated(samples, short, rarity, repeat) for repeat in range(_REPEATS)
    ]
    names = runs[0].keys()
    figures = {
        name: round(float(np.mean([run[name] for run in runs])), 4) for name in names
    }
    return levelled(samples), figures


def levelled(samples: Sequence[Sample]) -> Head:
    """Fit the page head with more weight on rare classes."""
    sizes = Counter(sample.label for sample in samples)
    weights = np.array([float(sizes[one.label]) ** -_LEVELLING for one in samples])
    return fit(samples, _PAGE_STRENGTH, list(weights / weights.mean()))


def article_folds(samples: Sequence[Sample], repeat: int = 0) -> Iterator[Fold]:
    """Split the samples: for each fold the indices to fit on and those left out.

    Samples of one article are never on both sides.
    """
    truth = np.minimum(_labels(samples), _NOT)
    folds = StratifiedGroupKFold(_FOLDS, shuffle=True, random_state=_SEED + repeat)
    groups = [sample.row.group for sample in samples]
    yield from folds.split(truth, truth, groups)


def _judged(samples: Sequence[Sample], model: LexicalModel) -> npt.NDArray[np.float64]:
    judgements = [judge(model, one.measured, one.word_count) for one in samples]
    return np.array([[getattr(one, name) for name in CLASSES] for one in judgements])


def _cross_validated(
    samples: Sequence[Sample], short: Head, rarity: Rarity, repeat: int
) -> dict[str, float]:
    truth = np.minimum(_labels(samples), _NOT)
    likely = np.zeros((len(samples), len(CLASSES)))
    for seen, unseen in article_folds(samples, repeat):
        head = levelled([samples[at] for at in seen])
        model = LexicalModel("", rarity, short, head, CHANGEOVER_WORDS)
        likely[unseen] = _judged([samples[at] for at in unseen], model)
    predicted = np.minimum(likely.argmax(axis=1), _NOT)
    return {
        **_called_not_supported(truth, predicted),
        "auroc": auroc(truth == 0, likely[:, 0]),
        "average_precision": average_precision(truth == 0, likely[:, 0]),
        "auroc_not_supported": auroc(truth == _NOT, likely[:, _NOT:].sum(axis=1)),
        "accuracy_supported_vs_rest": float(np.mean((truth == 0) == (predicted == 0))),
        "balanced_accuracy_supported_vs_rest": balanced_accuracy(
            truth == 0, predicted == 0
        ),
        "balanced_accuracy_three_way": balanced_accuracy(truth, predicted),
        "calibration_error": calibration_error(truth == 0, likely[:, 0]),
    }


def _called_not_supported(
    truth: npt.NDArray[np.int64], predicted: npt.NDArray[np.int64]
) -> dict[str, float]:
    """Return precision and recall of "not supported"."""
    called = predicted == _NOT
    right = float(np.sum(called & (truth == _NOT)))
    return {
        "precision_not_supported": right / max(float(called.sum()), 1.0),
        "recall_not_supported": right / max(float(np.sum(truth == _NOT)), 1.0),
    }


def folds_of(verifier: Verifier) -> OutOfFold | None:
    """Return the folds of `verifier`; `None` if it saw no data it is measured on."""
    if isinstance(verifier, FittedVerifier):
        return PageFolds(verifier.file, verifier.engine, verifier.network)
    return None


_FITTED_SET = "wice"  # whole pages; the other sets with its articles are cut from these


class PageFolds:
    def __init__(
        self, file: ModelFile, engine: Engine, network: CrossEncoder | None = None
    ) -> None:
        """Fit the page head of `file` again; its features may need a `network`."""
        self._file = file
        self._engine = engine
        self._network = network

    @property
    def engine(self) -> Engine:
        """Name and version of the verifier that ships."""
        return self._engine

    def answers(self, data: DataSet, progress: Progress) -> Mapping[int, Probabilities]:
        """Answer for the pages of `data` by heads that never saw their articles."""
        if not any(one.sha256 == data.sha256 for one in self._file.fitted_on):
            return {}
        if self._file.folds:
            return self._by_stored_folds(data, progress)
        rarity = self._file.model.rarity
        pages = [at for at, row in enumerate(data.rows) if row.set in PAGE_SETS]
        if not pages:
            return {}
        progress.started(len(pages))
        samples = {}
        for at in pages:
            samples[at] = sample(data.rows[at], rarity, self._network)
            progress.advance()
        fitted = [samples[at] for at in pages if data.rows[at].set == _FITTED_SET]
        models = _models(self._file.model, fitted)
        return {
            at: judge(models[data.rows[at].group], one.measured, one.word_count)
            for at, one in samples.items()
            if data.rows[at].group in models
        }

    def _by_stored_folds(
        self, data: DataSet, progress: Progress
    ) -> Mapping[int, Probabilities]:
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


def _models(
    shipped: LexicalModel, samples: Sequence[Sample]
) -> dict[str, LexicalModel]:
    """Return for each article the model that was fitted without it."""
    models: dict[str, LexicalModel] = {}
    for seen, left_out in article_folds(samples):
        model = replace(shipped, page=levelled([samples[at] for at in seen]))
        models.update({samples[at].row.group: model for at in left_out})
    return models
