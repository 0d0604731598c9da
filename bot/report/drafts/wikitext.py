"""A dossier as wikitext: valid anywhere, and nothing of a document's takes effect.

It has the form of an article so that an editor can take sentences over with their
footnotes, and it says at its head that it is none. Words from outside go through
`bot.on_wiki.escaping`. Pure.
"""

import re
from collections.abc import Iterator

from bot.on_wiki.escaping import (
    NOTHING,
    WikiSafe,
    filled,
    joined,
    page_link,
    text,
)
from bot.opt_in.values import Policy
from bot.report.drafts.citing import FILLED_NAME, Footnotes, Setting
from bot.report.drafts.marking import inner
from bot.report.drafts.telling import made_of, name_of, what_it_is
from bot.report.drafts.views import (
    CiteView,
    Dossier,
    FieldView,
    SectionView,
    SentenceView,
    address_of,
    as_cited,
    dossier_view,
    linked,
)
from bot.report.wording import counted, moment
from handlers.model import Draft, DraftDocument, LeftOut

# The last section of a dossier in wikitext: how it was made, and what is not in it.
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

    def part(self, *, with_short: bool) -> WikiSafe:
        """Return the section; `with_short` tells the short description there."""
        parts = [
            filled("== $title ==", title=WikiSafe(ABOUT)),
            joined("\n", self._facts(with_short=with_short)),
            self._unused(),
            self._left_out(),
        ]
        return joined("\n", [one for one in parts if one])

    def _facts(self, *, with_short: bool) -> Iterator[WikiSafe]:
        draft = self._shown.draft
        yield filled(
            "* Made by $engine; method $method, passages ordered by $reranker.",
            engine=text(f"{draft.engine.name} {draft.engine.version}", most=150),
            method=WikiSafe(draft.method.value.upper()),
            reranker=text(draft.reranker, most=60),
        )
        if draft.short_description and with_short:
            words = text(draft.short_description, most=100)
            yield filled("* A short description: $words", words=words)
        if draft.categories:
            links = (page_link(f"Category:{one}") for one in draft.categories)
            yield filled("* Categories to look at: $all", all=joined("; ", links))
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
_TEMPLATE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9 _-]{0,80}")
_FIELD_NAME = re.compile(r"[a-z][a-z0-9 _-]{0,60}", re.IGNORECASE)
_ENGLISH = "en"
SHORT = "short description"  # the template

_HEAD = """\
__NOINDEX__
$short
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
    """Return all addresses that the page would link; ask the spam blacklist for them."""
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
        parts = [self._head(), self._infobox(), *self._sections()]
        parts += [self._stated(), self._disagreements()]
        parts += [
            self._notes.references(),
            About(self._shown, self._notes).part(with_short=not self._has(SHORT)),
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
            short=self._short_description(),
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

    def _short_description(self) -> WikiSafe:
        words = self._draft.short_description
        if not words or not self._has(SHORT):
            return NOTHING
        return filled("{{short description|1=$words}}", words=text(words, most=100))

    def _has(self, template: str) -> bool:
        """Whether the wiki has an English template of this name, as far as is known."""
        return self._language == _ENGLISH and template not in self._setting.missing

    def _fields(self) -> list[FieldView]:
        return [one for one in self._shown.infobox if _FIELD_NAME.fullmatch(one.name)]

    def _template(self) -> WikiSafe:
        """The name of the infobox; empty where the wiki has none of that name."""
        name = self._draft.infobox_template
        is_there = _TEMPLATE_NAME.fullmatch(name) and self._has(name)
        return WikiSafe(name) if is_there else NOTHING

    def _infobox(self) -> WikiSafe:
        fields, template = self._fields(), self._template()
        if not fields or not template:
            return NOTHING
        title = text(self._draft.topic.title, most=250)
        lines = (
            filled("| name = $title", title=title),
            *(self._parameter(one) for one in fields if one.name != "name"),
        )
        return filled("{{$name\n$lines\n}}", name=template, lines=joined("\n", lines))

    def _stated(self) -> WikiSafe:
        """The fields once more, for a template hides those that it does not know."""
        lines = [
            filled(
                "* $name: $value$cited",
                name=text(one.name),
                value=text(one.value),
                cited=self._notes.cited(one.cite),
            )
            for one in self._fields()
        ]
        if not lines:
            return NOTHING
        heading = WikiSafe("== Stated for an infobox ==")
        return joined("\n", (heading, *lines))

    def _parameter(self, one: FieldView) -> WikiSafe:
        return filled(
            "| $name = $value$cited",
            name=WikiSafe(one.name),
            value=text(one.value),
            cited=self._notes.cited(one.cite),
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
        quotes = (filled("** $quote", quote=_quoted(each.quote)) for each in one.cites)
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


def _by_source(one: SentenceView) -> tuple[CiteView, ...]:
    """Return its citations, one of each source."""
    return tuple({each.source: each for each in reversed(one.cites)}.values())[::-1]


def _words(words: str) -> WikiSafe:
    return text(words, most=_WORDS_CHARS)


def _quoted(words: str) -> WikiSafe:
    return filled("“$words”", words=_words(inner(words)))
