"""The page that shows a community how often notes are right, and what they cost. Pure.

It shows costs only for days that are over, and no line says when it was written. So the
page is edited only when there is something new, and its history shows when.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import partial
from itertools import groupby, pairwise

from bot.records.accuracy import AccuracyDay, Pause, PauseReason
from bot.surfaces.messages import SOURCE, Words
from bot.wiki import blocks
from bot.wiki.escaping import WikiSafe, external_link, page_link, text
from bot.wiki.keys import Keys
from handlers.model import CheckKind

BLOCK = "accuracy"
_MONTHS = 3
_CHANGES = 20
_NAME = WikiSafe("'''Sidenote'''")
_KINDS = {
    CheckKind.CONTRADICTED: "kind-contradicted",
    CheckKind.NOT_SUPPORTED: "kind-not-supported",
    CheckKind.NOT_FULLY_SUPPORTED: "kind-partially-supported",
    CheckKind.OUTDATED: "kind-update",
    CheckKind.NEW_FACT: "kind-new-fact",
    CheckKind.WRITING: "kind-writing",
}


def accuracy_page(bot: str) -> str:
    """Return the title of the page."""
    return f"User:{bot}/Accuracy"


def accuracy_text(
    days: Sequence[AccuracyDay], data: str = "", language: str = SOURCE
) -> WikiSafe:
    """Return the text of the page.

    Args:
        days: of one wiki, the newest first, at least one.
        data: the address of the same figures by day; empty if there is none.
        language: of the wiki.
    """
    words, today = Words(language), days[0]
    return words.fill(
        "accuracy.wiki",
        name=_NAME,
        link=external_link(data, WikiSafe("JSON")),
        day=today,
        kind_name=lambda name: _kind_name(name, words),
        cut=partial(text, most=100),
        percent=_percent,
        pauses=_pauses(today, words),
        costs=_costs(days[1:], words),
        changes=list(_changes(days, words))[:_CHANGES],
    )


def accuracy_shown(
    page: str,
    days: Sequence[AccuracyDay],
    keys: Keys,
    *,
    own: str | None = None,
    data: str = "",
    language: str = SOURCE,
) -> blocks.Rewritten:
    """Return the page with the figures in its block, and nothing else changed.

    Args:
        page: its wikitext, empty if there is no page yet.
        days: as for `accuracy_text`.
        keys: sign the block.
        own: `Rewritten.content` of the last time, if known.
        data: as for `accuracy_text`.
        language: of the wiki.
    """
    body, advice = (
        accuracy_text(days, data, language),
        Words(language).say("block-advice"),
    )
    return blocks.rewritten(page, BLOCK, body, keys, own=own, advice=advice)


def _percent(share: float) -> WikiSafe:
    return WikiSafe(f"{share:.0%}")


def _kind_name(name: str, words: Words) -> WikiSafe:
    known = CheckKind.__members__.get(name)
    return words.say(_KINDS[known]) if known else text(name)


def _pauses(day: AccuracyDay, words: Words) -> list[WikiSafe]:
    if not day.pauses:
        return [words.say("accuracy-nothing-paused")]
    return [_pause(one, day, words) for one in day.pauses]


def _pause(pause: Pause, day: AccuracyDay, words: Words) -> WikiSafe:
    if pause.why is PauseReason.BUDGET:
        return words.say("accuracy-paused-budget")
    if pause.why is PauseReason.STOP_PAGE:
        return words.say("accuracy-paused-stop", page_link(pause.what))
    found = [one for one in day.kinds if one.is_paused and one.kind == pause.what]
    right, decided = (
        sum(getattr(one, name) for one in found) for name in ("right", "decided")
    )
    name, bar = _kind_name(pause.what, words), _percent(day.bar)
    return words.say("accuracy-paused-precision", name, right, decided, bar)


def _costs(days: Sequence[AccuracyDay], words: Words) -> list[WikiSafe]:
    """Return a line for each of the last months, counting only days that are over."""
    lines = []
    for month, some in groupby(days, lambda day: f"{day.day:%Y-%m}"):
        costs = [day.costs for day in some]
        money = sum((Decimal(one.money) for one in costs), Decimal(0))
        names = ("checks", "claims", "model_calls", "model_tokens")
        counts = [sum(getattr(one, name) for one in costs) for name in names]
        if not any(counts):
            continue
        spent = WikiSafe(f"{money:.2f}")
        lines.append(words.say("accuracy-month", WikiSafe(month), *counts, spent))
    return lines[:_MONTHS]


def _changes(days: Sequence[AccuracyDay], words: Words) -> Iterator[WikiSafe]:
    """Yield what differs from the day before, the newest first."""
    for new, old in pairwise(days):
        lines: list[WikiSafe] = []
        if new.version != old.version:
            lines.append(words.say("accuracy-changed-version", text(new.version)))
        fresh = {one.engine for one in new.kinds} - {one.engine for one in old.kinds}
        if fresh and old.kinds:
            named = text(", ".join(sorted(fresh)), most=200)
            lines.append(words.say("accuracy-changed-engine", named))
        if new.configuration != old.configuration:
            at = new.configuration
            link = WikiSafe(f"[[Special:PermanentLink/{at}|{at}]]")
            lines.append(words.say("accuracy-changed-configuration", link))
        for key, some, others in (
            ("accuracy-changed-paused", new, old),
            ("accuracy-changed-resumed", old, new),
        ):
            for pause in some.pauses:
                if pause not in others.pauses:
                    what = _paused_name(pause, words)
                    lines.append(words.say(key, what))
        day = WikiSafe(new.day.isoformat())
        yield from (WikiSafe(f"{day}: {line}") for line in lines)


def _paused_name(pause: Pause, words: Words) -> WikiSafe:
    if pause.why is PauseReason.PRECISION:
        return _kind_name(pause.what, words)
    if pause.why is PauseReason.STOP_PAGE:
        return page_link(pause.what)
    return words.say("accuracy-language-model")
