"""What was written, what people made of it, and what was refused. Pure."""

from bot.daemon.status.amounts import share
from bot.daemon.status.situation import Situation
from bot.daemon.status.views import Cell, Fact, Section, Table, shown_tables
from bot.records.posts import PostState
from bot.store.status import PostLine, ToldSight, Used
from handlers.model import CheckKind

_PRECISION = (
    "Precision is settled / (settled + dismissed): of the notes that people acted on,"
    " those where they changed the sentence or its source. It says nothing of notes"
    " nobody has acted on, and a sentence can change for another reason. A note that"
    " stands on two pages counts twice."
)


def posts_section(situation: Situation) -> Section:
    """Tell what was posted, what waits and what was refused."""
    posts = situation.sight.posts
    facts = [
        Fact("Last posted", posts.last_posted_at),
        Fact("Waiting", posts.waiting.total),
    ]
    if posts.parked:
        how = "`sidenote posts` says why, and settles them"
        facts.append(Fact("Parked", posts.parked, how, is_bad=True))
    if posts.last_shown_at:
        facts.append(Fact("Last shown in a dry run", posts.last_shown_at))
    refused = posts.week[PostState.REFUSED]
    facts.append(Fact("Refused this week", refused))
    states = Table(
        "Posts by state",
        ("State", "Last 7 days", "All that are kept"),
        tuple(
            (state.value, posts.week[state], posts.counts[state])
            for state in PostState
            if posts.counts[state]
        ),
    )
    held = Table("Why posts wait", ("Reason", "Posts"), posts.held)
    refusals = Table(
        "Refused in the last 7 days",
        ("Why", "Posts"),
        tuple((refusal.value, count) for refusal, count in posts.refusals.items()),
    )
    used = Table(
        "Posts of today (UTC) and their limits",
        ("Task", "Wiki", "Posts", "Limit"),
        tuple(_used(one, situation) for one in posts.used_today),
    )
    newest = Table(
        "Posts that changed last",
        ("Page", "Wiki", "Task", "State", "Changed", "Tries", "Revision", "Note"),
        tuple(_post(line) for line in posts.newest),
    )
    tables = shown_tables(states, held, refusals, used, newest)
    return Section("posts", "Posts", tuple(facts), tables)


def _used(one: Used, situation: Situation) -> tuple[Cell, ...]:
    limits = situation.means.rules.of(one.task)
    limit = limits.per_wiki if one.wiki else limits.in_all
    return (one.task, one.wiki or "all wikis", one.count, limit)


def _post(line: PostLine) -> tuple[Cell, ...]:
    why = f"{line.refusal.value}: " if line.refusal else ""
    return (
        line.title,
        line.wiki,
        line.task,
        line.state.value,
        line.changed_at,
        line.tries,
        str(line.revision_id or ""),
        f"{why}{line.note}",
    )


def notes_section(situation: Situation) -> Section:
    """Tell what became of the notes that people were shown, by check kind."""
    told = situation.sight.findings.told
    table = Table(
        "Notes by check kind",
        ("Flagged for", "Shown", "Open", "Settled", "Dismissed", "Precision"),
        tuple(
            (
                check_name(one),
                one.told,
                one.open,
                one.settled,
                one.dismissed,
                precision_words(one),
            )
            for one in told
        ),
        _PRECISION,
    )
    lede = "" if told else "No note was shown to anybody yet."
    return Section("notes", "Notes and dismissals", (), shown_tables(table), lede)


def precision_words(one: ToldSight) -> str:
    """Return the precision with the number it rests on; nothing if that is 0."""
    if one.precision is None:
        return ""
    return f"{share(one.settled, one.decided)} (n = {one.decided})"


def check_name(one: ToldSight) -> str:
    """Return what the claims were flagged for."""
    if one.kind in CheckKind.__members__:
        return CheckKind[one.kind].value
    return one.kind or "not known"
