"""Judges claims with a model file: weights as JSON that a person can read.

Each weight is listed with its feature and its class. The same file says which data the
model was fitted on, and how well it did.
"""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property, lru_cache
from hashlib import sha256
from importlib.resources import files
from itertools import groupby
from operator import attrgetter
from threading import Lock
from typing import Any

import numpy as np

from handlers.citations.corpus import AnalysedSource, Analyser, Corpus, analysed
from handlers.citations.network_input import CrossEncoder, StatesHead
from handlers.citations.verification import Head, LexicalModel, verify
from handlers.model import Claim, Engine, Passage, Probabilities, Verification
from handlers.text.analysis import analyse
from handlers.text.words import Rarity

FORMAT = 2
_DIGITS = 6  # more digits would only reflect differences between machines
CLASSES = tuple(field.name for field in fields(Probabilities))


@dataclass(frozen=True, slots=True)
class FittedOn:
    """A file that the model was fitted on, and the figures cross-validated on it."""

    file: str
    sha256: str
    rows: int
    use: str
    cross_validated: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model and where it comes from.

    `folds` are page heads fitted like the model's own, each without the articles of its
    fold (see `fold_of`); they judge the rows that the model was fitted on. `states`
    gives one of the heads' features, if the model's network has states.
    """

    model: LexicalModel
    fitted_on: tuple[FittedOn, ...]
    settings: Mapping[str, Any]  # the seed, and whatever else reproduces it
    folds: tuple[Head, ...] = ()
    states: StatesHead | None = None

    def figures_on(self, sha256: str) -> dict[str, Any] | None:
        """Return the figures cross-validated on the file with this fingerprint.

        `None` if the model was not fitted on the file.
        """
        for seen in self.fitted_on:
            if seen.sha256 == sha256:
                return {"use": seen.use, **seen.cross_validated}
        return None


def fold_of(article: str, folds: int) -> int:
    """Return which of `folds` folds leaves out the rows of this article."""
    return int.from_bytes(sha256(article.encode()).digest()[:8]) % folds


def to_json(file: ModelFile) -> str:
    """Return the text of the model file; equal models give equal text."""
    model = file.model
    content = {
        "format": FORMAT,
        "version": model.version,
        "settings": file.settings,
        "fitted_on": [asdict(one) for one in file.fitted_on],
        "changeover_words": model.changeover_words,
        "heads": {
            "short": _head_to_json(model.short),
            "page": _head_to_json(model.page),
        },
        "folds": [_head_to_json(head) for head in file.folds],
        "rarity": {
            "documents": model.rarity.documents,
            "floor": model.rarity.floor,
            "frequencies": dict(sorted(model.rarity.frequencies.items())),
        },
    }
    if file.states is not None:
        weights = [_rounded(one) for one in file.states.weights]
        content["states"] = {"bias": _rounded(file.states.bias), "weights": weights}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def from_json(text: str) -> ModelFile:
    """Read what `to_json` wrote.

    Raises:
        ValueError: the text is not a model file of this format.
    """
    content = json.loads(text)
    if content.get("format") != FORMAT:
        raise ValueError(f"model format {content.get('format')!r} is not {FORMAT}")
    rarity = content["rarity"]
    model = LexicalModel(
        version=content["version"],
        rarity=Rarity(rarity["documents"], rarity["floor"], rarity["frequencies"]),
        short=_head_from_json(content["heads"]["short"]),
        page=_head_from_json(content["heads"]["page"]),
        changeover_words=content["changeover_words"],
    )
    fitted = tuple(FittedOn(**one) for one in content["fitted_on"])
    folds = tuple(_head_from_json(one) for one in content.get("folds", ()))
    states = content.get("states")
    head = states and StatesHead(np.array(states["weights"]), states["bias"])
    return ModelFile(model, fitted, content["settings"], folds, head)


def _head_to_json(head: Head) -> dict[str, Any]:
    seen = [
        name for name, bias in zip(CLASSES, head.biases, strict=True) if bias > -np.inf
    ]
    return {
        "biases": {name: _rounded(head.biases[CLASSES.index(name)]) for name in seen},
        "features": {
            feature: {
                "mean": _rounded(head.means[at]),
                "scale": _rounded(head.scales[at]),
                **{
                    name: _rounded(head.weights[CLASSES.index(name), at])
                    for name in seen
                },
            }
            for at, feature in enumerate(head.features)
        },
    }


def _rounded(value: float) -> float:
    return round(float(value), _DIGITS)


def _head_from_json(content: Mapping[str, Any]) -> Head:
    described = content["features"]
    biases = content["biases"]
    return Head(
        features=tuple(described),
        means=np.array([one["mean"] for one in described.values()]),
        scales=np.array([one["scale"] for one in described.values()]),
        weights=np.array(
            [[one.get(name, 0.0) for one in described.values()] for name in CLASSES]
        ),
        biases=np.array([biases.get(name, -np.inf) for name in CLASSES]),
    )


# Claims of one article often cite the same source, so its passages and their sentences
# are read only once. A long article needs some 500 texts, of some 15 KiB each.
_REMEMBERED_PASSAGES = 20_000  # of sources: some 6 MB of text
_REMEMBERED_CORPORA = 8


@dataclass(slots=True)
class _Slot:
    """A source that is, or is being, analysed."""

    passages: tuple[Passage, ...]
    lock: Lock = field(default_factory=Lock)
    source: AnalysedSource | None = None


class Corpora:
    """Remembers the sources that were analysed last; used by several threads."""

    def __init__(
        self, analyse: Analyser, *, most_passages: int = _REMEMBERED_PASSAGES
    ) -> None:
        self._analyse = analyse
        self._most_passages = most_passages
        self._lock = Lock()
        self._slots: OrderedDict[tuple[str, int, int], _Slot] = OrderedDict()
        self._joined: OrderedDict[tuple[int, ...], Corpus] = OrderedDict()

    def of(self, passages: Sequence[Passage]) -> Corpus:
        """Return the corpus of these passages; each source is analysed once."""
        runs = groupby(passages, key=attrgetter("source_key"))
        sources = tuple(self._source(tuple(run)) for _, run in runs)
        key = tuple(map(id, sources))
        with self._lock:
            corpus = self._joined.pop(key, None)
            # An address may be given to another object once the corpus is forgotten;
            # a remembered corpus holds its own.
            corpus = self._joined[key] = corpus or Corpus(sources)
            while len(self._joined) > _REMEMBERED_CORPORA:
                self._joined.popitem(last=False)
        return corpus

    def _source(self, passages: tuple[Passage, ...]) -> AnalysedSource:
        slot = self._slot(passages)
        with slot.lock:
            if slot.source is None:
                slot.source = analysed(passages, self._analyse)
            return slot.source

    def _slot(self, passages: tuple[Passage, ...]) -> _Slot:
        first = passages[0]
        key = first.source_key, len(passages), hash(first)
        with self._lock:
            slot = self._slots.pop(key, None)
            if slot is None or slot.passages != passages:
                slot = _Slot(passages)
            self._slots[key] = slot
            held = sum(len(one.passages) for one in self._slots.values())
            while held > self._most_passages and len(self._slots) > 1:
                _, old = self._slots.popitem(last=False)
                held -= len(old.passages)
            return slot


_REMEMBERED_TEXTS = 512


class FittedVerifier:
    """Implements `handlers.ports.Verifier` with a model file; knows its training data.

    Claims are judged in threads: a page has hundreds, and the event loop must not wait.
    """

    def __init__(
        self,
        name: str,
        model_file: Callable[[], ModelFile],
        *,
        at_once: int,
        network: CrossEncoder | None = None,
    ) -> None:
        """Take the engine's name and its file, which is read for the first claim.

        `network` is asked if the model has weights for its answers; `at_once` is how
        many claims are judged at a time.
        """
        self._name = name
        self._model_file = model_file
        self.network = network
        self._analyse = lru_cache(maxsize=_REMEMBERED_TEXTS)(analyse)
        self._corpora = Corpora(self._analyse)
        self._free = asyncio.Semaphore(at_once)

    @cached_property
    def file(self) -> ModelFile:
        """The model file."""
        return self._model_file()

    @property
    def engine(self) -> Engine:
        """Name and version, stored with each verdict."""
        return Engine(self._name, self.file.model.version)

    def fitted_on(self, sha256: str) -> Mapping[str, Any] | None:
        """Return the figures cross-validated on the file with this fingerprint.

        `None` if the model was not fitted on the file.
        """
        return self.file.figures_on(sha256)

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        """Judge `claim` of the article `title` by all `passages` of its sources."""
        async with self._free:
            return await asyncio.to_thread(
                lambda: verify(
                    title,
                    claim,
                    self._corpora.of(passages),
                    model=self.file.model,
                    engine=self.engine,
                    analyse=self._analyse,
                    network=self.network,
                )
            )


class LexicalVerifier(FittedVerifier):
    """The baseline for the network to beat: no downloads, milliseconds per claim."""

    def __init__(self, file: ModelFile | None = None) -> None:
        """Take a model file other than the one that ships."""
        # One at a time: this is plain Python, which threads do not speed up.
        super().__init__("lexical", lambda: file or shipped_lexical(), at_once=1)


def shipped_lexical() -> ModelFile:
    """Read the model file from the package's data."""
    return from_json(
        files("bot.models").joinpath("files", "lexical.json").read_text("utf-8")
    )
