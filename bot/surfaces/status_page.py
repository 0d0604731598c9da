"""The page on which an operator reads how the bot is doing. Pure.

Problems are described in English, as on the operator's other pages; the frame is in the
wiki's language. It contains no text of a page or of a source.
"""

from collections.abc import Sequence

from bot.records.heartbeat import Incident
from bot.report.words import moment
from bot.surfaces.messages import SOURCE, Words
from bot.wiki import blocks
from bot.wiki.escaping import WikiSafe
from bot.wiki.keys import Keys

BLOCK = "status"
_NAME = WikiSafe("'''Sidenote'''")


def status_shown(
    page: str,
    wrong: Sequence[Incident],
    keys: Keys,
    *,
    own: str | None = None,
    language: str = SOURCE,
) -> blocks.Rewritten:
    """Return the page with what is wrong in its block, and nothing else changed.

    Args:
        page: its wikitext, empty if there is no page yet.
        wrong: what is wrong, oldest first.
        keys: sign the block.
        own: `Rewritten.content` of the last time, if known.
        language: of the wiki.
    """
    words = Words(language)
    body = words.fill("status.wiki", name=_NAME, wrong=wrong, moment=moment)
    advice = words.say("block-advice")
    return blocks.rewritten(page, BLOCK, body, keys, own=own, advice=advice)
