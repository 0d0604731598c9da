"""What one event gave with one setup, in a form that is kept on disk until all are done."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from handlers.ports import PermanentError

T = TypeVar("T")
_UNSAFE = re.compile(r"[^\w.-]")


@dataclass(frozen=True, slots=True)
class Overlap:
    """Words in common with the reference, 0 to 100; see `overlap`."""

    meteor: float  # NLTK's, with WordNet where it is there
    meteor_without_synonyms: float
    meteor_15_weights: float  # NLTK's with the parameters of METEOR 1.5
    rouge_l: float  # F1
    rouge_l_nlg_eval: float
    bleu: float
    meteor_15: float | None = None  # that of the program, where it was given


@dataclass(frozen=True, slots=True)
class Citing:
    """The paper's formulas 4 to 6 for one text, 0 to 100."""

    recall: float
    precision: float
    rate: float


@dataclass(frozen=True, slots=True)
class Marks:
    """A model's marks of a text, 0 to 5; `why` tells why there are none."""

    fluency: int | None = None
    organisation: int | None = None
    outline: int | None = None
    focus: int | None = None
    coverage: int | None = None
    information: int | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Scored:
    """The figures of one text. `second` are those of another judge of citations.

    Shares are of its sentences' words: `quoted` stand in a cited chunk word for word,
    `copied` in sentences with ten words in a row as the reference has them, `unmarked`
    in quotes from text that lost its capitals and full stops. `worded` is the share of
    its sentences that a language model wrote; the others are quotes, also where the
    model was asked and gave nothing usable.
    """

    words: int
    sentences: int
    overlap: Overlap
    citing: Citing
    second: Citing | None
    quoted: float
    copied: float
    marks: Marks
    text: str
    unmarked: float = 0.0
    worded: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """A scored text, or in a line why there is none; never both."""

    took_s: float
    documents: int
    scored: Scored | None = None
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """What is known of the reference article."""

    words: int
    marks: Marks


class Shelf:
    """Keeps what was done in a folder, over a kill."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def claim(self, made_with: str) -> None:
        """Take the folder for results of one file by one engine.

        Raises:
            PermanentError: it has those of another, or cannot be written to.
        """
        place = self._folder / "made_with.txt"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            if not place.exists():
                _write(place, made_with.encode())
            known = place.read_text("utf-8")
        except (OSError, ValueError) as error:
            raise PermanentError(
                f"{self._folder} cannot keep results ({error}); name another folder"
            ) from error
        if known != made_with:
            raise PermanentError(
                f"{self._folder} has results of other data or other parts of the engine;"
                " name another folder"
            )

    def outcome(self, setup: str, event: str) -> Outcome | None:
        """Return what an event gave with a setup; `None` where that is not known."""
        return _load(self._place(setup, event), _OUTCOME)

    def put_outcome(self, setup: str, event: str, outcome: Outcome) -> None:
        """Keep what an event gave."""
        _save(self._place(setup, event), _OUTCOME, outcome)

    def reference(self, event: str) -> Reference | None:
        """Return what is known of the reference of an event."""
        return _load(self._place("reference", event), _REFERENCE)

    def put_reference(self, event: str, reference: Reference) -> None:
        """Keep what is known of it."""
        _save(self._place("reference", event), _REFERENCE, reference)

    def is_done(self, setups: tuple[str, ...], event: str) -> bool:
        """Tell whether an event has all that is wanted of it."""
        return self.reference(event) is not None and all(
            self.outcome(one, event) is not None for one in setups
        )

    def count(self, setup: str) -> int:
        """Return how many events have gone through a setup."""
        return sum(1 for _ in (self._folder / setup).glob("*.json"))

    def _place(self, part: str, event: str) -> Path:
        return self._folder / part / f"{_UNSAFE.sub('_', event)}.json"


_OUTCOME = TypeAdapter(Outcome)
_REFERENCE = TypeAdapter(Reference)


def _load(place: Path, form: TypeAdapter[T]) -> T | None:
    try:
        return form.validate_json(place.read_bytes())
    except (OSError, ValidationError):
        return None


def _save(place: Path, form: TypeAdapter[T], value: T) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        _write(place, form.dump_json(value))
    except OSError as error:
        raise PermanentError(
            f"{place} cannot be written ({error.strerror or error}); see to it and run"
            " again, what was done is kept"
        ) from error


def _write(place: Path, content: bytes) -> None:
    """Write a file; a kill leaves no half of it."""
    new = place.with_suffix(".new")
    new.write_bytes(content)
    new.replace(place)
