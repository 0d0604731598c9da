"""What readers of the panel decide, and as much of who they are as we need. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

from handlers.model import CheckKind, Engine, Message, Verdict
from handlers.ports import PermanentError


class RefusedError(PermanentError):
    """A reader may not do what they asked for; `reason` says why, in any language."""

    def __init__(self, reason: Message) -> None:
        super().__init__(str(reason))
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody who is signed in; `subject` is the wiki's permanent name for them.

    `key` stands for them in stored data: a keyed hash of wiki and subject.
    """

    wiki: str
    subject: str
    user: str
    key: str


class SignInWay(Enum):
    """How a wiki tells us who somebody is."""

    OAUTH = "oauth"  # they allow it on the wiki
    PROOF = "proof"  # they save a given text on a page of their own


class Browser(Enum):
    """A browser family, no more precise than a person knows their own."""

    CHROME = "Chrome"
    EDGE = "Edge"
    FIREFOX = "Firefox"
    OPERA = "Opera"
    SAFARI = "Safari"


class System(Enum):
    """What a browser runs on."""

    ANDROID = "Android"
    IOS = "iOS"
    LINUX = "Linux"
    MACOS = "macOS"
    WINDOWS = "Windows"


@dataclass(frozen=True, slots=True)
class Device:
    """What somebody signs in with, as far as it is shown to them; no more is kept."""

    browser: Browser | None = None
    system: System | None = None


@dataclass(frozen=True, slots=True)
class PageBefore:
    """The newest revision and log entry of a page when a sign-in began; 0 for none."""

    revision_id: int
    log_id: int


@dataclass(frozen=True, slots=True)
class SignIn:
    """An attempt to sign in, valid for some minutes.

    `state` names it, and others may see it; only whoever began it knows the secret
    whose hash is `secret_sha256`. `user` is who they say they are and, together with
    `subject`, who the wiki says they are. It counts once that person, sent back by the
    wiki, has confirmed that they began it (`is_confirmed`). `device` is what it was
    begun with, and `page_before` the state at that time of the page on which they prove
    it.
    """

    state: str
    wiki: str
    way: SignInWay
    secret_sha256: str
    begun_at: datetime
    expires_at: datetime
    verifier: str | None = None  # of PKCE, until it is used
    user: str | None = None
    subject: str | None = None
    is_confirmed: bool = False
    problem: str | None = None
    device: Device = field(default_factory=Device)
    page_before: PageBefore | None = None  # None for OAuth


@dataclass(frozen=True, slots=True)
class ReaderSession:
    """Somebody who is signed in, until `expires_at`."""

    wiki: str
    subject: str
    user: str
    created_at: datetime
    expires_at: datetime


class DecisionKind(Enum):
    """What a reader did with a suggestion."""

    ACCEPT = "accept"
    DISMISS = "dismiss"
    WRONG_VERDICT = "wrong verdict"
    COMPARED = "compared"  # they say whether the source says so


class DismissReason(Enum):
    """Why a reader no longer wants to see a suggestion."""

    SOURCE_SAYS_IT = "source says it"  # the finding is wrong
    WRONG_SOURCE_READ = "wrong source read"  # not the page, edition or language cited
    NOT_WORTH_IT = "not worth it"  # true, but nothing to act on
    ALREADY_FIXED = "already fixed"
    NEW_WORDS_RIGHT = "new words are right"  # of an edit
    SOURCE_OLD = "source is old"  # it bears out what was true then
    COPYEDIT = "copyedit"  # the edit left the meaning as it was
    OTHER = "other"

    @property
    def is_refusal(self) -> bool:
        """Whether it says that the finding should not have been shown."""
        return self in {
            DismissReason.SOURCE_SAYS_IT,
            DismissReason.WRONG_SOURCE_READ,
            DismissReason.NOT_WORTH_IT,
            DismissReason.NEW_WORDS_RIGHT,
            DismissReason.COPYEDIT,
        }

    @property
    def says_wrong(self) -> bool:
        """Whether it says that the finding is wrong; only that counts for precision."""
        return self in {
            DismissReason.SOURCE_SAYS_IT,
            DismissReason.WRONG_SOURCE_READ,
            DismissReason.NEW_WORDS_RIGHT,
            DismissReason.COPYEDIT,
        }


