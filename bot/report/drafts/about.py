"""The last section of a dossier in wikitext: how it was made, and what is not in it.

Pure.
"""

from collections.abc import Iterator

from bot.on_wiki.escaping import NOTHING, WikiSafe, filled, joined, text
from bot.report.drafts.citing import Footnotes
from bot.report.drafts.telling import name_of
from bot.report.drafts.views import Dossier, address_of, as_cited
from bot.report.wording import counted
from handlers.model import DraftDocument, LeftOut

ABOUT = "About this dossier"
_MOST_LISTED = 50  # documents that were left out
_FOLDED = """\
<div class="mw-collapsible mw-collapsed">
'''$title'''
<div class="mw-collapsible-content">
$lines
</div></div>"""


class About:
    """Writes the section of one dossier."""

    def __init__(self, shown: Dossier, notes: Footnotes) -> None:
        self._shown = shown
        self._notes = notes

    def part(self) -> WikiSafe:
        """Return the section."""
        parts = [
            filled("== $title ==", title=WikiSafe(ABOUT)),
            joined("\n", self._facts()),
            self._unused(),
            self._left_out(),
        ]
        return joined("\n", [one for one in parts if one])

    def _facts(self) -> Iterator[WikiSafe]:
        draft = self._shown.draft
        yield filled(
            "* Made by $engine; method $method, passages ordered by $reranker.",
            engine=text(f"{draft.engine.name} {draft.engine.version}", most=150),
            method=WikiSafe(draft.method.value.upper()),
            reranker=text(draft.reranker, most=60),
        )
        for trouble in draft.troubles:
            yield filled("* Trouble: $line", line=text(trouble, most=300))

    def _unused(self) -> WikiSafe:
        documents = self._shown.unused
        lines = [self._document(one) for one in documents[:_MOST_LISTED]]
        return _folded(
            f"{counted(len(documents), 'document')} read and not cited",
            lines,
            len(documents),
        )

    def _document(self, one: DraftDocument) -> WikiSafe:
        reading = as_cited(one.reading)
        title = (reading.document.title if reading.document else None) or ""
        address = address_of(reading)
        label = text(title or address or reading.source.key, most=200)
        return self._notes.link(address, label) if address else label

    def _left_out(self) -> WikiSafe:
        left = self._shown.draft.left_out
        lines = [_left(one) for one in left[:_MOST_LISTED]]
        return _folded(f"{len(left)} left out, and why", lines, len(left))


def _left(one: LeftOut) -> WikiSafe:
    detail = f" ({one.detail})" if one.detail else ""
    what, why = text(name_of(one), most=300), text(f"{one.why.value}{detail}")
    return filled("$what: $why", what=what, why=why)


def _folded(title: str, lines: list[WikiSafe], count: int) -> WikiSafe:
    if not lines:
        return NOTHING
    if count > len(lines):
        lines = [*lines, WikiSafe(f"and {count - len(lines)} more")]
    listed = joined("\n", (WikiSafe(f"* {line}") for line in lines))
    return filled(_FOLDED, title=WikiSafe(title), lines=listed)
