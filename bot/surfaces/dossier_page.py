"""A dossier as wikitext: valid on any wiki, and no markup of a document takes effect.

It has the form of an article, so that an editor can copy sentences with their
footnotes, and says at its top that it is not one. Words from outside go through
`bot.wiki.escaping`. Pure.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from bot.records.watches import Policy
from bot.report.dossiers import (
    CiteView,
    Dossier,
    FetchView,
    SentenceView,
    SourceView,
    address_of,
    as_cited,
    dossier_view,
    inner,
    linked,
    name_of,
)
from bot.report.words import moment
from bot.surfaces.messages import LANGUAGES, SOURCE, Words, message
from bot.wiki.escaping import (
    NOTHING,
    WikiSafe,
    external_link,
    filled,
    joined,
    page_link,
    text,
    web_address,
)
from handlers.citations.quote_links import host_of
from handlers.drafts.embedded import Kind
from handlers.model import Draft, DraftDocument, Left, LeftOut, Message
from handlers.sources.templates import fill

T = TypeVar("T")

FILLED_NAME = re.compile(r"\{\{([^|{}]*?[^|{} ]) *+(?:\||\}\})")
# Without it the template shows nothing but an error message.
_TITLED = re.compile(r" \|(?:title|titel|Titel|titre|título|عنوان)=")
_FRAGMENT = re.compile(r"text=[\w.,%-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Setting:
    """What the dossier has to know about the wiki that it is for.

    `refused` are those of `addresses` that the wiki's spam blacklist refuses: they are
    shown as text, because the wiki would reject the whole page for one of them.
    `missing` are those of `templates` that the wiki lacks; what they would show is
    written out.
    """

    policy: Policy = Policy.POINTER
    wiki: str = ""  # host name; if empty, Wikipedia in the language of the topic
    bot: str = ""  # name of the account
    as_of: datetime | None = None
    refused: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()


class Footnotes:
    """Writes one footnote for each source, and what points at it."""

    def __init__(
        self,
        sources: Sequence[SourceView],
        setting: Setting,
        wiki: str,
        words: Words,
    ) -> None:
        self._sources = {one.number: one for one in sources}
        self._setting = setting
        self._wiki = wiki
        self._words = words

    def cited(self, cite: CiteView) -> WikiSafe:
        """Return the footnote's mark, and a link that opens the passage itself."""
        source = self._sources[cite.source]
        return filled(
            '<ref name="$name" />$link', name=_name(source), link=self._passage(cite)
        )

    def named(self, source: SourceView) -> WikiSafe:
        """Return the title of a source with its footnote's mark."""
        return filled(
            '$title<ref name="$name" />',
            title=self._words.isolated(text(source.title, most=200)),
            name=_name(source),
        )

    def _passage(self, cite: CiteView) -> WikiSafe:
        source = self._sources[cite.source]
        address = _linked(cite.href) if self._may_link(source.address) else None
        if address is None:
            return NOTHING
        say = self._words.say
        label = say("quote-page", cite.page) if cite.page else say("dossier-passage")
        return WikiSafe(f"<sup>&nbsp;[{address} {label}]</sup>")

    def citation(self, source: SourceView) -> WikiSafe:
        """Return a source as a filled template, or written out."""
        if not linked(source.fetch) & self._setting.refused and source.address:
            template = fill(source.fetch, self._wiki)
            name = FILLED_NAME.match(template)
            is_there = name is not None and name[1] not in self._setting.missing
            if is_there and _TITLED.search(template):
                return WikiSafe(template)  # its values were escaped there
        return self._plain(source)

    def _plain(self, source: SourceView) -> WikiSafe:
        shown = text(source.title, most=300)
        if source.address:
            shown = self.link(source.address, shown)
        lines = [shown, text(source.site, most=100), text(source.published, most=30)]
        return joined(". ", [one for one in lines if one])

    def link(self, address: str, label: WikiSafe) -> WikiSafe:
        """Return a link, or label and address as text if no link is allowed."""
        link = external_link(address, label) if self._may_link(address) else None
        return link or filled("$label, $at", label=label, at=text(address, most=300))

    def _may_link(self, address: str | None) -> bool:
        return address is not None and address not in self._setting.refused


def _name(source: SourceView) -> WikiSafe:
    """Name the footnote readably, with a name that no other dossier uses."""
    host = re.sub(r"[^a-z0-9]+", "-", (host_of(source.address) or "source").lower())
    return WikiSafe(f"{host[:60]}-{source.number}")


def _linked(href: str | None) -> WikiSafe | None:
    """Return the address of a passage in a form that a link can hold.

    The ":~:" that leads to the words must stay as it is; it is not a signature.
    """
    base, sign, directive = (href or "").partition(":~:")
    address = web_address(base)
    if address is None or not sign:
        return address
    words = directive.replace("~", "%7E").replace("_", "%5F")
    return WikiSafe(f"{address}:~:{words}") if _FRAGMENT.fullmatch(words) else address


_MOST_LISTED = 50  # documents that were left out
_WORDS_CHARS = 2_000  # of a sentence


def dossier(draft: Draft, setting: Setting | None = None) -> WikiSafe:
    """Return the page as wikitext, for a person's own space and never an article."""
    setting = setting or Setting()
    return _Writing(dossier_view(draft, setting.policy), setting).page()


