"""How a report becomes one change of its page that touches nothing else. Pure."""

from collections.abc import Sequence

from bot.on_wiki import blocks
from bot.on_wiki.keys import Keys
from bot.planning.stretches import difference, section
from bot.posts import Append, Change, ReplaceStretch
from bot.surfaces.note import Note
from bot.surfaces.report_page import BLOCK, ReportFacts, reported
from handlers.model import Span

_TALK_HEADING = "\n\n== Sidenote report ==\n"


def change_of(
    page: str,
    notes: Sequence[Note],
    facts: ReportFacts,
    keys: Keys,
    own: str | None,
    *,
    in_user_space: bool,
) -> Change | None:
    """Return the change that makes a page show `notes`; `None` if none can.

    Args:
        page: its wikitext, empty where there is no page yet.
        notes: what is open, in their order.
        facts: about the report.
        keys: sign the block and the notes.
        own: the content of the block as we wrote it last, where it is known.
        in_user_space: whether any stretch of the page may be replaced.
    """
    block = blocks.find(page, BLOCK, keys, own=own).block
    begun = page if block or in_user_space else f"{page}{_TALK_HEADING}"
    made = reported(begun, notes, facts, keys, own=own)
    if made.content is None:
        return None
    if block is None:
        # In a line of its own, whatever people have begun the page with meanwhile.
        return Append("\n" + made.text[len(page) :].removeprefix("\n"))
    if in_user_space:
        return _stretch(page, block, made.text)
    now = blocks.find(made.text, BLOCK, keys).block
    whole = Span(now.start, now.end) if now else None
    return section(page, made.text, difference(page, made.text, whole))


def _stretch(page: str, block: blocks.Block, new: str) -> ReplaceStretch:
    """Return the change of the block, told with what is around it if it stands twice.

    Else nothing of what people write next to it meanwhile stands in its way.
    """
    whole = (0, len(page))
    for start, end in ((block.start, block.end), (0, block.end), whole):
        if page.count(page[start:end]) == 1:
            break
    return ReplaceStretch(page[start:end], new[start : len(new) - (len(page) - end)])