_FAILS = frozenset(set(Verdict) - {Verdict.SUPPORTED})
_RIGHT: Mapping[CheckKind, frozenset[Verdict]] = {
    CheckKind.CONTRADICTED: frozenset({Verdict.CONTRADICTED}),
    CheckKind.NOT_SUPPORTED: frozenset({Verdict.NOT_SUPPORTED, Verdict.CONTRADICTED}),
    CheckKind.NOT_FULLY_SUPPORTED: _FAILS,
    # For an outdated statement, what newer sources say; for a new fact, its own
    # sources.
    CheckKind.OUTDATED: frozenset({Verdict.CONTRADICTED, Verdict.PARTIALLY_SUPPORTED}),
    CheckKind.NEW_FACT: frozenset({Verdict.SUPPORTED}),
}
"""The verdicts that make a flag right; none says anything about the wording."""


def says_right(
    flag: CheckKind | None,
    kind: DecisionKind,
    reason: DismissReason | None,
    right_verdict: Verdict | None,
) -> bool | None:
    """Return whether a decision calls a flag true; `None` if it does not say.

    "Not worth it", "already fixed" and "source is old" do not say.
    """
    if kind is DecisionKind.ACCEPT:
        return True
    if kind is DecisionKind.DISMISS:
        return False if reason and reason.says_wrong else None
    if flag is None or right_verdict is None:
        return None
    return right_verdict in _RIGHT[flag] if flag in _RIGHT else None


@dataclass(frozen=True, slots=True)
class Decision:
    """What a reader decided about a suggestion as it was shown to them.

    `reason` is set for DISMISS, `right_verdict` for WRONG_VERDICT and COMPARED. The
    other fields say who found what, so that precision can be counted by kind, engine
    and wiki.
    """

    wiki: str
    title: str
    identity: str
    kind: DecisionKind
    verdict: Verdict
    engine: Engine
    flag: CheckKind | None
    flag_probability: float | None
    revision: int | None
    decided_at: datetime
    reason: DismissReason | None = None
    right_verdict: Verdict | None = None

    @property
    def is_refusal(self) -> bool:
        """Whether it says that the suggestion should not have been shown, or answers it."""
        if self.kind is DecisionKind.DISMISS:
            return self.reason is not None and self.reason.is_refusal
        if self.kind is DecisionKind.COMPARED:
            return True
        if self.kind is not DecisionKind.WRONG_VERDICT:
            return False
        if self.verdict is Verdict.SUPPORTED:  # a new fact that its sources do not say
            return self.right_verdict in {Verdict.NOT_SUPPORTED, Verdict.CONTRADICTED}
        return self.right_verdict is Verdict.SUPPORTED

    @property
    def hides(self) -> bool:
        """Whether the reader does not want to see the suggestion any more."""
        return self.kind is DecisionKind.DISMISS or self.is_refusal


def says_so(one: Decision) -> bool | None:
    """Return what someone who compared a claim says of its source; `None` for others."""
    if one.kind is not DecisionKind.COMPARED:
        return None
    return one.right_verdict is Verdict.SUPPORTED


@dataclass(frozen=True, slots=True)
class StoredDecision:
    """A stored decision with its number."""

    number: int
    decision: Decision
    undone_at: datetime | None = None


@dataclass(frozen=True, slots=True, order=True)
class Voice:
    """What one reader said of one flag of a probability.

    A reader has one voice on each kind of suggestion, shared out evenly among all that
    they decided on; `part` is the share of this decision.
    """

    probability: float
    is_right: bool
    part: float = 1.0


@dataclass(frozen=True, slots=True)
class Tally:
    """How decisions about suggestions of one kind turned out, for one engine and wiki.

    `right` and `wrong` hold the flag's probability for each suggestion that was decided
    about. Each suggestion counts once, by its newest decision that says right or wrong.
    `voices` is what readers said: all of them, whoever decided last.
    """

    wiki: str
    engine: Engine
    kind: CheckKind
    right: tuple[float, ...]
    wrong: tuple[float, ...]
    voices: tuple[Voice, ...]

    @property
    def readers(self) -> float:
        """How many readers decided; the parts of a voice add up to one reader."""
        return sum(voice.part for voice in self.voices)


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """The answer to a request, in case the request is sent again.

    `request` is a hash of the sender and the request's key, `body_sha256` of its body.
    """

    request: str
    body_sha256: str
    status: int
    answer: str
    kept_at: datetime