def addresses(draft: Draft) -> frozenset[str]:
    """Return all addresses that the page would link, for the spam blacklist."""
    return frozenset(each for one in draft.documents for each in linked(one.fetch))


def templates(draft: Draft, setting: Setting | None = None) -> frozenset[str]:
    """Return the names of the templates that the page would use, without "Template:"."""
    written = dossier(draft, setting)
    return frozenset(found[1].strip() for found in FILLED_NAME.finditer(written))


def headings_in(language: str) -> dict[Kind, str]:
    """Return the headings of quotations in a language, by default in English."""
    say = _words_in(language).say
    return {
        Kind.DATED: say("dossier-dated"),
        Kind.FIGURES: say("dossier-figures"),
        Kind.SAID: say("dossier-said"),
        Kind.OTHER: say("dossier-other"),
    }


def why_left(why: Left) -> Message:
    """Return the words for why something is not in a draft."""
    return message(f"dossier-left-{why.name.lower().replace('_', '-')}")


def _words_in(language: str) -> Words:
    code = language.partition("-")[0].lower()
    return Words(code if code in LANGUAGES else SOURCE)


class _Writing:
    """Writes one page."""

    def __init__(self, shown: Dossier, setting: Setting) -> None:
        self._shown = shown
        self._draft = shown.draft
        self._setting = setting
        self._language = self._draft.topic.language
        self._wiki = setting.wiki or f"{self._language}.wikipedia.org"
        self._words = _words_in(self._language)
        self._notes = Footnotes(shown.sources, setting, self._wiki, self._words)

    def page(self) -> WikiSafe:
        unused, left = self._shown.unused, self._draft.left_out
        # What no source supports, of a person perhaps, is counted and not published.
        named = [one for one in left if one.why is not Left.NOT_SUPPORTED]
        unnamed = len(left) - len(named)
        return self._words.fill(
            "dossier.wiki",
            shown=self._shown,
            draft=self._draft,
            notes=self._notes,
            is_running_text=self._setting.policy is Policy.WORDING,
            by=self._by(),
            what=self._what(),
            listed=(
                ("dossier-unused", len(unused), self._some(self._document, unused)),
                ("dossier-left", len(left), self._some(self._left, named, unnamed)),
            ),
            cut=text,
            link_to=self._link_to,
            more=self._more,
            name_of=_name,
            quoted=self._quoted,
            sentence=self._sentence,
        )

    def _by(self) -> WikiSafe:
        by = WikiSafe("Sidenote")
        if self._setting.bot:
            by = page_link(f"User:{self._setting.bot}", by)
        if self._setting.as_of:
            when = WikiSafe(moment(self._setting.as_of))
            by = filled("$by ($when)", by=by, when=when)
        return by

    def _what(self) -> str:
        if not self._shown.has_model_words:
            return "dossier-quoted"
        is_facts = self._shown.policy is Policy.FACTS
        return "dossier-facts" if is_facts else "dossier-worded"

    def _link_to(self, heading: str) -> WikiSafe:
        return filled("[[#$title|$title]]", title=self._words.say(heading))

    def _sentence(self, one: SentenceView) -> WikiSafe:
        return filled(
            "$words$cites",
            words=self._quoted(one.words) if one.is_quote else _words(one.words),
            cites=joined("", (self._notes.cited(each) for each in _by_source(one))),
        )

    def _more(self, one: FetchView) -> WikiSafe:
        about = text("; ".join(one.about), most=250)
        more = (
            self._words.say("dossier-more", one.sentences)
            if one.sentences
            else self._words.say("dossier-unquotable")
        )
        return filled("$more ($about)", more=more, about=about) if about else more

    def _quoted(self, words: str) -> WikiSafe:
        return self._words.say("dossier-quote", _words(inner(words)))

    def _document(self, one: DraftDocument) -> WikiSafe:
        fetch = as_cited(one.fetch)
        title = (fetch.document.title if fetch.document else None) or ""
        address = address_of(fetch)
        label = text(title or address or fetch.source.key, most=200)
        return self._notes.link(address, label) if address else label

    def _left(self, one: LeftOut) -> WikiSafe:
        why = self._words.of(why_left(one.why))
        detail = filled(" ($words)", words=text(one.detail)) if one.detail else NOTHING
        what = text(name_of(one), most=300)
        return filled("$what: $why$detail", what=what, why=why, detail=detail)

    def _some(
        self, shown: Callable[[T], WikiSafe], of: Sequence[T], unsupported: int = 0
    ) -> list[WikiSafe]:
        lines = [shown(one) for one in of[:_MOST_LISTED]]
        if unsupported:
            lines.append(self._words.say("dossier-left-unsupported", unsupported))
        if len(of) > _MOST_LISTED:
            lines.append(self._words.say("notes-more", len(of) - _MOST_LISTED))
        return lines


def _by_source(one: SentenceView) -> tuple[CiteView, ...]:
    """Return its citations, one for each source."""
    return tuple({each.source: each for each in reversed(one.cites)}.values())[::-1]


def _words(words: str) -> WikiSafe:
    return text(words, most=_WORDS_CHARS)
