"""The footnotes of a dossier in wikitext, and the links to the passages. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.records.watches import Policy
from bot.report.drafts.views import CiteView, SourceView, linked
from bot.wiki.escaping import (
    NOTHING,
    WikiSafe,
    external_link,
    filled,
    joined,
    text,
    web_address,
)
from handlers.citations.better.template import fill
from handlers.citations.quoting.links import host_of

FILLED_NAME = re.compile(r"\{\{([^|{}]*?[^|{} ]) *+(?:\||\}\})")
_TITLED = " |title="  # without it the template shows nothing but a complaint
_FRAGMENT = re.compile(r"text=[\w.,%-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Setting:
    """What the dossier has to know of the wiki that it is for.

    `refused` are the addresses that the wiki's spam blacklist refuses, of those that
    `addresses` names: they are shown as text, for one of them would cost the page.
    `missing` are names of templates that the wiki lacks, of those that `templates`
    names; what they would show is written out.
    """

    policy: Policy = Policy.POINTER
    wiki: str = ""  # host name; else Wikipedia in the language of the topic
    bot: str = ""  # name of the account
    as_of: datetime | None = None
    refused: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()


class Footnotes:
    """Writes one footnote for each source, and what points at it."""

    def __init__(
        self, sources: Sequence[SourceView], setting: Setting, wiki: str
    ) -> None:
        self._sources = {one.number: one for one in sources}
        self._setting = setting
        self._wiki = wiki

    def cited(self, cite: CiteView) -> WikiSafe:
        """Return the footnote's mark, and a link that opens the very passage."""
        source = self._sources[cite.source]
        return filled(
            '<ref name="$name" />$link', name=_name(source), link=self._passage(cite)
        )

    def named(self, source: SourceView) -> WikiSafe:
        """Return the title of a source with its footnote's mark."""
        return filled(
            '$title<ref name="$name" />',
            title=text(source.title, most=200),
            name=_name(source),
        )

    def _passage(self, cite: CiteView) -> WikiSafe:
        source = self._sources[cite.source]
        address = _linked(cite.href) if self._may_link(source.address) else None
        if address is None:
            return NOTHING
        label = f"page {cite.page}" if cite.page else "passage"
        return WikiSafe(f"<sup>&nbsp;[{address} {label}]</sup>")

    def references(self) -> WikiSafe:
        """Return all sources in one place, so that the text stays readable."""
        if not self._sources:
            return NOTHING
        notes = (
            filled(
                '<ref name="$name">$citation</ref>',
                name=_name(one),
                citation=self._citation(one),
            )
            for one in self._sources.values()
        )
        return filled(
            "== References ==\n<references>\n$all\n</references>",
            all=joined("\n", notes),
        )

    def _citation(self, source: SourceView) -> WikiSafe:
        if not linked(source.reading) & self._setting.refused and source.address:
            template = fill(source.reading, self._wiki)
            name = FILLED_NAME.match(template)
            is_there = name is not None and name[1] not in self._setting.missing
            if is_there and _TITLED in template:
                return WikiSafe(template)  # its values were escaped there
        return self._plain(source)

    def _plain(self, source: SourceView) -> WikiSafe:
        shown = text(source.title, most=300)
        if source.address:
            shown = self.link(source.address, shown)
        told = [shown, text(source.site, most=100), text(source.published, most=30)]
        return joined(". ", [one for one in told if one])

    def link(self, address: str, label: WikiSafe) -> WikiSafe:
        """Return a link, or label and address as text where no link may be."""
        link = external_link(address, label) if self._may_link(address) else None
        return link or filled("$label, $at", label=label, at=text(address, most=300))

    def _may_link(self, address: str | None) -> bool:
        return address is not None and address not in self._setting.refused


def _name(source: SourceView) -> WikiSafe:
    """Name the footnote so that people know it, and no other dossier has the same."""
    host = re.sub(r"[^a-z0-9]+", "-", (host_of(source.address) or "source").lower())
    return WikiSafe(f"{host[:60]}-{source.number}")


def _linked(href: str | None) -> WikiSafe | None:
    """Return the address of a passage as a link may hold it.

    The ":~:" that leads to the words has to stay as it is, and is no signature.
    """
    base, sign, directive = (href or "").partition(":~:")
    address = web_address(base)
    if address is None or not sign:
        return address
    words = directive.replace("~", "%7E").replace("_", "%5F")
    return WikiSafe(f"{address}:~:{words}") if _FRAGMENT.fullmatch(words) else address
