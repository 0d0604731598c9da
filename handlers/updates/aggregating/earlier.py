"""Holds a candidate against what the run has found so far. Pure."""

from collections.abc import Sequence

from handlers.model import (
    CandidateUpdate,
    Corroborate,
    Ignore,
    Ignored,
    Replace,
    Ruling,
    Statement,
    Subject,
    Update,
)
from handlers.model.claims import ClaimKind
from handlers.model.spans import Span
from handlers.updates.aggregating.comparing import speaks_of_another
from handlers.updates.aggregating.figures import (
    change,
    counts_otherwise,
    have_one_new_count,
    lacks_a_count,
)
from handlers.updates.aggregating.policy import Bench
from handlers.updates.entailing import entails
from handlers.updates.outdated import outdated

_MOST_COMPARED = 3  # updates, the likest first


async def held_against(
    subject: Subject,
    candidate: CandidateUpdate,
    found: Sequence[Update],
    bench: Bench,
) -> Ruling | None:
    """Return the ruling that an earlier update calls for; `None` if none does."""
    if not found:
        return None
    title, verifier, policy = subject.page.id.title, bench.verifier, bench.policy
    [row] = await bench.encoder.likeness([candidate.text], [one.text for one in found])
    order = sorted(range(len(found)), key=lambda at: -row[at])[:_MOST_COMPARED]
    for at in (at for at in order if row[at] >= policy.alike):
        update = found[at]
        if _has_its_figure(update, candidate, subject):
            return _same(update, candidate, None)
        quote = candidate.evidence.quote
        likely = await entails(verifier, title, update.text, [quote])
        if likely >= policy.same and not lacks_a_count(update.text, quote):
            return _same(update, candidate, likely)
        if await entails(verifier, title, candidate.text, [update.text]) >= policy.same:
            return Ignore(Ignored.DUPLICATE, f"update {update.number} says so")
        is_alike = row[at] >= policy.very_alike
        ruling = await _against(subject, candidate, update, bench, is_alike=is_alike)
        if ruling is not None:
            return ruling
    return None


def _has_its_figure(
    update: Update, candidate: CandidateUpdate, subject: Subject
) -> bool:
    """Tell whether the candidate has the figure by which an update replaces another.

    Two papers with one new figure rarely bear each other out word by word.
    """
    old, text = update.replaces, candidate.text
    if old is None or not have_one_new_count(old.text, update.text, text):
        return False
    return not speaks_of_another(_as_statement(update), text, subject)


def _same(update: Update, candidate: CandidateUpdate, likely: float | None) -> Ruling:
    keys = {one.reading.source.key for one in update.sources}
    if candidate.reading.source.key in keys:
        return Ignore(Ignored.DUPLICATE, f"update {update.number}, of the same page")
    return Corroborate(update.number, probability=likely)


async def _against(
    subject: Subject,
    candidate: CandidateUpdate,
    update: Update,
    bench: Bench,
    *,
    is_alike: bool,
) -> Ruling | None:
    """Return what follows where the two count one thing differently."""
    earlier, text = _as_statement(update), candidate.text
    if speaks_of_another(earlier, text, subject):
        return None
    is_shown = change(update.text, text) or change(text, update.text)
    counts = is_alike and counts_otherwise(None, update.text, text)
    if not is_shown and not counts:
        return None
    title = subject.page.id.title
    likely = await outdated(bench.verifier, title, update.text, text)
    likely = max(likely, bench.policy.shown if is_shown else 0.0)
    if likely < bench.policy.outdated:
        return None
    if (
        candidate.dated is None
        or update.dated is None
        or candidate.dated == update.dated
    ):
        what = f"it says otherwise than update {update.number} of the same day"
        return Ignore(Ignored.DISPUTED, what)
    if candidate.dated < update.dated:
        what = f"update {update.number} has a newer figure"
        return Ignore(Ignored.DUPLICATE, what)
    return Replace(likely, update=update.number)


def _as_statement(update: Update) -> Statement:
    return Statement(
        text=update.text,
        kind=ClaimKind.SENTENCE,
        section=update.section,
        span=Span(0, len(update.text)),
        as_of=update.dated,
    )
