"""What runs: processes, the change feed, and the scheduled tasks. Pure."""

from collections.abc import Iterator, Mapping

from bot.daemon.status.amounts import span
from bot.daemon.status.situation import ROLES, Situation
from bot.daemon.status.views import Cell, Fact, Section, Table, shown_tables
from bot.store.status import FeedSight, Heartbeat


def processes_section(situation: Situation) -> Section:
    """Tell which processes were heard of lately."""
    seen = situation.sight
    silent = [one for one in seen.processes if not one.is_fresh(seen.at)]
    running = len(seen.processes) - len(silent)
    facts = [Fact("Running", running, is_bad=not running)]
    if silent:
        note = "killed, or cut off from the database"
        facts.append(Fact("Silent", len(silent), note, is_bad=True))
    table = Table(
        "Processes of the last day",
        ("Role", "What for", "State", "Process", "Since", "Heard of", "Says"),
        tuple(
            (
                one.role,
                ROLES.get(one.role, ""),
                "running" if one.is_fresh(seen.at) else "silent",
                f"{one.host}, {one.pid}, version {one.version}",
                one.started_at,
                one.seen_at,
                _said(one),
            )
            for one in seen.processes
        ),
    )
    return Section("processes", "Processes", tuple(facts), shown_tables(table))


def _said(one: Heartbeat) -> str:
    figures = (f"{name} {_figure(value)}" for name, value in one.figures.items())
    return "; ".join(part for part in (one.problem, ", ".join(figures)) if part)


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value.is_integer() else f"{value:,.1f}"


def feeds_section(situation: Situation) -> Section:
    """Tell how far behind the wikis we are."""
    seen, lag_s = situation.sight, situation.lag_s
    limit_s = situation.means.lag_limit_s
    told = "nothing was heard yet" if lag_s is None else span(lag_s)
    is_bad = lag_s is not None and lag_s > limit_s
    facts = [Fact("Behind", told, f"the limit is {span(limit_s)}", is_bad=is_bad)]
    for feed in seen.feeds:
        if feed.holes:
            note = "times whose changes are still to be asked for"
            facts.append(Fact("Holes", len(feed.holes), note))
    feeds = Table(
        "Feeds",
        ("Feed", "Newest event", "Kept", "Holes", "Unreadable in a day", "Of which"),
        tuple(_feed(feed) for feed in seen.feeds),
    )
    holes = Table(
        "Holes",
        ("Feed", "From", "To"),
        tuple(
            (feed.feed, hole.since, hole.until)
            for feed in seen.feeds
            for hole in feed.holes
        ),
    )
    return Section("feeds", "Change feed", tuple(facts), shown_tables(feeds, holes))


def _feed(feed: FeedSight) -> tuple[Cell, ...]:
    dead = {reason.value: count for reason, count in feed.dead_day.items()}
    return (
        feed.feed,
        feed.newest_at,
        feed.received_at,
        len(feed.holes),
        sum(dead.values()),
        listed(dead),
    )


def tasks_section(situation: Situation) -> Section:
    """Tell when each scheduled task had its last turn."""
    at = situation.sight.at
    table = Table(
        "Scheduled tasks",
        ("Task", "Last begun", "Held by"),
        tuple(
            (
                turn.name,
                turn.last_run_at,
                # The name of the process, without that of its turn.
                turn.holder.partition(" at ")[0]
                if turn.until and turn.until > at
                else "",
            )
            for turn in situation.sight.turns
        ),
    )
    lede = "" if table.rows else "No scheduled task has run yet."
    return Section("tasks", "Schedule", (), shown_tables(table), lede)


def listed(counts: Mapping[str, int]) -> str:
    """Return what is counted with its numbers, without zeros."""
    return ", ".join(_listed(counts))


def _listed(counts: Mapping[str, int]) -> Iterator[str]:
    for name, count in counts.items():
        if count:
            yield f"{name} {count:,}"
