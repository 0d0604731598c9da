"""Puts text before every regular expression of the program that makes it look again.

The expressions are collected from the modules themselves, so that no new one is
forgotten. From the parts of each come texts of one part repeated, doubled in length
from one try to the next: where the time of a search quadruples, a page of a few
hundred kilobytes would hold the program up for hours.
"""

import ast
import importlib
import pkgutil
import re
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, is_dataclass
from functools import cache
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]  # what `re` itself is made of
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

import bot
import gadget
import handlers
from tests.hardening.figures import Figures, measured

# These read files of the operator's own, or of nobody.
_TRUSTED = (
    "bot.research.training", "bot.research.evaluation", "bot.store.migrations", "bot.app.cli", "bot.app.doctor",
    "bot.demo.loopback", "bot.app.wiring", "gadget.bundle", "gadget.deployment", "gadget.cli",
)  # fmt: skip
# These read what strangers wrote, although they stand in such a place.
_OF_STRANGERS = (
    "bot.research.evaluation.updates.human_edits", "bot.research.evaluation.review.pairwise",
)  # fmt: skip
# What is only asked about a stretch of so many characters.
BOUNDED = {
    "handlers.drafts.embedded._PARENTHESES": 300,  # a title
    "handlers.review.shape._BRACKETED": 300,  # a title
    "handlers.review.markdown._ENDS": 160,
    "bot.research.evaluation.updates.human_edits._PLAIN": 20_000,
    "handlers.page.scan._CLOSED_COMMENT": 300,  # a template's name
    "bot.wiki.address._MOBILE": 253,  # a host
    "bot.wiki.address._WITHOUT_SCHEME": 500,  # what an operator writes
    "bot.settings.settings._OPTIONS": 500,  # as above
    "bot.settings.settings._PASSWORD": 500,
    "bot.settings.settings._WEB_QUERY": 500,
    "bot.settings.settings._WEB_USER": 500,
}
# Here the code sees to it that what is looked for is there.
GUARDED = {"bot.models.language_model.replies._THINKING"}
_CHARS = 1_500
_LATE_S = 0.1  # of processor time, after which an expression is stopped
_QUICK_S = 0.0015
_ALL_TRIES_S = 0.15  # of one expression
_BOUNDED_S = 0.5  # on the longest stretch that one of `BOUNDED` gets
_SQUARE = 2.7  # twice the text, four times the time; a little less for what is noise
_VARIANTS = 2
_SIGNS = "a1 A.-\n\t,_x<>[]{}|=\"'/:é–"
_CLASSES = {
    codes.CATEGORY_DIGIT: r"\d",
    codes.CATEGORY_NOT_DIGIT: r"\D",
    codes.CATEGORY_SPACE: r"\s",
    codes.CATEGORY_NOT_SPACE: r"\S",
    codes.CATEGORY_WORD: r"\w",
    codes.CATEGORY_NOT_WORD: r"\W",
}
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_MANY = 20  # repetitions that are worth being driven
_WAYS = ("match", "fullmatch", "search")  # each costs more than the one before
_SEARCHING = {"search", "sub", "subn", "split", "findall", "finditer"}
_METHODS = {*_WAYS, *_SEARCHING}

Expression = re.Pattern[Any]


@dataclass(frozen=True, slots=True)
class Found:
    """An expression, where it stands, and the way it is asked that costs it most."""

    where: str
    expression: Expression
    asked: str = "search"  # at each place of a text; or "match", or "fullmatch"


