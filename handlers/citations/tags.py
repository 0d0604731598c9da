"""What settles a claim that editors have tagged, and when the tag can be removed.

`{{failed verification}}`, `{{citation needed}}` and similar tags say that someone wants
this claim checked, so it is checked before the others of its page. If something is
found that settles the matter, a note says what, and that the tag can be removed once
that is done. A claim that is as its tag says gets no note: editors know already. Pure.
"""

from dataclasses import dataclass
from enum import Enum

from handlers.findings import Facts, Finding
from handlers.model import (
    Claim,
    ClaimCheck,
    Message,
    Origin,
    SourceFetch,
    TagKind,
    Verdict,
)

# The probability from which a source is said to support a tagged claim. Of the 349 claims
# of `wice/claim_full_dev`, 26 reach it with both networks: 22 of the 115 that are
# supported, 4 of the 191 that are partly supported, none of the other 43. Of the 64
# citations of `real_citations/dev`, on which the built-in model was partly fitted, 7 reach
# it, all of them supported. If a language model agrees, its own rules decide.
_SURE = 0.8
_LIKELY = 0.5  # if only the link is in question

_FIRST = frozenset(TagKind) - {TagKind.OTHER}
_WANTS_SOURCE = frozenset({TagKind.CITATION_NEEDED, TagKind.BETTER_SOURCE_NEEDED})


class Help(Enum):
    """What settles a tag."""

    SUPPORTED = "supported"  # the cited source says it
    CONTRADICTED = "contradicted"  # the cited source says otherwise
    ARCHIVED_COPY = "archived copy"  # of the cited source, which said it once
    COPY_OF_DEAD = "copy of dead"  # the same, where the link is dead
    OTHER_SOURCE = "other source"  # that says it
    WORKS_AGAIN = "works again"  # the link works, and its page says it


# What can settle each tag, best first.
_FITTING = {
    TagKind.FAILED_VERIFICATION: (
        Help.CONTRADICTED,
        Help.SUPPORTED,
        Help.ARCHIVED_COPY,
        Help.OTHER_SOURCE,
    ),
    TagKind.CITATION_NEEDED: (Help.SUPPORTED,),
    TagKind.BETTER_SOURCE_NEEDED: (Help.OTHER_SOURCE,),
    TagKind.DUBIOUS: (Help.CONTRADICTED, Help.SUPPORTED),
    TagKind.DEAD_LINK: (Help.WORKS_AGAIN, Help.COPY_OF_DEAD),
}
_HEADLINES = {
    Help.SUPPORTED: Message("kind-tag-supported", "The source seems to support this"),
    Help.CONTRADICTED: Message("kind-contradicted", "Contradicted by the source"),
    Help.ARCHIVED_COPY: Message(
        "kind-tag-archived-copy", "An archived copy of the source supports this"
    ),
    Help.COPY_OF_DEAD: Message(
        "kind-tag-archived-copy", "An archived copy of the source supports this"
    ),
    Help.OTHER_SOURCE: Message("kind-source", "A source that seems to support this"),
    Help.WORKS_AGAIN: Message("kind-tag-works-again", "The link works again"),
}
_ADVICE = {
    Help.SUPPORTED: Message("note-tag-supported", "The source supports it: $1 can go."),
    Help.CONTRADICTED: Message(
        "note-tag-contradicted",
        "Correct the article to match the source; then $1 can go.",
    ),
    Help.ARCHIVED_COPY: Message(
        "note-tag-archived-copy", "Link the archived copy; then $1 can go."
    ),
    Help.COPY_OF_DEAD: Message(
        "note-tag-archived-copy", "Link the archived copy; then $1 can go."
    ),
    Help.OTHER_SOURCE: Message("note-tag-other-source", "Cite it; then $1 can go."),
    Help.WORKS_AGAIN: Message(
        "note-tag-works-again", "The page is online and supports it: $1 can go."
    ),
}
_IF_RELIABLE = {
    Help.SUPPORTED: Message(
        "note-tag-dubious", "The source says so. If it is reliable, $1 can go."
    ),
    Help.OTHER_SOURCE: Message(
        "note-tag-better-source", "If it is more reliable, cite it; then $1 can go."
    ),
}
_OF_JUDGEMENT = frozenset({TagKind.DUBIOUS, TagKind.BETTER_SOURCE_NEEDED})
_BEFORE_REMOVAL = Message(
    "certainty-tag", "Read the passage yourself before you remove the tag"
)
_BEFORE_LINKING = Message(
    "certainty-tag-archived-copy", "Read the archived copy yourself before you link it"
)
_CERTAINTY = {
    Help.SUPPORTED: _BEFORE_REMOVAL,
    Help.CONTRADICTED: Message(
        "certainty-tag-contradicted",
        "Read the passage yourself before you correct the article",
    ),
    Help.ARCHIVED_COPY: _BEFORE_LINKING,
    Help.COPY_OF_DEAD: _BEFORE_LINKING,
    Help.OTHER_SOURCE: Message(
        "certainty-tag-other-source", "Read the passage yourself before you cite it"
    ),
    Help.WORKS_AGAIN: _BEFORE_REMOVAL,
}