class JudgementKind(Enum):
    """What is collected for evaluation."""

    PREFERENCE = "preference"  # between the current citation and the recommended one
    REVIEW = "review"  # of a suggestion: as it is, with changes, or not


class Preferred(Enum):
    """Which of two unlabelled citations supports a claim better."""

    PRESENT = "present"
    RECOMMENDED = "recommended"
    EITHER = "either"
    NEITHER = "neither"


class ReviewOutcome(Enum):
    """What a reviewer would do with a suggestion."""

    ACCEPT = "accept"
    ACCEPT_WITH_CHANGES = "accept with changes"
    REJECT = "reject"


class ErrorKind(Enum):
    """What is wrong with a suggestion that is not accepted as it is."""

    UNSUPPORTED = "not said by its source"
    OUT_OF_DATE = "no longer true"
    MISPLACED = "belongs elsewhere"
    TRIVIAL = "not worth a reader's time"
    DUPLICATE = "said already"
    SOURCE_UNRELIABLE = "source cannot be relied on"
    WORDING = "badly worded"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A preference or a review; exactly one of `preferred` and `outcome` is set.

    `shown_first` says which of two compared citations was shown first. The two
    probabilities are the engine's, for each citation supporting the claim.
    """

    kind: JudgementKind
    wiki: str
    title: str
    identity: str
    engine: Engine
    judged_at: datetime
    preferred: Preferred | None = None
    shown_first: Preferred | None = None
    present_probability: float | None = None
    recommended_probability: float | None = None
    outcome: ReviewOutcome | None = None
    errors: tuple[ErrorKind, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckState:
    """How far the check of a page has come that a person asked for."""

    wiki: str
    title: str
    asked_at: datetime
    changed_at: datetime
    begun_at: datetime | None = None
    ended_at: datetime | None = None
    reading: str | None = None  # the host that is being read
    sources: int = 0
    sources_read: int = 0
    claims: int = 0
    claims_checked: int = 0
    revision: int | None = None
    problem: str | None = None  # why it failed


# What people report about notes on a wiki's page of reports, and the answers.


class ReportAnswer(Enum):
    """What became of a report; the value is the word written on the page."""

    RIGHT = "right"  # the note was right
    WRONG = "wrong"  # the note was wrong, and that cannot be fixed
    FIXED = "mended"  # the note was wrong, and its cause has been fixed

    @property
    def says_wrong(self) -> bool:
        """Whether the note was wrong."""
        return self is not ReportAnswer.RIGHT


@dataclass(frozen=True, slots=True)
class ProblemReport:
    """A report about a note; `name` identifies the report, `identity` the note."""

    name: str
    identity: str
    revision: int | None
    answer: ReportAnswer | None


# A text that a person supplied for a source, and what checking it found.


@dataclass(frozen=True, slots=True)
class SuppliedQuote:
    """Words of the text, with their surroundings; `page` is for a PDF."""

    quote: str
    before: str = ""
    after: str = ""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class SuppliedResult:
    """What the text says about one claim; `verdict` is `None` if that is unclear."""

    claim: str
    verdict: Verdict | None
    quotes: tuple[SuppliedQuote, ...] = ()


@dataclass(frozen=True, slots=True)
class SuppliedText:
    """What was supplied for the source `source_key` of a page.

    `body` is kept until it has been read, and the rest until `expires_at`. Only
    `reader` is shown what came of it.
    """

    name: str
    reader: str
    wiki: str
    title: str
    source_key: str
    supplied_at: datetime
    expires_at: datetime
    body: bytes | None = field(default=None, repr=False)
    ended_at: datetime | None = None
    results: tuple[SuppliedResult, ...] = ()
    problem: str | None = None