@dataclass(frozen=True, slots=True)
class Slow:
    """A text that an expression is slow on: `before`, then `unit` again and again."""

    where: str
    before: str
    unit: str
    behind: str
    took_s: float

    def text(self, chars: int) -> str:
        return self.before + self.unit * (chars // len(self.unit)) + self.behind


# --- which there are --------------------------------------------------------------


def collect() -> list[Found]:
    """Return every expression that stands in a module of the program."""
    used = _methods()
    found: dict[tuple[Any, int], Found] = {}
    for module in _modules():
        for name, value in vars(module).items():
            for expression in _expressions(value):
                methods = used.get(_key(module.__name__, name), _METHODS)
                one = Found(
                    f"{module.__name__}.{name}", expression, _costliest(methods)
                )
                key = (expression.pattern, expression.flags)
                known = found.get(key, one)
                costs_more = _WAYS.index(one.asked) > _WAYS.index(known.asked)
                found[key] = one if costs_more else known
    return [*found.values(), *_written_in_place()]


def _costliest(methods: set[str]) -> str:
    if methods & _SEARCHING:
        return "search"
    return "fullmatch" if "fullmatch" in methods else "match"


def _written_in_place() -> Iterator[Found]:
    """Yield what is asked as in `re.sub(r"...", ...)`."""
    for module, tree in _trees():
        for node in ast.walk(tree):
            if not (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            ):
                continue
            called = node.func
            is_re = isinstance(called.value, ast.Name) and called.value.id == "re"
            first = node.args[0] if node.args else None
            if is_re and called.attr in _METHODS and isinstance(first, ast.Constant):
                where = f"{module}:{node.lineno}"
                expression = re.compile(str(first.value))
                yield Found(where, expression, _costliest({called.attr}))


def _modules() -> Iterator[ModuleType]:
    for package in (handlers, bot, gadget):
        for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not _is_trusted(one.name) and "__main__" not in one.name:
                yield importlib.import_module(one.name)


def _is_trusted(module: str) -> bool:
    return module.startswith(_TRUSTED) and not module.startswith(_OF_STRANGERS)


def _expressions(value: object, depth: int = 4) -> Iterator[Expression]:
    if isinstance(value, re.Pattern):
        yield value
        return
    for inner in _inside(value) if depth else ():
        yield from _expressions(inner, depth - 1)


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, (tuple, list, set, frozenset)):
        return value
    if isinstance(value, dict):
        return (*value, *value.values())
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, name, None) for name in value.__dataclass_fields__]
    return ()


def _methods() -> dict[tuple[str, str], set[str]]:
    """Return how expressions are asked, such as `("", "WORD"): {"match"}`.

    A name with an underscore before it is known in its own module alone.
    """
    used: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    uses: Counter[tuple[str, str]] = Counter()
    named: Counter[tuple[str, str]] = Counter()
    for module, tree in _trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in _METHODS:
                key = _key(module, getattr(node.value, "id", ""))
                used[key].add(node.attr)
                uses[key] += 1
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                named[_key(module, node.id)] += 1
    # One that is handed on under another name may be asked in any way.
    return {key: ways for key, ways in used.items() if named[key] == uses[key]}


@cache
def _trees() -> list[tuple[str, ast.Module]]:
    trees = []
    for package in (handlers, bot, gadget):
        root = Path(str(package.__file__)).parent
        for file in root.rglob("*.py"):
            parts = file.relative_to(root.parent).with_suffix("").parts
            name = ".".join(parts).removesuffix(".__init__")
            if not _is_trusted(name):
                trees.append((name, ast.parse(file.read_text("utf-8"))))
    return trees


def _key(module: str, name: str) -> tuple[str, str]:
    return (module if name.startswith("_") else "", name)


# --- texts for one ----------------------------------------------------------------


def _texts(expression: Expression) -> Iterator[tuple[str, str, str]]:
    source = expression.pattern
    flags = expression.flags & ~re.DEBUG
    tree = parser.parse(source, flags)
    seen = set()
    for variant in range(_VARIANTS):
        driven: list[tuple[str, str]] = []
        whole = _sample(tree, driven, "", variant)
        texts = [("", whole, "")]
        for before, unit in dict.fromkeys(driven):
            texts += [(before, unit, end) for end in ("", "\x00", "!")]
            texts += [("", before + unit, "\x00"), ("", unit, "\x00"), ("", before, "")]
        for text in texts:
            if text[1] and text not in seen:
                seen.add(text)
                yield text


def _sample(
    tree: Iterable[Any], driven: list[tuple[str, str]], before: str, variant: int
) -> str:
    """Return a text that `tree` matches, and note what it can repeat."""
    text = ""
    for code, detail in tree:
        text += _piece(code, detail, driven, before + text, variant)
    return text


def _piece(
    code: Any, detail: Any, driven: list[tuple[str, str]], before: str, variant: int
) -> str:
    if code is codes.LITERAL:
        return chr(detail)
    if code is codes.NOT_LITERAL:
        return "b" if detail == ord("a") else "a"
    if code is codes.ANY:
        return "a"
    if code is codes.IN:
        signs = _members(detail)
        return signs[variant % len(signs)]
    if code in _REPEATS:
        return _repeated(detail, driven, before, variant)
    return _group(code, detail, driven, before, variant)


def _repeated(
    detail: Any, driven: list[tuple[str, str]], before: str, variant: int
) -> str:
    fewest, most, inner = detail
    unit = _sample(inner, driven, before, variant)
    if most is codes.MAXREPEAT or most >= _MANY:
        driven.append((before, unit))
    return unit * int(fewest)


