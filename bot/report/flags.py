"""Says in words why a claim is put before people, or why not. Pure."""

from bot.report.page_report import is_doubtful
from bot.report.wording import percent
from handlers.model import ClaimCheck, Flag

DOUBTFUL = "Doubtful: not sure enough to be flagged."


def flag_words(check: ClaimCheck) -> str:
    """Return one sentence on the flag of `check`, on its absence, or nothing."""
    if check.flag is not None:
        return _flag_words(check.flag)
    return DOUBTFUL if is_doubtful(check) else ""


def _flag_words(flag: Flag) -> str:
    words = f"Flagged: {percent(flag.probability)} sure that it is {flag.kind.value}"
    if flag.precision is None:
        return f"{words}."
    return f"{words}; {percent(flag.precision)} of such flags were right when measured."
