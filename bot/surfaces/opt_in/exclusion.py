"""Whether a page refuses this bot: `{{bots}}`, `{{nobots}}`, `optout=`, `{{in use}}`.

Every form in Pywikibot's own tests means the same here. If a form is unclear, or if
several parameters disagree, the page refuses. Pure.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bot.wiki.template_calls import MOST_CALLS, Argument, Call, find_calls

PROGRAM = "sidenote"
"""What pages can call the program in `{{bots|denyscript=…}}`."""

MESSAGE_TYPES = frozenset({"all", "suggestions", "sidenote"})
"""What a page can name in `{{bots|optout=…}}` to get no posts of ours."""

_BOTS, _NOBOTS = "bots", "nobots"
_IN_USE = frozenset({"in use", "inuse"})  # keep all bots away for a while
_TEMPLATES = _IN_USE | {_BOTS, _NOBOTS}
_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Whether a page lets this bot write, and if not, what forbids it."""

    reason: str = ""

    @property
    def may_write(self) -> bool:
        """Whether nothing on the page refuses this bot."""
        return not self.reason


def exclusion(text: str, bot: str, *, task: str = "") -> Exclusion:
    """Return whether the page with this wikitext refuses the bot.

    Ask this of the talk page and of the article, each time before writing.

    Args:
        text: the whole page, as it is now.
        bot: name of the account.
        task: another name that `{{bots|denyscript=…}}` can use.
    """
    calls = find_calls(text, _TEMPLATES.__contains__)
    if len(calls) >= MOST_CALLS:
        return Exclusion("it has too many exclusion templates")
    rules = _Rules(_folded(bot), _folded(task))
    for call in calls:
        refused = call.name in _IN_USE or rules.refuses(call)
        if refused:
            end = min(call.end, call.start + _SHOWN)
            cut = "…" if end < call.end else ""
            return Exclusion(f"the page says {text[call.start : end]}{cut}")
    return Exclusion()


@dataclass(frozen=True, slots=True)
class _Rules:
    bot: str
    task: str

    def refuses(self, call: Call) -> bool:
        if call.name == _NOBOTS:
            return self._nobots(call)
        return any(self._bots(argument) for argument in call.arguments)

    def _nobots(self, call: Call) -> bool:
        if not call.arguments:
            return True
        first = call.arguments[0]  # as in Pywikibot, any further ones are ignored
        if first.name is not None or not first.raw:
            return True  # an unknown form: better not write
        return self._names_me(first) or self._is_listed(first, {self.task})

    def _bots(self, argument: Argument) -> bool:
        refuses = self._refusals().get(argument.name or "")
        return bool(argument.raw and refuses and refuses(argument))

    def _refusals(self) -> dict[str, Callable[[Argument], bool]]:
        return {
            "deny": self._names_me,
            "allow": lambda allowed: not self._is_listed(allowed, {"all", self.bot}),
            "denyscript": self._names_task,
            "allowscript": lambda allowed: not self._names_task(allowed),
            "optout": lambda types: self._is_listed(types, MESSAGE_TYPES),
        }

    def _names_me(self, argument: Argument) -> bool:
        return self._is_listed(argument, {"all", self.bot}) or _is_unclear(argument)

    def _names_task(self, argument: Argument) -> bool:
        return self._is_listed(argument, {"all", self.task})

    def _is_listed(self, argument: Argument, wanted: Iterable[str]) -> bool:
        names = {_folded(name) for name in argument.text.split(",")}
        return bool((names - {""}) & set(wanted))


def _is_unclear(argument: Argument) -> bool:
    return "{{" in argument.raw


def _folded(name: str) -> str:
    return " ".join(name.replace("_", " ").split()).casefold()
