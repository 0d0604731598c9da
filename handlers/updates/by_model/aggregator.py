"""A model decides what becomes of a candidate (§3.2), as far as our checks go along.

The embedded aggregator rules first. What it throws out stays out, and costs no call:
the article says so, it is disputed, another page had it. Of the rest the model may
throw out more, choose the section, and point at the statement or update that a fact
overtakes or bears out; the verification model has the last word on that.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from handlers.citations.cues.words import content_stems, words
from handlers.model import (
    CandidateUpdate,
    Ignore,
    Ignored,
    ModelUse,
    Ruling,
    Setback,
    Statement,
    Subject,
    Update,
)
from handlers.ports import Excerpt, LanguageModel, Verifier
from handlers.updates.aggregating import Policy
from handlers.updates.aggregating.nearest import shown
from handlers.updates.by_model.asking import Form, Line, Sizes, hear, within
from handlers.updates.by_model.framing import (
    about,
    candidate_part,
    heading,
    sections_of,
    statement_lines,
    update_lines,
)
from handlers.updates.by_model.pointing import Case
from handlers.updates.by_model.queries import tidy
from handlers.updates.roles import Aggregator, Turn

INSTRUCTIONS = """
You keep an encyclopaedia article up to date with restraint. You are shown a candidate \
fact with the words of the source that bear it out, statements of the article near to \
it (ids a1, a2, …), updates that were found before (ids u1, u2, …) and the sections. \
Decide:

- "ignore": it does not belong into the article. Say which of these is the reason: \
"already said" (the article says it, in any words), "duplicate" (an update says it and \
this source adds no weight), "not about the subject", "trivial" (nobody would miss it \
in ten years), "opinion", "advertising", "speculation" (it has not happened yet, or \
nobody knows), "disputed" (good sources disagree).
- "replace": it shows that one statement or one update no longer holds: a newer figure, \
a new holder of a post, something planned that took place otherwise. Give that id as \
"target". A fact that only adds detail replaces nothing.
- "same": an update says the same, and this source bears it out once more. Give the \
update's id as "target".
- "add": the article lacks it, and an experienced editor would want it there. Give the \
id of the section by what belongs into each.

When in doubt between "add" and "ignore", ask whether a reader who looks the subject \
up would be the poorer without it.

If the fact brings up a person, an event or a figure worth a search of its own, put a \
short query for it into "look_next"; else leave that empty. Say why in one short \
sentence. Leave the fields empty that your decision does not need.
"""

_REASONS = {
    "already said": Ignored.ALREADY_SAID,
    "duplicate": Ignored.DUPLICATE,
    "not about the subject": Ignored.NOT_ABOUT_SUBJECT,
    "trivial": Ignored.TRIVIAL,
    "opinion": Ignored.OPINION,
    "advertising": Ignored.ADVERTISING,
    "speculation": Ignored.SPECULATION,
    "disputed": Ignored.DISPUTED,
}
_MOST_STATEMENTS = 30
_SAME_SECTION = 0.25  # of a candidate's words, what standing in its section counts


class RulingAnswer(Form):
    """What the model decides. Words outside the sets are let in, and told."""

    decision: str
    target: str
    section: str
    reason: str
    why: Line
    look_next: Line


class ModelAggregator:
    """Fulfils `handlers.updates.roles.Aggregator`."""

    def __init__(
        self,
        model: LanguageModel,
        fallback: Aggregator,
        verifier: Verifier,
        policy: Policy | None = None,
        sizes: Sizes | None = None,
    ) -> None:
        """Follow `model` where `fallback` and `verifier` do not object."""
        self._model = model
        self._fallback = fallback
        self._verifier = verifier
        self._policy = policy or Policy()
        self._sizes = sizes or Sizes()

    async def rule(
        self, subject: Subject, candidate: CandidateUpdate, found: Sequence[Update]
    ) -> Turn[Ruling]:
        """Return whether to add it, what it replaces or bears out, or why not."""
        turn = await self._fallback.rule(subject, candidate, found)
        first = turn.value
        if isinstance(first, Ignore) and first.why is not Ignored.NO_SECTION:
            return turn
        case = Case(
            subject=subject,
            candidate=candidate,
            found=found,
            near=_near(subject, candidate),
            sections=sections_of(subject),
            verifier=self._verifier,
            policy=self._policy,
        )
        content = _content(case, self._sizes.input_bytes)
        heard = await hear(self._model, INSTRUCTIONS, content, RulingAnswer)
        use = turn.use + heard.use
        if heard.value is None:
            return Turn(first, use, heard.setback, heard.detail)
        return await self._taken(case, heard.value, first, use)

    async def _taken(
        self, case: Case, answer: RulingAnswer, first: Ruling, use: ModelUse
    ) -> Turn[Ruling]:
        """Return the model's ruling where it holds, else the `first` one."""
        decision = answer.decision.strip().casefold()
        if decision == "ignore":
            ruling: Ruling | Setback = _ignored(answer)
        elif decision == "add":
            ruling = await self._added(case, answer, first)
        else:
            ruling = await case.pointed(decision, answer.target, first)
        if isinstance(ruling, Setback):
            return Turn(first, use, ruling)
        hint = tidy(answer.look_next, case.subject)
        return Turn(replace(ruling, hint=hint or ruling.hint), use)

    async def _added(
        self, case: Case, answer: RulingAnswer, first: Ruling
    ) -> Ruling | Setback:
        """Return what the embedded one says of the candidate in the model's section."""
        path = case.sections.path(answer.section)
        if path is None:
            return Setback.NAMED_UNKNOWN
        if path == case.candidate.section:
            return first
        moved = replace(case.candidate, section=path)
        turn = await self._fallback.rule(case.subject, moved, case.found)
        return turn.value


def _ignored(answer: RulingAnswer) -> Ignore | Setback:
    why = _REASONS.get(answer.reason.strip().casefold())
    if why is None:
        return Setback.NAMED_UNKNOWN
    return Ignore(why, f"the language model: {why.value}", said=answer.why)


def _near(subject: Subject, candidate: CandidateUpdate) -> list[Statement]:
    """Return statements that share words with the candidate, in the article's order."""
    wanted = content_stems(words(candidate.text))

    def fit(one: Statement) -> float:
        shared = len(wanted & content_stems(words(shown(one)))) / max(len(wanted), 1)
        return shared + _SAME_SECTION * (one.section == candidate.section)

    fits = [(fit(one), at) for at, one in enumerate(subject.statements)]
    best = sorted(fits, key=lambda each: (-each[0], each[1]))[:_MOST_STATEMENTS]
    kept = sorted(at for likely, at in best if likely > 0)
    return [subject.statements[at] for at in kept]


def _content(case: Case, max_bytes: int) -> Iterator[Excerpt]:
    yield about(case.subject)
    yield case.sections.excerpt()
    places = [heading(one.section) for one in case.near]
    said = [
        f"{text} [{place}]"
        for text, place in zip(statement_lines(case.near), places, strict=True)
    ]
    share = max_bytes // 3
    yield Excerpt("statements of the article", _joined(within(said, share)))
    latest = within(update_lines(case.found)[::-1], share)
    yield Excerpt("updates found before", _joined(latest[::-1]))
    yield candidate_part(case.candidate, case.sections)


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines) or "(none)"
