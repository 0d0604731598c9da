"""Statements that give their own "as of" date and have become outdated since.

`{{as of|2014}}`, "as of 2014" and "As of May 2014" promise a later update. They are
found here once they are older than the wiki allows in that place: a figure in an
infobox becomes outdated sooner than a sentence. Nothing is claimed about what is true
today; the date is the article's own. Pure.
"""

import re
from calendar import month_name
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from handlers.findings import (
    CurrentPlace,
    Details,
    Facts,
    Finding,
    Suggestion,
    identity_hash,
)
from handlers.model import (
    CheckKind,
    ClaimKind,
    Engine,
    Flag,
    Message,
    Page,
    PageId,
    Statement,
    TagKind,
)
from handlers.page.statements import CurrentStatements, statement_key
from handlers.updates.criteria import is_apparatus
from handlers.updates.subject import date_behind

SETTINGS: Mapping[str, int | tuple[str, ...]] = {
    "templates": ("as of",),
    ClaimKind.SENTENCE.value: 5,
    ClaimKind.LIST_ITEM.value: 5,
    ClaimKind.TABLE_CELL.value: 4,
    ClaimKind.INFOBOX_VALUE.value: 3,
    "most": 25,  # anything older is history
}
"""From how many years on a statement has aged, by where it stands, and the names of the
templates that state the day of one; a wiki's community sets its own."""

_ENGINE = Engine("aged statements", "1")
_AS_OF = re.compile(r"\bas (?:of|at)\b", re.IGNORECASE)
_SURE = 0.9  # that its date is read correctly; what is true today is not looked up
_FIRST_YEAR, _DECEMBER = 1000, 12
_MONTHS = ("", *month_name[1:])


@dataclass(frozen=True, slots=True)
class AgedFinding(Finding):
    """A statement has an "as of" date that is `years` full years back.

    `as_of` is that date as the article writes it.
    """

    kind = "aged"
    asked_as = "updates"

    as_of: str
    years: int
    header: str | None = None  # of the value, if it is in an infobox or a table

    @property
    def facts(self) -> Facts:
        """What a note says about it."""
        given = (self.as_of, self.years)
        return Facts(
            Message("kind-aged", "The figure may be outdated"),
            tag=TagKind.OUTDATED,
            lines=(
                Message("note-aged", "This is as of $1, $2 years ago.", given),
                Message("advice-aged", "Look for a newer figure and cite its source."),
            ),
            certainty=Message(
                "certainty-aged",
                "The date comes from the article; whether it is still true was not checked",
            ),
        )


EXAMPLE = AgedFinding("May 2014", 12)


class _Day(NamedTuple):
    """A day as precisely as it is known; 0 for unknown parts."""

    year: int
    month: int = 0
    day: int = 0

    def __str__(self) -> str:
        parts = (str(self.day or ""), _MONTHS[self.month], str(self.year))
        return " ".join(part for part in parts if part)

    def full_years(self, today: date) -> int:
        """Return the number of full years since the last day that it may mean."""
        last = (self.month or 12, self.day or 28)
        return today.year - self.year - ((today.month, today.day) < last)


def aged_statements(
    page: Page,
    statements: tuple[Statement, ...],
    today: date,
    settings: Mapping[str, int | tuple[str, ...]],
) -> tuple[Suggestion, ...]:
    """Return the outdated "as of" statements of a page, in order."""
    found, before = [], Counter[str]()
    names = settings["templates"]
    template = _template(names) if isinstance(names, tuple) else None
    for one in statements:
        day = _as_of(one, page.wikitext, template)
        if day is not None and not is_apparatus(one.section):
            years = day.full_years(today)
            kind = one.kind.value
            least = kind if kind in settings else ClaimKind.SENTENCE.value
            if _years(least, settings) <= years <= _years("most", settings):
                finding = AgedFinding(str(day), years, one.header)
                found.append(_suggestion(page.id, one, finding, before[one.text]))
        before[one.text] += 1
    return tuple(found)


def _years(name: str, settings: Mapping[str, int | tuple[str, ...]]) -> int:
    value = settings[name]
    return value if isinstance(value, int) else 0


def stands(found: Suggestion, now: CurrentStatements) -> CurrentPlace | None:
    """Return where it is now; `None` if it was changed or marked by people."""
    if not isinstance(found.finding, AgedFinding):
        return None
    return now.unmarked(found, found.finding.header)


def _suggestion(
    page: PageId, one: Statement, finding: AgedFinding, before: int
) -> Suggestion:
    return Suggestion(
        identity=identity_hash(page, finding.kind, statement_key(one)),
        page=page,
        claim=one.text,
        section=one.section,
        source_keys=(),
        finding=finding,
        probability=_SURE,
        quote=None,
        quote_url=None,
        engine=_ENGINE,
        flag=Flag(CheckKind.OUTDATED, _SURE, _SURE),
        place=one.span.start,
        details=Details(
            sentence=one.text,
            occurrence=before,
            cell=(one.header,) if one.header else (),
        ),
    )


def _template(names: tuple[str, ...]) -> re.Pattern[str]:
    listed = "|".join(re.escape(name).replace(r"\ ", "[ _]") for name in names)
    return re.compile(
        rf"\{{\{{\s*(?:{listed})\s*\|([^{{}}]{{1,200}})\}}\}}", re.IGNORECASE
    )


def _as_of(
    one: Statement, wikitext: str, template: re.Pattern[str] | None
) -> _Day | None:
    """Return the day that a template names, else the one after "as of"."""
    named = template.search(one.span.of(wikitext)) if template else None
    if named:
        given = [part.strip() for part in named[1].split("|")]
        parts = [int(part) for part in given if part.isdecimal()][:3]
        if (
            parts
            and parts[0] >= _FIRST_YEAR
            and max(parts[1:2], default=0) <= _DECEMBER
        ):
            return _Day(*parts)
    as_of = date_behind(_AS_OF, one.text)
    return _Day(as_of.year or 0, as_of.month or 0, as_of.day or 0) if as_of else None
