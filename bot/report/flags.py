"""Says in words why a claim is put before people, or why not. Pure.

A flag is said to be one only where most such flags are right among citations as
articles have them. Whatever else is flagged deserves a look, and no more is said of it.
"""

from bot.report.page_report import is_doubtful
from bot.report.wording import percent
from handlers.model import ClaimCheck, ExpectedPrecision, Flag

DOUBTFUL = "Doubtful: not sure enough to be flagged."
FLAGGED = "Flagged"
WORTH_A_LOOK = "Deserves a look"
UNKNOWN = "how often such findings are right was never measured"

_MOSTLY_RIGHT = 0.8  # where one citation in ten fails


def flag_words(check: ClaimCheck) -> str:
    """Return one sentence on the flag of `check`, on its absence, or nothing."""
    if check.flag is not None:
        return _flag_words(check.flag)
    return DOUBTFUL if is_doubtful(check) else ""


def _flag_words(flag: Flag) -> str:
    expected = flag.expected
    is_right = expected is not None and expected.one_in_10 >= _MOSTLY_RIGHT
    return (
        f"{FLAGGED if is_right else WORTH_A_LOOK}:"
        f" {percent(flag.probability)} sure that it is {flag.kind.value};"
        f" {_expected_words(expected) if expected else UNKNOWN}."
    )


def _expected_words(expected: ExpectedPrecision) -> str:
    number = expected.right_in_100
    right = f"about {number} in 100" if number else "fewer than one in ten"
    return (
        f"where one citation in ten fails in this way, {right} findings like this are"
        f" right (measured on {expected.rows:,} rows: {', '.join(expected.sets)})"
    )