@dataclass(frozen=True, slots=True)
class TagFinding(Finding):
    """A claim is tagged, and something was found that settles it.

    `template` is the tag's name on the page.
    """

    kind = "tag"
    asked_as = "citations"

    tag: TagKind
    template: str
    help: Help

    @property
    def facts(self) -> Facts:
        """What a note says about it."""
        is_judged = self.tag in _OF_JUDGEMENT and self.help in _IF_RELIABLE
        advice = (_IF_RELIABLE if is_judged else _ADVICE)[self.help]
        is_contradicted = self.help is Help.CONTRADICTED
        named = f"{{{{{self.template}}}}}"
        return Facts(
            _HEADLINES[self.help],
            verdict=Verdict.CONTRADICTED if is_contradicted else Verdict.SUPPORTED,
            lines=(Message(advice.key, advice.english, (named,)),),
            certainty=_CERTAINTY[self.help],
        )

    @property
    def can_go_now(self) -> bool:
        """Whether the tag can be removed now, with nothing else to be done."""
        return self.help in {Help.SUPPORTED, Help.WORKS_AGAIN}


EXAMPLE = TagFinding(TagKind.FAILED_VERIFICATION, "failed verification", Help.SUPPORTED)


def goes_first(claim: Claim) -> bool:
    """Return whether editors have tagged a claim with something that can be settled."""
    return any(tag.kind in _FIRST for tag in claim.tags)


def wants_other_source(claim: Claim) -> bool:
    """Return whether editors ask for a source besides or instead of the cited ones."""
    return any(tag.kind in _WANTS_SOURCE for tag in claim.tags)


def has_tag(claim: Claim, kind: TagKind) -> bool:
    """Return whether a claim carries a tag of this kind."""
    return any(tag.kind is kind for tag in claim.tags)


def help_for(check: ClaimCheck) -> tuple[TagFinding, float] | None:
    """Return what settles a tag of a checked claim, and how probable that is.

    `None` if nothing does, or there is no tag.
    """
    for tag in check.claim.tags:
        for each in _FITTING.get(tag.kind, ()):
            probability = _HELPS[each](check)
            if probability is not None:
                return TagFinding(tag.kind, tag.name, each), probability
    return None


def _supported(check: ClaimCheck, least: float = _SURE) -> float | None:
    if check.verdict is not Verdict.SUPPORTED or not check.verification:
        return None
    likely, opinion = check.verification.probabilities.supported, check.opinion
    is_confirmed = (
        opinion is not None
        and opinion.failure is None
        and opinion.verdict is Verdict.SUPPORTED
    )
    has_quote = bool(check.verification.evidence)
    return likely if has_quote and (is_confirmed or likely >= least) else None


def _contradicted(check: ClaimCheck) -> float | None:
    if check.verdict is not Verdict.CONTRADICTED or check.flag is None:
        return None
    return check.flag.probability


def _archived_copy(check: ClaimCheck) -> float | None:
    return check.drift.probability if check.drift else None


def _copy_of_dead(check: ClaimCheck) -> float | None:
    return _supported(check, _LIKELY) if copy_of_dead(check) else None


def _other_source(check: ClaimCheck) -> float | None:
    found = check.better.recommendation if check.better else None
    return found.probability if found else None


def _works_again(check: ClaimCheck) -> float | None:
    fetches = check.fetches
    is_live = fetches and all(one.origin is Origin.LIVE for one in fetches)
    return _supported(check, _LIKELY) if is_live else None


def copy_of_dead(check: ClaimCheck) -> SourceFetch | None:
    """Return the archived copy that was read for a dead link and is not cited yet."""
    if not has_tag(check.claim, TagKind.DEAD_LINK):
        return None
    copies = (one for one in check.fetches if one.origin is Origin.ARCHIVE)
    return next((one for one in copies if not one.source.archive_url), None)


_HELPS = {
    Help.SUPPORTED: _supported,
    Help.CONTRADICTED: _contradicted,
    Help.ARCHIVED_COPY: _archived_copy,
    Help.COPY_OF_DEAD: _copy_of_dead,
    Help.OTHER_SOURCE: _other_source,
    Help.WORKS_AGAIN: _works_again,
}
