"""Which updates of a run are worth keeping, with a lasting identity.

An outdated statement is *contradicted* by newer sources, and a new fact is *supported*
by its own: with these verdicts they appear among the findings about citations, and
readers judge them in the same words.

An update keeps its identity in a later run, even if it has more sources then. What a
run does not find again is closed only if the run must have found it. Whether a kept
update still applies to the current page is checked without a model (`stands`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from handlers.citations.flags import ANY_WIKI
from handlers.citations.quote_links import quoted
from handlers.findings import (
    CurrentPlace,
    DatedQuote,
    Details,
    ProposedChange,
    Suggestion,
    UpdateFinding,
    finding_of,
    identity_hash,
)
from handlers.model import (
    Backing,
    CheckKind,
    Discovery,
    Engine,
    Flag,
    Ignored,
    Page,
    PageId,
    Role,
    Span,
    TagKind,
    TraceStep,
    Trust,
    Update,
    UpdateKind,
)
from handlers.page.prose import normalised
from handlers.page.statements import (
    CurrentStatements,
    cited_keys,
    marked,
    statement_key,
)
from handlers.sources.addresses import normal_key
from handlers.sources.templates import fill

_UNKNOWN = Engine("updates", "1")
_MOST_STEPS = 12  # steps shown of how an update was found
_AROUND = 40  # characters of a page that are kept on each side of a change, or more
_MOST_AROUND = 2_560
CHECKS = {
    UpdateKind.OUTDATED: CheckKind.OUTDATED,
    UpdateKind.NEW_FACT: CheckKind.NEW_FACT,
    UpdateKind.POINTER: CheckKind.NEW_FACT,
}


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The probability from which an update is flagged to people, not just doubtful.

    It also needs a day and one source that the wiki accepts; about living persons and
    contentious topics one that it calls reliable, or two independent ones. A second
    voice is no condition: people see how many there are, and with two of them, or a
    primary one, a lower probability makes a statement outdated (`supported`).
    `overrides` are a bot operator's own values, by wiki.
    """

    outdated: float = 0.8
    supported: float = 0.6  # of an outdated statement that is well supported
    new_fact: float = 0.7
    sensitive: float = 0.9
    overrides: Mapping[str, Mapping[CheckKind, float]] = field(default_factory=dict)

    def least(
        self, kind: CheckKind, wiki: str, backing: Backing, *, is_sensitive: bool
    ) -> float:
        """Return the least probability at which `kind` is flagged."""
        usual = self.new_fact
        if kind is CheckKind.OUTDATED:
            usual = self.supported if backing is Backing.HIGH else self.outdated
        if is_sensitive:
            usual = max(usual, self.sensitive)
        for name in (wiki, ANY_WIKI):
            chosen = self.overrides.get(name, {}).get(kind)
            if chosen is not None:
                return chosen
        return usual


def suggestions_of(
    discovery: Discovery, bar: Thresholds | None = None
) -> tuple[Suggestion, ...]:
    """Return one suggestion for each update of a run, in order."""
    found: dict[str, Suggestion] = {}
    for update in discovery.updates:
        if update.sources:
            one = _suggestion(discovery, update, bar or Thresholds())
            found.setdefault(one.identity, one)
    return tuple(found.values())


def identity_of(page: PageId, update: Update) -> str:
    """Return the hash that names an update in every revision.

    It is made from the page, the kind, the outdated statement, the fact, and the
    sources; if a later run finds more sources, `with_stored_identities` preserves it.
    """
    anchor = statement_key(update.replaces) if update.replaces else ""
    keys = sorted(source.fetch.source.key for source in update.sources)
    words = (update.kind.name, anchor, normalised(update.text))
    return identity_hash(page, "update", *words, *keys)


def _suggestion(run: Discovery, update: Update, bar: Thresholds) -> Suggestion:
    subject, best = run.subject, update.sources[0]
    old, anchor = update.replaces, update.replaces or update.after
    if anchor is not None:
        place = old.span.start if old else anchor.span.end
    else:  # the start of the section in which the fact belongs
        sections = subject.page.sections
        starts = (one.body.start for one in sections if one.path == update.section)
        place = next(starts, 0)
    same_before = sum(
        anchor is not None
        and one.text == anchor.text
        and one.span.start < anchor.span.start
        for one in subject.statements
    )
    return Suggestion(
        identity=identity_of(subject.page.id, update),
        page=subject.page.id,
        claim=old.text if old else best.evidence.quote,
        section=update.section,
        source_keys=tuple(one.fetch.source.key for one in update.sources),
        finding=_finding(run, update),
        probability=update.probability,
        quote=best.evidence.quote,
        quote_url=best.fetch.url or best.fetch.source.url,
        engine=run.engine or _UNKNOWN,
        flag=_flag(run, update, bar),
        place=place,
        details=Details(sentence=anchor.text if anchor else "", occurrence=same_before),
    )