def _group(
    code: Any, detail: Any, driven: list[tuple[str, str]], before: str, variant: int
) -> str:
    if code is codes.SUBPATTERN:
        return _sample(detail[-1], driven, before, variant)
    if code is codes.ATOMIC_GROUP:
        return _sample(detail, driven, before, variant)
    if code is codes.BRANCH:
        ways = [_sample(one, driven, before, variant) for one in detail[1]]
        return str(ways[variant % len(ways)])
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        _sample(detail[1], driven, before, variant)
    return ""


def _members(items: list[tuple[Any, Any]]) -> str:
    """Return signs that a class such as `[a-z_]` takes."""
    negated = any(code is codes.NEGATE for code, _ in items)
    fitting = [sign for sign in _SIGNS if _is_in(sign, items) != negated]
    if not fitting:
        literal = [chr(detail) for code, detail in items if code is codes.LITERAL]
        ranges = [chr(detail[0]) for code, detail in items if code is codes.RANGE]
        fitting = literal + ranges
    return "".join(fitting) or "a"


def _is_in(sign: str, items: list[tuple[Any, Any]]) -> bool:
    for code, detail in items:
        if code is codes.LITERAL and ord(sign) == detail:
            return True
        if code is codes.RANGE and detail[0] <= ord(sign) <= detail[1]:
            return True
        if code is codes.CATEGORY and re.match(_CLASSES.get(detail, r"(?!)"), sign):
            return True
    return False


# --- how long one takes -----------------------------------------------------------


class _LateError(Exception):
    """The expression was stopped."""


@contextmanager
def _stopping() -> Iterator[None]:
    def late(*_: object) -> None:
        raise _LateError

    before = signal.signal(signal.SIGVTALRM, late)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _took_s(
    ask: Callable[[Any], object], text: str, as_bytes: bool, late_s: float = _LATE_S
) -> float:
    given = text.encode("utf-8", "replace") if as_bytes else text
    began_s = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, late_s)
    try:
        try:
            ask(given)
        finally:  # an expression that ends as the time does is stopped only here
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except _LateError:
        return late_s
    return time.process_time() - began_s


def _asking(one: Found) -> Callable[[Any], object]:
    if one.asked == "match":
        return one.expression.match
    if one.asked == "fullmatch":
        return one.expression.fullmatch
    return lambda text: sum(1 for _ in one.expression.finditer(text))


def slow_text(one: Found) -> Slow | None:
    """Return the text on which the time grows with the square of the length."""
    ask, as_bytes = _asking(one), isinstance(one.expression.pattern, bytes)
    worst: Slow | None = None
    began_s = time.process_time()
    for before, unit, behind in _texts(one.expression):
        tried = Slow(one.where, before, unit, behind, 0.0)
        once_s = _took_s(ask, tried.text(_CHARS), as_bytes)
        if once_s < _QUICK_S:
            continue
        twice_s = min(_took_s(ask, tried.text(2 * _CHARS), as_bytes) for _ in range(2))
        if twice_s < min(_SQUARE * once_s, _LATE_S):
            continue
        often_s = _took_s(ask, tried.text(4 * _CHARS), as_bytes)
        grows = often_s >= min(_SQUARE * twice_s, _LATE_S)  # a second look, for noise
        if grows and (worst is None or twice_s > worst.took_s):
            worst = Slow(one.where, before, unit, behind, twice_s)
        if time.process_time() - began_s > _ALL_TRIES_S:
            break
    return worst


def took_s(one: Found, slow: Slow, chars: int) -> float:
    """Return the processor time on `chars` of the worst text."""
    with _stopping():
        as_bytes = isinstance(one.expression.pattern, bytes)
        return _took_s(_asking(one), slow.text(chars), as_bytes, 2 * _BOUNDED_S)


def slow_expressions(found: Iterable[Found]) -> list[tuple[Found, Slow]]:
    """Return those of `found` that some text makes slow, with that text."""
    with _stopping():
        # Twice, for a busy machine makes now one and now another look slow.
        tried = [(one, slow_text(one) and slow_text(one)) for one in found]
    return [(one, slow) for one, slow in tried if slow is not None]


def try_expressions(found: list[Found]) -> Figures:
    """Put doubling texts before each of `found`."""
    with measured("35", "regular expressions on doubling texts") as figures:
        figures.tried = len(found)
        for one, slow in slow_expressions(found):
            if one.where in GUARDED:
                continue
            chars = BOUNDED.get(one.where)
            if chars is None or took_s(one, slow, chars) > _BOUNDED_S:
                figures.fault(f"{one.where}: {slow.before!r} + {slow.unit!r} * n")
    return figures
