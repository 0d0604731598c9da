"""What readers of the panel decided, and what that changes. Pure."""

from math import inf

from bot.daemon.status.amounts import share
from bot.daemon.status.situation import Situation
from bot.daemon.status.views import Cell, Fact, Section, Table, shown_tables
from bot.records.accounts import DecisionKind
from bot.surfaces.feedback import Steered, SteeringRules

_NAMES = {
    DecisionKind.ACCEPT: "Accepted",
    DecisionKind.DISMISS: "Dismissed",
    DecisionKind.WRONG_VERDICT: "Given another verdict",
}
_HOW = (
    "Each suggestion counts once, by the newest decision that says whether it is right."
    " Precision is right / decided, with its 95 % Wilson interval. From {least}"
    " decisions on, only suggestions are shown whose probability is so high that the"
    " lower end of the interval reaches {bar:.0%} for them and those above; where no"
    " probability is, the kind is held. Decisions count for {days:,.0f} days."
)


def decided_section(situation: Situation) -> Section:
    """Tell how often readers find each kind right, and what is held for it."""
    decided, rules = situation.sight.decided, situation.means.steering
    made = situation.steering
    facts = [Fact(_NAMES[kind], count) for kind, count in decided.kinds.items()]
    facts.append(Fact("Closed for everyone by two refusals", decided.closed))
    facts.append(Fact("Kinds held", len(made.held), is_bad=bool(made.held)))
    table = Table(
        "Precision by readers' decisions",
        (
            *("Flagged for", "Wiki", "Engine", "Decided", "Right", "Wrong"),
            *("Precision", "95 % interval", "Shown from", "Held"),
        ),
        tuple(_row(row, rules) for row in made.rows),
        _HOW.format(least=rules.least_decisions, bar=rules.bar, days=rules.days),
    )
    lede = "" if made.rows else "Nobody has decided about a flagged suggestion lately."
    title = "What readers decided"
    return Section("decided", title, tuple(facts), shown_tables(table), lede)


def _row(row: Steered, rules: SteeringRules) -> tuple[Cell, ...]:
    return (
        row.kind.value,
        row.wiki,
        engine_name(row),
        row.decided,
        row.right,
        row.wrong,
        share(row.right, row.decided),
        interval(row),
        _shown_from(row, rules),
        "yes" if row.is_held else "no",
    )


def engine_name(row: Steered) -> str:
    """Return the engine with its version."""
    return f"{row.engine.name} {row.engine.version}".strip()


def interval(row: Steered) -> str:
    """Return the interval of the precision in words."""
    low, high = row.interval
    return f"{low:.0%} to {high:.0%}"


def _shown_from(row: Steered, rules: SteeringRules) -> str:
    if row.decided < rules.least_decisions:
        return "as set (too few decisions)"
    if row.least == inf:
        return "nothing is shown"
    return f"{row.least:.3f}" if row.least else "as set"