def _flag(run: Discovery, update: Update, bar: Thresholds) -> Flag | None:
    subject, kind = run.subject, CHECKS[update.kind]
    least = bar.least(
        kind,
        subject.page.id.wiki,
        update.backing,
        is_sensitive=subject.is_sensitive,
    )
    is_accepted = update.backing is Backing.HIGH or any(
        one.reliability.trust is Trust.RELIABLE
        if subject.is_sensitive
        else one.reliability.trust.may_be_recommended
        for one in update.sources
    )
    if not is_accepted or update.dated is None or update.probability < least:
        return None
    return Flag(kind, update.probability, least)


def _finding(run: Discovery, update: Update) -> UpdateFinding:
    anchor = update.replaces or update.after
    best, known = update.sources[0], cited_keys(run.subject.page)
    newest_first = sorted(
        update.sources, key=lambda one: one.dated or date.min, reverse=True
    )
    keys = (one.fetch.source.key for one in update.sources)
    proposal = next((one for one in run.proposals if one.update == update.number), None)
    wiki = run.subject.page.id.wiki
    change = None
    if proposal and not proposal.refused:
        change = smallest(
            run.subject.page.wikitext,
            proposal.span,
            proposal.after,
            is_worded=proposal.is_worded,
        )
    return UpdateFinding(
        update=update.kind,
        fact=update.text,
        section=update.section,
        backing=update.backing,
        statement=anchor.text if anchor else "",
        header=anchor.header if anchor else None,
        dated=update.dated,
        sites=tuple(dict.fromkeys(one.site for one in update.sources if one.site)),
        has_primary=any(one.is_primary for one in update.sources),
        is_worded=update.is_worded,
        is_sensitive=run.subject.is_sensitive,
        known_keys=tuple(key for key in keys if key in known),
        citation=(proposal.citation if proposal else fill(best.fetch, wiki)) or None,
        change=change,
        refused=proposal.refused if proposal else (),
        why=tuple(_why(run.trace, update)),
        news=tuple(
            DatedQuote(quoted(one.evidence, one.fetch), one.dated)
            for one in newest_first
        ),
        tagged=_tag_on(run.subject.page, update),
        dated_in=newest_first[0].dated_in,
    )


def _tag_on(page: Page, update: Update) -> str:
    """Return the name of the tag that asked for an update; empty if there is none."""
    if update.replaces is None:
        return ""
    tags = [one for one in page.tags if one.kind is TagKind.OUTDATED]
    found = marked(page, tags, update.replaces)
    return found.name if found else ""


def smallest(
    wikitext: str, span: Span, after: str, *, is_worded: bool
) -> ProposedChange | None:
    """Return the difference if `after` replaces `span`, with context to locate it.

    `None` if nothing differs, or if even a wide context occurs twice on the page.
    """
    start, end, new = difference(span.of(wikitext), after)
    start, end = span.start + start, span.start + end
    if start == end and not new:
        return None
    around = _AROUND
    while around <= _MOST_AROUND:
        left, right = max(start - around, 0), end + around
        old = wikitext[left:right]
        if wikitext.find(old, wikitext.find(old) + 1) < 0:
            changed = wikitext[left:start] + new + wikitext[end:right]
            return ProposedChange(old, changed, is_worded)
        around *= 2
    return None


def difference(before: str, after: str) -> tuple[int, int, str]:
    """Return the range of `before` that differs in `after`, and what is there instead."""
    start = _shared_start(before, after)
    end = len(before) - _shared_start(before[start:][::-1], after[start:][::-1])
    return start, end, after[start : len(after) - (len(before) - end)]


def _shared_start(one: str, other: str) -> int:
    most = min(len(one), len(other))
    return next((at for at in range(most) if one[at] != other[at]), most)


def _why(trace: tuple[TraceStep, ...], update: Update) -> Iterator[TraceStep]:
    """Yield the steps that led to an update: query, page, decision."""
    wanted: dict[int, None] = {}
    for at, step in enumerate(trace):
        if step.update == update.number:
            for place in (*_led_to(trace, at), at):
                wanted.setdefault(place)
    places = sorted(wanted)
    shown = (
        places
        if len(places) <= _MOST_STEPS
        else places[: _MOST_STEPS - 1] + places[-1:]
    )
    return (trace[place] for place in shown)


