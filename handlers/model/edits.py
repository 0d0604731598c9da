"""What an edit did to a statement and the source behind it."""

from dataclasses import dataclass
from enum import Enum

from handlers.model.checks import Flag
from handlers.model.claims import Claim, Source, Span
from handlers.model.fetches import SourceFetch
from handlers.model.pages import PageId
from handlers.model.verdicts import EditJudgement


class EditKind(Enum):
    """What was done that can part a statement from its source."""

    REWORDED = "reworded"  # other words, the same source
    INSERTED = "inserted"  # before a footnote that was there
    REPLACED = "source replaced"
    REMOVED = "source removed"
    MOVED = "moved"  # away from its footnote, which stays


class NotCompared(Enum):
    """Why a revision was not compared with an earlier one."""

    HIDDEN = "hidden"  # the wiki hides the text of the earlier one
    MISSING = "missing"  # there is none, or the wiki no longer has it
    OTHER_PAGE = "other page"  # the histories of two pages were merged
    NOT_WIKITEXT = "not wikitext"
    TOO_LARGE = "too large"
    BLANKED = "blanked"
    TOO_MANY = "too many changes"  # a merged, moved or rewritten article


class NotJudged(Enum):
    """Why a changed claim was not judged, or not in full, by its sources."""

    UNREAD = "source not read"
    READ_IN_PART = "not all that it cites was read"
    WORDS_MISSING = "words of it come from a template that is not known"
    VALUE = "a value that has lost its source"
    NO_JUDGE = "this engine judges no edits"


@dataclass(frozen=True, slots=True)
class ChangedClaim:
    """A claim whose words or sources an edit changed, and what stands there now.

    `words`, `section` and `span` are of the page after the edit. `before` is `None` for
    what was inserted, `after` if no source stands behind the words any more. `sources`
    are those by which the edit is judged: the ones behind the words now, or if they
    were taken away, those.
    """

    kind: EditKind
    before: Claim | None
    after: Claim | None
    words: str
    section: tuple[str, ...]
    span: Span
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class EditCheck:
    """A changed claim, beside what its source says.

    `moved` is the probability that the edit parted the words from their source.
    `judgement` is `None` if it could not be judged; `why_not` says why, or why nothing
    is noted though what was read says that the words were moved away.
    `made` are the two revisions between which it was made, if there are others between
    those compared.
    """

    change: ChangedClaim
    fetches: tuple[SourceFetch, ...]
    judgement: EditJudgement | None = None
    moved: float = 0.0
    flag: Flag | None = None
    made: tuple[PageId, PageId] | None = None
    why_not: NotJudged | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A revision beside the one that was checked before, and what the edit did.

    All edits between the two count as one. `checks` are those of its changes that could
    be judged, `unjudged` the others. Of texts that are `hardly_alike`, one may be of
    another article.
    """

    earlier: PageId
    changed: int = 0  # cited claims whose words or sources changed
    checks: tuple[EditCheck, ...] = ()
    not_compared: NotCompared | None = None
    unjudged: tuple[EditCheck, ...] = ()
    hardly_alike: bool = False
