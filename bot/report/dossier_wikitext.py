"""A dossier as wikitext: valid on any wiki, and no markup of a document takes effect.

It has the form of an article, so that an editor can copy sentences with their
footnotes, and says at its top that it is not one. Words from outside go through
`bot.wiki.escaping`. Pure.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.records.watches import Policy
from bot.report.dossiers import (
    CiteView,
    Dossier,
    ReadingView,
    SectionView,
    SentenceView,
    SourceView,
    address_of,
    as_cited,
    dossier_view,
    inner,
    linked,
    made_of,
    name_of,
    what_it_is,
)
from bot.report.words import counted, moment
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
from handlers.citations.templates import fill
from handlers.model import Draft, DraftDocument, LeftOut

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
        self, sources: Sequence[SourceView], setting: Setting, wiki: str
    ) -> None:
        self._sources = {one.number: one for one in sources}
        self._setting = setting
        self._wiki = wiki

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


# The last section of a dossier in wikitext: how it was made, and what was left out.
# Pure.

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


_WORDS_CHARS = 2_000  # of a sentence

_HEAD = """\
__NOINDEX__
<div class="plainlinks" style="border:1px solid #a2a9b1; background:#f8f9fa; \
color:#202122; padding:0.5em 1em; margin-bottom:1em">
'''A dossier on $title to write an article from. It is not an article, and must not \
be moved into article space.'''

A program$by put it together$when: $made. $what Programs err, and sources do: read the \
source of a sentence before you use it; the link behind a footnote opens the very passage, \
where the source is on the web. What was left out and why stands [[#$about|below]].$disagree
</div>"""
_DISAGREE = "Where the sources disagree"


def dossier(draft: Draft, setting: Setting | None = None) -> WikiSafe:
    """Return the page as wikitext, for a person's own space and never an article."""
    setting = setting or Setting()
    return _Writing(dossier_view(draft, setting.policy), setting).page()


def addresses(draft: Draft) -> frozenset[str]:
    """Return all addresses that the page would link, for the spam blacklist."""
    return frozenset(each for one in draft.documents for each in linked(one.reading))


def templates(draft: Draft, setting: Setting | None = None) -> frozenset[str]:
    """Return the names of the templates that the page would use, without "Template:"."""
    written = dossier(draft, setting)
    return frozenset(found[1].strip() for found in FILLED_NAME.finditer(written))


class _Writing:
    """Writes one page."""

    def __init__(self, shown: Dossier, setting: Setting) -> None:
        self._shown = shown
        self._draft = shown.draft
        self._setting = setting
        self._language = self._draft.topic.language
        self._wiki = setting.wiki or f"{self._language}.wikipedia.org"
        self._notes = Footnotes(shown.sources, setting, self._wiki)

    def page(self) -> WikiSafe:
        parts = [self._head(), *self._sections()]
        parts += [self._disagreements(), self._worth_reading()]
        parts += [
            self._notes.references(),
            About(self._shown, self._notes).part(),
        ]
        return joined("\n\n", [one for one in parts if one])

    # --- above the text ----------------------------------------------------------

    def _head(self) -> WikiSafe:
        setting, shown = self._setting, self._shown
        by = NOTHING
        if setting.bot:
            link = page_link(f"User:{setting.bot}", WikiSafe("Sidenote"))
            by = filled(", $link,", link=link)
        when = NOTHING
        if setting.as_of:
            when = filled(" on $when", when=WikiSafe(moment(setting.as_of)))
        return filled(
            _HEAD,
            title=text(self._draft.topic.title, most=250),
            by=by,
            when=when,
            made=WikiSafe(made_of(shown)),
            what=WikiSafe(what_it_is(shown)),
            about=WikiSafe(ABOUT),
            disagree=self._warning(),
        )

    def _warning(self) -> WikiSafe:
        count = len(self._shown.disagreements)
        if not count:
            return NOTHING
        return WikiSafe(
            f" '''The sources disagree''' in {counted(count, 'place')}:"
            f" [[#{_DISAGREE}|see both]]."
        )

    # --- the text ----------------------------------------------------------------

    def _sections(self) -> Iterator[WikiSafe]:
        for section in self._shown.sections:
            if section.heading:
                yield filled("== $words ==", words=text(section.heading, most=150))
            yield from self._paragraphs(section)

    def _paragraphs(self, section: SectionView) -> Iterator[WikiSafe]:
        for paragraph in section.paragraphs:
            if self._setting.policy is Policy.WORDING:
                yield joined(" ", (self._sentence(one) for one in paragraph))
            else:
                yield joined("\n", (self._item(one) for one in paragraph))

    def _item(self, one: SentenceView) -> WikiSafe:
        item = filled("* $sentence", sentence=self._sentence(one))
        if one.is_quote:
            return item
        quotes = (
            filled("** $quote", quote=_quoted(each.quote))
            for each in one.cites
            if each.quote
        )
        return joined("\n", (item, *quotes))

    def _sentence(self, one: SentenceView) -> WikiSafe:
        return filled(
            "$words$cites",
            words=_quoted(one.words) if one.is_quote else _words(one.words),
            cites=joined("", (self._notes.cited(each) for each in _by_source(one))),
        )

    # --- below it ----------------------------------------------------------------

    def _disagreements(self) -> WikiSafe:
        rows = [
            filled(
                "|-\n| $about\n| $one\n| $other",
                about=text(each.about, most=100),
                one=self._sentence(each.one),
                other=self._sentence(each.other),
            )
            for each in self._shown.disagreements
        ]
        if not rows:
            return NOTHING
        return filled(
            "== $title ==\nThese cannot both hold. Find out which does before you use"
            ' either.\n{| class="wikitable"\n! About !! One says !! Another says\n'
            "$rows\n|}",
            title=WikiSafe(_DISAGREE),
            rows=joined("\n", rows),
        )

    def _worth_reading(self) -> WikiSafe:
        lines = [
            filled(
                "* $source: $more",
                source=self._notes.named(one.source),
                more=text(_more(one), most=300),
            )
            for one in self._shown.worth_reading
        ]
        if not lines:
            return NOTHING
        return joined("\n", (WikiSafe("== Worth reading =="), *lines))


def _more(one: ReadingView) -> str:
    about = f" ({'; '.join(one.about)})" if one.about else ""
    return f"{counted(one.sentences, 'sentence')} more on the topic{about}"


def _by_source(one: SentenceView) -> tuple[CiteView, ...]:
    """Return its citations, one for each source."""
    return tuple({each.source: each for each in reversed(one.cites)}.values())[::-1]


def _words(words: str) -> WikiSafe:
    return text(words, most=_WORDS_CHARS)


def _quoted(words: str) -> WikiSafe:
    return filled("“$words”", words=_words(inner(words)))
