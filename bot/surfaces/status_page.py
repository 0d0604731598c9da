"""The page on which an operator reads how the bot is doing. Pure.

Problems are described in English, as on the operator's other pages; the frame is in the
wiki's language. It contains no text of a page or of a source.
"""

from collections.abc import Iterator, Sequence

from bot.records.heartbeat import KeptAilment
from bot.report.words import moment
from bot.surfaces.messages import SOURCE, Words
from bot.wiki import blocks
from bot.wiki.escaping import WikiSafe, filled, joined, text
from bot.wiki.keys import Keys

BLOCK = "status"
_NAME = WikiSafe("'''Sidenote'''")
_LINE = "* '''$what''' ($since)<br />$remedy"


def status_shown(
    page: str,
    wrong: Sequence[KeptAilment],
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
    body = joined("\n\n", [words.say("status-head", _NAME), _listed(wrong, words)])
    advice = words.say("block-advice")
    return blocks.rewritten(page, BLOCK, body, keys, own=own, advice=advice)


def _listed(wrong: Sequence[KeptAilment], words: Words) -> WikiSafe:
    if not wrong:
        return words.say("status-well")
    return joined("\n", _lines(wrong, words))


def _lines(wrong: Sequence[KeptAilment], words: Words) -> Iterator[WikiSafe]:
    for one in wrong:
        yield filled(
            _LINE,
            what=text(one.ailment.what),
            since=words.say("status-since", text(moment(one.since))),
            remedy=text(one.ailment.remedy),
        )
