"""The maintenance tags that editors of a wiki put behind a citation.

Only what is sure stands here: a wiki whose tag is not known gets none, for a template
that does not exist would show as a red link in the article. Dates are written out,
since MediaWiki does not substitute anything inside `<ref>`. Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from handlers.citations.better import escaping
from handlers.model import Source, SourceForm, TagKind

_ENGLISH = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_ARABIC = (
    "يناير",
    "فبراير",
    "مارس",
    "أبريل",
    "مايو",
    "يونيو",
    "يوليو",
    "أغسطس",
    "سبتمبر",
    "أكتوبر",
    "نوفمبر",
    "ديسمبر",
)


@dataclass(frozen=True, slots=True)
class TagTemplate:
    """A tag of one wiki.

    `date_name` is the parameter that says since when; its value is a month of `months`
    with the year, or the day in ISO form where there are none. With an `address_name`
    the tag repeats the address that it is about, and only stands behind a mere link.
    """

    name: str
    date_name: str
    months: tuple[str, ...] = ()
    address_name: str | None = None

    def wikitext(self, day: date, source: Source | None = None) -> str | None:
        """Return the tag as of `day`; `None` where it does not fit `source`."""
        parts = [self.name]
        if self.address_name is not None:
            is_link = source is not None and source.form is SourceForm.URL
            address = escaping.address(source.url or "") if source and is_link else None
            if address is None:
                return None
            parts.append(f"{self.address_name}={address}")
        since = f"{self.months[day.month - 1]} {day.year}" if self.months else f"{day}"
        return f"{{{{{'|'.join([*parts, f'{self.date_name}={since}'])}}}}}"


WikiTags = Mapping[TagKind, TagTemplate]

_NONE: WikiTags = MappingProxyType({})
_BY_LANGUAGE: Mapping[str, WikiTags] = MappingProxyType(
    {
        "en": {
            TagKind.FAILED_VERIFICATION: TagTemplate(
                "Failed verification", "date", _ENGLISH
            ),
            TagKind.DEAD_LINK: TagTemplate("Dead link", "date", _ENGLISH),
            TagKind.OUTDATED: TagTemplate("Update inline", "date", _ENGLISH),
        },
        "de": {
            TagKind.DEAD_LINK: TagTemplate("Toter Link", "date", address_name="url"),
        },
        "ar": {
            TagKind.DEAD_LINK: TagTemplate("وصلة مكسورة", "تاريخ", _ARABIC),
        },
    }
)
_PROJECT = ".wikipedia.org"


def tags_of_language(language: str) -> WikiTags:
    """Return the tags of the Wikipedia in a language, such as "en"."""
    return _BY_LANGUAGE.get(language, _NONE)


def tags_of(wiki: str) -> WikiTags:
    """Return the tags of a wiki, by its host; none where they are not known."""
    host = wiki.lower().replace(".m.", ".", 1)
    if not host.endswith(_PROJECT):
        return _NONE
    return tags_of_language(host.removesuffix(_PROJECT))
