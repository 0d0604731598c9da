"""What the paper says of the systems, to be put beside the figures. Data, and a look.

The text of the paper that is at hand lacks its tables; these are the figures and the
statements in its prose (§5.1.2, §5.2.1, §5.2.4), of 100 articles, facts and judgements
by Gemini 2.5 Flash. Rates there are not ours: another judge, half of the articles.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from types import MappingProxyType

# Shares by the paper's prose, by system and metric.
PAPER: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "gemini_2.5_pro": {"coverage": 0.3076},
        "langchain_w_gpt4.1": {"wiki_conflict": 0.2469, "reference_conflict": 0.0294},
        "qwen": {"reference_conflict": 0.0687},
    }
)
Values = Mapping[str, float]  # of one metric, by system


@dataclass(frozen=True, slots=True)
class Remark:
    """Something the paper says of one system beside the others, by one metric."""

    text: str
    system: str
    metric: str
    holds: Callable[[Values, str], bool]


def _highest(values: Values, system: str) -> bool:
    return values[system] == max(values.values())


def _lowest(values: Values, system: str) -> bool:
    return values[system] == min(values.values())


def _low(values: Values, system: str) -> bool:
    return values[system] <= median(values.values())


def _high(values: Values, system: str) -> bool:
    return values[system] >= median(values.values())


REMARKS = (
    Remark("the best coverage", "gemini_2.5_pro", "coverage", _highest),
    Remark(
        "coverage lags behind proprietary systems", "langchain_w_gpt5", "coverage", _low
    ),
    Remark(
        "the highest conflict with Wikipedia",
        "langchain_w_gpt4.1",
        "wiki_conflict",
        _highest,
    ),
    Remark(
        "the lowest conflict with references",
        "langchain_w_gpt4.1",
        "reference_conflict",
        _lowest,
    ),
    Remark("a low conflict with Wikipedia", "langchain_w_gpt5", "wiki_conflict", _low),
    Remark(
        "a low conflict with references", "langchain_w_gpt5", "reference_conflict", _low
    ),
    Remark("a high conflict with references", "qwen", "reference_conflict", _high),
    Remark("a lower reference accuracy", "perplexity", "reference_accuracy", _low),
    Remark(
        "a low reference accuracy", "langchain_w_gpt4.1", "reference_accuracy", _low
    ),
    Remark("a high leakage", "perplexity", "leakage", _high),
    Remark("an extremely low leakage", "langchain_w_gpt5", "leakage", _low),
)


@dataclass(frozen=True, slots=True)
class Checked:
    """A remark with what was measured; `holds` is `None` where it cannot be said."""

    remark: Remark
    holds: bool | None
    rank: int | None  # of the system by that metric, 1 the highest
    of: int  # systems with that metric


def checked(metrics: Mapping[str, Mapping[str, object]]) -> tuple[Checked, ...]:
    """Look at each remark about a system that was evaluated beside others.

    Args:
        metrics: of each system, by name.
    """
    return tuple(_checked(one, metrics) for one in REMARKS if one.system in metrics)


def _checked(remark: Remark, metrics: Mapping[str, Mapping[str, object]]) -> Checked:
    values: dict[str, float] = {}
    for name, of_system in metrics.items():
        value = of_system.get(remark.metric)
        if isinstance(value, float):
            values[name] = value
    if remark.system not in values or len(values) < 2:  # noqa: PLR2004 - others beside
        return Checked(remark, None, None, len(values))
    rank = _rank(list(values.values()), values[remark.system])
    return Checked(remark, remark.holds(values, remark.system), rank, len(values))


def _rank(values: Sequence[float], value: float) -> int:
    return 1 + sum(other > value for other in values)