def _led_to(trace: tuple[TraceStep, ...], at: int) -> Iterator[int]:
    """Yield the last query before a step, and the step that opened its page."""
    address = trace[at].address
    if address is None:
        return
    before = [place for place in range(at) if trace[place].role is Role.NAVIGATOR]
    opened = [place for place in before if trace[place].address == address]
    queries = [
        place
        for place in before
        if trace[place + 1].role is Role.SEARCH and (not opened or place < opened[-1])
    ]
    yield from queries[-1:]
    yield from opened[-1:]


def stands(found: Suggestion, now: CurrentStatements) -> CurrentPlace | None:
    """Return where an update applies; `None` if it is settled, or not an update."""
    note = finding_of(found, UpdateFinding)
    if note is None:
        return None
    if not note.is_new:
        return now.unmarked(found, note.header, had_mark=bool(note.tagged))
    added = set(found.source_keys) - set(note.known_keys)
    if now.cited & added or now.says(note.fact):
        return None
    statement = now.statement(found, note.statement, note.header)
    if statement is not None:
        end = statement.span.end
        return CurrentPlace(statement, statement.section, end, statement.text)
    starts = (one.body.start for one in now.page.sections if one.path == note.section)
    return CurrentPlace(None, note.section, next(starts, 0), "")


def with_stored_identities(
    found: Iterable[Suggestion], stored: Sequence[Suggestion]
) -> tuple[Suggestion, ...]:
    """Return `found`, each with the identity of the same one in `stored`, if any."""
    known = {one.identity for one in stored}
    free = list(stored)
    renamed: dict[str, Suggestion] = {}
    for one in found:
        same = None
        if one.identity not in known:
            same = next((each for each in free if is_same(one, each)), None)
        if same is not None:
            free.remove(same)
            one = replace(one, identity=same.identity)  # noqa: PLW2901 - the same one
        renamed.setdefault(one.identity, one)
    return tuple(renamed.values())


def is_same(one: Suggestion, other: Suggestion) -> bool:
    """Return whether two suggestions report the same, perhaps from other sources.

    Facts in similar words do not count: among 395 pairs of one run there were none, and
    between two runs of 56 and 65 suggestions 1, with the same quote.
    """
    mine, its = finding_of(one, UpdateFinding), finding_of(other, UpdateFinding)
    if mine is None or its is None or not _is_about_the_same(one, other):
        return False
    quotes, others = (
        {(each.quote.source_key, normalised(each.quote.quote)) for each in note.news}
        for note in (mine, its)
    )
    # A model may word one quote in many ways.
    return bool(quotes & others) or normalised(mine.fact) == normalised(its.fact)


def closed_by_run(
    stored: Iterable[Suggestion], found: Sequence[Suggestion], run: Discovery
) -> frozenset[str]:
    """Return the identities of the open suggestions `stored` that a run has closed.

    `found` are those of the run, with the identities from `with_stored_identities`.
    """
    again = {one.identity for one in found}
    read = _read(run)
    return frozenset(
        one.identity
        for one in stored
        if one.identity not in again
        and (_is_superseded(one, found) or _was_not_supported(one, read, run))
    )


def _is_about_the_same(one: Suggestion, other: Suggestion) -> bool:
    mine, its = finding_of(one, UpdateFinding), finding_of(other, UpdateFinding)
    if mine is None or its is None or mine.update is not its.update:
        return False
    claims = (normalised(each.claim) for each in (one, other))
    return mine.is_new or (mine.header == its.header and len({*claims}) == 1)


def _is_superseded(one: Suggestion, found: Iterable[Suggestion]) -> bool:
    """Return whether a newer fact contradicts the same statement."""
    note = finding_of(one, UpdateFinding)
    if note is None or note.is_new:
        return False
    newer = (
        finding_of(each, UpdateFinding)
        for each in found
        if _is_about_the_same(one, each)
    )
    return any(
        note.dated is None or each.dated is None or each.dated >= note.dated
        for each in newer
        if each
    )


def _was_not_supported(one: Suggestion, read: frozenset[str], run: Discovery) -> bool:
    """Return whether a run covered its day and sources but did not find it again."""
    note = finding_of(one, UpdateFinding)
    if note is None or not one.source_keys:
        return False
    window = run.subject.window
    is_minded = window.is_open or (note.dated is not None and window.holds(note.dated))
    return is_minded and all(normal_key(key) in read for key in one.source_keys)


def _read(run: Discovery) -> frozenset[str]:
    """Return the addresses of the pages that a run could read, normalised."""
    opened, unread = set[str](), set[str]()
    for step in run.trace:
        if step.address is None:
            continue
        if step.ignored is Ignored.NOT_READ:
            unread.add(normal_key(step.address))
        elif step.role is Role.NAVIGATOR:
            opened.add(normal_key(step.address))
    return frozenset(opened - unread)
