"""What was checked and found, how sources could be read, and what it cost. Pure."""

from collections.abc import Iterator
from decimal import Decimal

from bot.daemon.status.amounts import at_their_cap, share
from bot.daemon.status.sections.running import listed
from bot.daemon.status.situation import Situation
from bot.daemon.status.views import Fact, Section, Table, shown_tables
from bot.store.status import ModelCost
from handlers.model import SourceOutcome


def checks_section(situation: Situation) -> Section:
    """Tell how much was checked, and what stands open."""
    found = situation.sight.findings
    flagged = {kind.value: count for kind, count in found.flagged.items()}
    facts = (
        Fact("Pages checked ever", found.pages),
        Fact("Last check", found.last_check_at),
        Fact("Open suggestions, flagged", sum(flagged.values()), listed(flagged)),
        Fact("Open suggestions, doubtful", found.doubtful, "not sure enough to show"),
        Fact("Closed suggestions", found.closed, "forgotten after `closed_days`"),
    )
    days = Table(
        "The last seven days, each of 24 hours",
        ("Up to", "Checks", "Claims", "Could not check", "Verdicts"),
        tuple(
            (
                day.until,
                day.checks,
                day.claims,
                day.unchecked,
                listed({verdict.value: n for verdict, n in day.verdicts.items()}),
            )
            for day in found.days
            if day.checks
        ),
    )
    return Section("checks", "Checks", facts, shown_tables(days))


def sources_section(situation: Situation) -> Section:
    """Tell what came of reading sources."""
    day = situation.sight.findings.sources_day
    week = situation.sight.findings.sources_week
    read = SourceOutcome.READ
    facts = tuple(
        Fact(
            f"Read, {name}",
            share(one.outcomes.get(read, 0), one.total) or None,
            f"of {one.total:,} readings on {one.pages:,} pages",
        )
        for name, one in (("last 24 hours", day), ("last 7 days", week))
        if one.total
    )
    table = Table(
        "Sources by outcome",
        ("Outcome", "24 hours", "Share", "7 days", "Share of 7 days"),
        tuple(
            (
                outcome.value,
                day.outcomes.get(outcome, 0),
                share(day.outcomes.get(outcome, 0), day.total),
                count,
                share(count, week.total),
            )
            for outcome, count in week.outcomes.items()
        ),
        "Of the newest check of each page that was checked in that time.",
    )
    lede = "" if table.rows else "No source was read in the last seven days."
    return Section("sources", "Sources", facts, shown_tables(table), lede)


def costs_section(situation: Situation) -> Section:
    """Tell what language models took."""
    seen = situation.sight
    table = Table(
        "Language models",
        ("Model", "Time", "Calls", "From memory", "Tokens in", "Tokens out", "Cost"),
        tuple(
            (
                one.model,
                name,
                one.calls,
                one.remembered,
                one.input_tokens,
                one.output_tokens,
                money(one.cost),
            )
            for name, costs in (
                ("24 hours", seen.costs_day),
                ("7 days", seen.costs_week),
            )
            for one in costs
        ),
        "Of checks that were saved, in the currency of the prices in the settings.",
    )
    lede = "" if table.rows else "No language model was asked in the last seven days."
    lately = (Fact("Spent, last 24 hours", money(_sum(seen.costs_day))),)
    facts = (*(lately if table.rows else ()), *_today(situation))
    return Section("costs", "Costs", facts, shown_tables(table), lede)


def _today(situation: Situation) -> Iterator[Fact]:
    """Tell what is left of the day, where a model is set up."""
    allowance, spent = situation.means.allowance, situation.sight.spending
    if allowance is None:
        return
    aside = f"{money(spent.reserved)} of it set aside"
    yield Fact(
        "Booked today (UTC), all processes",
        f"{money(spent.settled + spent.reserved)} of {allowance.money}",
        f"{aside}; at the cap until the next day" if spent.refused_at else aside,
    )
    yield Fact("Calls today (UTC)", f"{spent.calls:,} of {allowance.calls:,}")
    if spent.refused:
        yield Fact("Own part of today spent", at_their_cap(spent.refused))


def _sum(costs: tuple[ModelCost, ...]) -> Decimal:
    return sum((one.cost for one in costs), Decimal(0))


def money(amount: Decimal) -> str:
    """Return an amount to a hundredth of a cent."""
    return f"{amount:.4f}"
