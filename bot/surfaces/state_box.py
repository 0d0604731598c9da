"""The answer on the page of an opt-in template: what was understood, what is wrong.

It says nothing that changes by itself, such as a date, so that the page is edited
only when the template or the wiki's configuration is. Pure.
"""

from collections.abc import Iterable, Iterator

from bot.records.watches import WatcherKind
from bot.surfaces.opt_in.effective import AskedDraft, Effective
from bot.surfaces.opt_in.scope import Decision
from bot.surfaces.opt_in.values import Fault, spoken_interval
from bot.wiki import blocks
from bot.wiki.escaping import WikiSafe, filled, joined, page_link, text
from bot.wiki.keys import Keys
from bot.wiki.titles import Title

BLOCK = "state"
_SHOWN_TITLES = 10
_SHOWN_FAULTS = 20
_LONGEST = 300
_AGAIN = WikiSafe(
    "\n: To have something drafted again, have its page deleted, or move it, and save this"
    " page."
)
_TABLE = """\
{| class="wikitable" style="font-size:90%"
|+ $caption
$rows
|}"""
_ROW = """\
|-
! scope="row" style="text-align:start" | $name
| $value"""


def answered(
    page: str,
    state: Effective,
    decision: Decision,
    bot: str,
    keys: Keys,
    *,
    own: str | None = None,
) -> blocks.Rewritten:
    """Return the page with its state box as it should be.

    Args:
        page: the wikitext that the template was read from.
        state: what the watcher gets.
        decision: whether the watcher falls under the wiki's configuration at all.
        bot: name of the bot's account.
        keys: sign the box.
        own: `Rewritten.content` of the last time, where it is known.
    """
    body = box(state, decision, bot)
    at = state.watch.answer_at
    return blocks.rewritten(page, BLOCK, body, keys, own=own, at=at)


def withdrawn(page: str, keys: Keys, *, own: str | None = None) -> str:
    """Return the page without its state box, after the template was taken away."""
    return blocks.removed(page, BLOCK, keys, own=own)


def box(state: Effective, decision: Decision, bot: str) -> WikiSafe:
    """Return the state box as wikitext."""
    rows = [filled(_ROW, name=name, value=value) for name, value in _rows(state)]
    rows += _problems(state, decision)
    rows.append(filled(_ROW, name=WikiSafe("Help"), value=_help(bot)))
    caption = _caption(state, decision)
    return filled(_TABLE, caption=caption, rows=joined("\n", rows))


def _caption(state: Effective, decision: Decision) -> WikiSafe:
    watcher = text(state.watch.watcher, most=100)
    if not decision.is_in or not state.is_active:
        return filled(
            "'''Sidenote''' watches nothing for $watcher; see why below",
            watcher=watcher,
        )
    if state.watch.kind is WatcherKind.PAGE:
        return filled("'''Sidenote''' watches $watcher", watcher=watcher)
    if not state.watches_pages:
        count = f"{len(state.drafts)} topic{'' if len(state.drafts) == 1 else 's'}"
        return filled(
            "'''Sidenote''' drafts $count for $watcher",
            count=WikiSafe(count),
            watcher=watcher,
        )
    counts = [
        WikiSafe(f"{len(titles)} {one if len(titles) == 1 else many}")
        for titles, one, many in (
            (state.pages, "page", "pages"),
            (state.categories, "category", "categories"),
        )
        if titles
    ]
    return filled(
        "'''Sidenote''' watches $counts for $watcher",
        counts=joined(" and ", counts),
        watcher=watcher,
    )


def _rows(state: Effective) -> Iterator[tuple[WikiSafe, WikiSafe]]:
    if state.pages:
        yield WikiSafe("pages"), _titles(state.pages)
    if state.categories:
        yield WikiSafe("categories"), _titles(state.categories)
    if state.drafts:
        yield WikiSafe("drafts"), _drafts(state.drafts)
    if state.drafts and not state.watches_pages:
        return  # the rest is about pages that are looked at
    yield WikiSafe("checks"), _words(each.value for each in state.checks)
    yield WikiSafe("surface"), _words(each.value for each in state.surfaces)
    if state.report:
        yield WikiSafe("report"), page_link(state.report.text)
    yield WikiSafe("interval"), text(spoken_interval(state.interval_s))
    yield WikiSafe("max"), text(str(state.most))
    if state.min_confidence is not None:
        yield WikiSafe("min-confidence"), text(f"{state.min_confidence:.0%}")
    if state.languages:
        yield WikiSafe("languages"), _words(state.languages)


def _problems(state: Effective, decision: Decision) -> list[WikiSafe]:
    faults = state.watch.faults
    lines = [
        *(
            text(f"Nothing is done yet: {each}", most=_LONGEST)
            for each in decision.reasons
        ),
        *(_fault(each) for each in faults[:_SHOWN_FAULTS]),
        *(text(str(each), most=_LONGEST) for each in state.limited),
    ]
    if len(faults) > _SHOWN_FAULTS:
        lines.append(WikiSafe(f"and {len(faults) - _SHOWN_FAULTS} more"))
    if not lines:
        return []
    listed = joined("", (WikiSafe(f"\n* {line}") for line in lines))
    return [filled(_ROW, name=WikiSafe("to look at"), value=listed)]


def _fault(fault: Fault) -> WikiSafe:
    told = filled(
        "$problem; $remedy",
        problem=text(fault.problem, most=_LONGEST),
        remedy=text(fault.remedy, most=_LONGEST),
    )
    if not fault.parameter:
        return told
    return filled(
        "'''$name''' = <code>$given</code>: $told",
        name=text(fault.parameter, most=100),
        given=text(fault.given, most=100),
        told=told,
    )


def _help(bot: str) -> WikiSafe:
    page = page_link(f"User:{bot}/watch", WikiSafe("how to write it"))
    return filled("$page; to stop, remove the template", page=page)


def _drafts(drafts: tuple[AskedDraft, ...]) -> WikiSafe:
    lines = [
        filled("\n* $topic: $told", topic=text(each.topic.text), told=_draft(each))
        for each in drafts
    ]
    return joined("", [*lines, _AGAIN])


def _draft(draft: AskedDraft) -> WikiSafe:
    if draft.told:
        return text(draft.told, most=_LONGEST)
    return page_link(draft.page.text, WikiSafe("your draft"))


def _titles(titles: tuple[Title, ...]) -> WikiSafe:
    shown = [page_link(each.text) for each in titles[:_SHOWN_TITLES]]
    if len(titles) > _SHOWN_TITLES:
        shown.append(WikiSafe(f"and {len(titles) - _SHOWN_TITLES} more"))
    return joined("; ", shown)


def _words(words: Iterable[str]) -> WikiSafe:
    return joined(", ", (text(each) for each in words)) or WikiSafe("none")
