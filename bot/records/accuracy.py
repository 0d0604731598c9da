"""How often a wiki's notes are right, their cost, and what is paused: the open data.

One record for each day (UTC), stored in the form in which it is served to anyone. It
names no page and no person. Pure.
"""

from datetime import date
from enum import Enum

from pydantic import BaseModel, ConfigDict


class _Open(BaseModel):
    """A JSON object; unknown fields of a newer version are ignored."""

    model_config = ConfigDict(frozen=True)


class KindAccuracy(_Open):
    """What readers and answered reports say about one kind of notes, by one engine.

    Each note counts once. `low` and `high` are the 95 % Wilson interval of the
    precision, where each reader has one voice, however much they decided. If `is_paused`, no notes of the kind are shown.
    """

    kind: str
    engine: str
    right: int
    wrong: int
    low: float
    high: float
    is_paused: bool

    @property
    def decided(self) -> int:
        """How many notes were decided about."""
        return self.right + self.wrong


class EditsOfKind(_Open):
    """Edits that readers saved through the panel: `stayed` still stood a week later."""

    kind: str
    saved: int
    stayed: int
    reverted: int
    gone: int


class NotedEditsOfKind(_Open):
    """What became of the edits of one kind that were noted, and how often notes were right.

    Each was looked at again after 48 hours, and after 30 days unless it was reverted by
    then: `stands` were still there at the first look, `stayed` at the last one. `unseen`
    could not be seen: deleted, moved or hidden.

    `right` are the notes that readers called right, and of the others those whose edit
    was reverted; `wrong` those that they called wrong, and of the others those whose
    edit stayed. The precision is right / (right + wrong). All others are `undecided`,
    without those that could not be seen.
    """

    kind: str
    noted: int
    waiting: int
    reverted: int
    changed: int
    stands: int
    stayed: int
    unseen: int
    said_right: int
    said_wrong: int
    right: int
    wrong: int
    undecided: int

    @property
    def decided(self) -> int:
        """Of how many notes it is known whether they were right."""
        return self.right + self.wrong


class Reports(_Open):
    """Reports of problems with notes, counted by answer."""

    right: int = 0
    wrong: int = 0
    fixed: int = 0
    open: int = 0


class Costs(_Open):
    """What was done that day, and what language models cost.

    `checks` and `claims` are for this wiki; the language model is counted for all wikis
    of the bot together. `money` is in the currency of the operator's prices.
    """

    checks: int = 0
    claims: int = 0
    model_calls: int = 0
    model_tokens: int = 0
    money: str = "0"


class PauseReason(Enum):
    """Why something is not shown or not done."""

    PRECISION = "precision"  # readers found too few notes of the kind right
    STOP_PAGE = "stop page"
    BUDGET = "budget"  # the language model's, spent for the day


class Pause(_Open):
    """What is paused: a kind of notes, a task, or the language model."""

    what: str
    why: PauseReason


class AccuracyDay(_Open):
    """One day of one wiki.

    It counts decisions, reports and `noted` edits of the last `decision_days`, `edits`
    saved through the panel of the last `edit_days`.
    """

    day: date
    wiki: str
    version: str
    configuration: int
    bar: float
    decision_days: int
    edit_days: int
    kinds: tuple[KindAccuracy, ...] = ()
    edits: tuple[EditsOfKind, ...] = ()
    noted: tuple[NotedEditsOfKind, ...] = ()
    reports: Reports = Reports()
    pauses: tuple[Pause, ...] = ()
    costs: Costs = Costs()
