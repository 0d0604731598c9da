"""What waits: pages to be looked at, and what has to be planned anew. Pure."""

from bot.daemon.status.amounts import span
from bot.daemon.status.situation import Situation
from bot.daemon.status.views import Cell, Fact, Section, Table, shown_tables
from bot.records.dossiers import DraftState
from bot.records.jobs import JobState
from bot.store.status import AGES_S, Ages

_CLASSES = (
    "To come",
    f"Up to {span(AGES_S[0])}",
    *(f"To {span(age_s)}" for age_s in AGES_S[1:]),
    "Longer",
)


def queue_section(situation: Situation) -> Section:
    """Tell how many pages are in each state, since when, and what is parked."""
    queue = situation.sight.queue
    waiting = queue.states[JobState.WAITING]
    parked = queue.states[JobState.PARKED].total
    facts = [Fact("Due now", waiting.come)]
    if waiting.come:
        facts.append(Fact("Oldest came due", waiting.oldest_at))
    if queue.next_due_at:
        facts.append(Fact("Next due", queue.next_due_at))
    if queue.failing:
        facts.append(Fact("Waiting after a failure", queue.failing))
    unread = situation.sight.readings
    if unread.waiting:
        facts.append(Fact("Sources to be read elsewhere", unread.waiting))
        facts.append(Fact("Longest waits since", unread.since))
    facts.append(Fact("Parked", parked, is_bad=parked > 0))
    states = Table(
        "Pages by state and age",
        ("State", "All", *_CLASSES, "Oldest"),
        tuple(_aged(state.value, ages) for state, ages in queue.states.items()),
        "Age counts from when a page was due, taken up, parked or done.",
    )
    why = Table("Why pages are parked", ("Reason", "Pages"), queue.why_parked)
    pages = Table(
        "Parked pages, the newest",
        ("Page", "Wiki", "Revision", "Parked", "Attempts", "Reason"),
        tuple(
            (
                one.title,
                one.wiki,
                str(one.revision_id or ""),
                one.parked_at,
                one.attempts,
                one.reason,
            )
            for one in queue.parked
        ),
    )
    return Section(
        "queue", "Queue of pages", tuple(facts), shown_tables(states, why, pages)
    )


def plans_section(situation: Situation) -> Section:
    """Tell what has to be planned anew, and what cannot be."""
    plans = situation.sight.plans
    due = sum(ages.come for ages in plans.waiting.values())
    facts = [Fact("Due now", due)]
    if plans.failing:
        facts.append(Fact("Failing", len(plans.failing), is_bad=True))
    kinds = Table(
        "Plans that wait, by kind and age",
        ("Kind", "All", *_CLASSES, "Oldest"),
        tuple(
            _aged(f"{kind.name.lower().replace('_', ' ')} ({kind.value})", ages)
            for kind, ages in plans.waiting.items()
            if ages.total
        ),
    )
    failing = Table(
        "Plans that failed and wait",
        ("Subject", "Wiki", "Kind", "Attempts", "Failed", "Again", "Why"),
        tuple(
            (
                one.wish.subject or "all opt-ins",
                one.wish.wiki,
                one.wish.kind.name.lower().replace("_", " "),
                one.attempts,
                one.failed_at,
                one.wish.due_at,
                one.note,
            )
            for one in plans.failing
        ),
    )
    return Section("plans", "Planning", tuple(facts), shown_tables(kinds, failing))


def drafts_sections(situation: Situation) -> tuple[Section, ...]:
    """Tell what is drafted for people, where anybody asked for a draft."""
    drafts = situation.sight.drafts
    if not any(ages.total for ages in drafts.states.values()):
        return ()
    waiting = drafts.states[DraftState.WAITING]
    facts = [Fact("To be drafted", waiting.total)]
    if waiting.come:
        facts.append(Fact("Asked for first", waiting.oldest_at))
    states = Table(
        "Drafts by state and age",
        ("State", "All", *_CLASSES, "Oldest"),
        tuple(
            _aged(state.value, ages)
            for state, ages in drafts.states.items()
            if ages.total
        ),
    )
    why = Table("Why there is no draft", ("Reason", "Drafts"), drafts.why_none)
    return (Section("drafts", "Drafts", tuple(facts), shown_tables(states, why)),)


def _aged(name: str, ages: Ages) -> tuple[Cell, ...]:
    return (name, ages.total, ages.to_come, *ages.counts, ages.oldest_at)
