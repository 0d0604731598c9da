"""Citation templates and maintenance tags as a wiki's editors write them.

A citation is filled with what the page states about itself. Nothing is guessed: a field
that the page does not state is left out, and a name is split into family and given name
only if the page splits it. A page can say anything, so every character that means
something in wikitext becomes a character reference, which MediaWiki shows as the
character itself.

Only tags that are sure to exist are listed: a wiki whose tag is not known gets none,
because a template that does not exist would show as a red link in the article. Dates
are written out, since MediaWiki does not substitute anything inside `<ref>`. Pure.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from types import MappingProxyType
from urllib.parse import quote, urlsplit

from handlers.model import (
    Author,
    DocumentKind,
    Imprint,
    Origin,
    Source,
    SourceFetch,
    SourceForm,
    SourceText,
    TagKind,
    UrlStatus,
)


@dataclass(frozen=True, slots=True)
class _Form:
    """A citation template of a wiki.

    `names` has what it calls our fields; fields not in it have their English names, and
    those with an empty name are left out. With `has_one_author`, a single parameter
    lists all authors.
    """

    template: str
    names: Mapping[str, str] = field(default_factory=dict)
    has_one_author: bool = False


def _forms(common: str, **templates: str) -> Mapping[DocumentKind | None, _Form]:
    """Return the templates by kind, each as "template; name=its name, …"."""
    made: dict[DocumentKind | None, _Form] = {}
    for kind, spec in templates.items():
        template, _, own = spec.partition(";")
        listed = [pair.partition("=") for pair in f"{common},{own}".split(",") if pair]
        names = {name.strip(): theirs.strip() for name, _, theirs in listed}
        has_one_author = names.pop("one author", "") == "yes"
        form = _Form(template.strip(), names, has_one_author)
        made[None if kind == "web" else DocumentKind[kind.upper()]] = form
    return MappingProxyType(made)


_BOOKISH = ("book", "journal", "conference", "report", "thesis")
# By the language of a Wikipedia. All others get the English templates, which most wikis
# also have.
_FORMS: Mapping[str, Mapping[DocumentKind | None, _Form]] = MappingProxyType(
    {
        "en": _forms(
            "",
            web="cite web",
            news="cite news",
            journal="cite journal",
            book="cite book",
            conference="cite conference",
            report="cite report",
            thesis="cite thesis",
        ),
        "de": _forms(
            """one author=yes, date=datum, title=titel, website=werk, work=werk,
            publisher=hrsg, language=sprache, access-date=abruf, archive-url=archiv-url,
            archive-date=archiv-datum, url-status=offline, doi=, isbn=, volume=, issue=,
            page=seiten, pages=seiten, journal=werk, book-title=werk, author=autor""",
            **dict.fromkeys(("web", "news"), "Internetquelle"),
            **dict.fromkeys(
                _BOOKISH,
                """Literatur; date=Datum, title=Titel, journal=Sammelwerk, author=Autor,
                book-title=Sammelwerk, publisher=Verlag, volume=Band, issue=Nummer,
                page=Seiten, pages=Seiten, doi=DOI, isbn=ISBN, url=Online,
                access-date=Abruf, language=Sprache""",
            ),
        ),
        "fr": _forms(
            """last=nom, first=prénom, author=auteur, title=titre, website=site,
            work=périodique, journal=périodique, publisher=éditeur, language=langue,
            access-date=consulté le, issue=numéro, page=passage, pages=passage,
            book-title=périodique, url-status=, display-authors=""",
            **dict.fromkeys(
                ("web", "news", "conference", "report", "thesis"), "Lien web"
            ),
            journal="Article; url=lire en ligne, page=pages, pages=pages",
            book="Ouvrage; url=lire en ligne",
        ),
        "es": _forms(
            """last=apellidos, first=nombre, author=autor, date=fecha, title=título,
            website=sitioweb, work=obra, journal=publicación, book-title=título-libro,
            publisher=editorial, language=idioma, volume=volumen, issue=número,
            page=página, pages=páginas, access-date=fechaacceso,
            archive-url=urlarchivo, archive-date=fechaarchivo""",
            **dict.fromkeys(("web", "report"), "cita web"),
            news="cita noticia; work=periódico",
            journal="cita publicación",
            book="cita libro",
            conference="cita conferencia",
            thesis="cita tesis",
        ),
        "ar": _forms(
            """last=الأخير, first=الأول, author=مؤلف, date=تاريخ, title=عنوان, url=مسار,
            website=موقع, work=صحيفة, journal=صحيفة, publisher=ناشر, language=لغة,
            volume=المجلد, issue=العدد, page=صفحة, pages=صفحات, isbn=ردمك,
            access-date=تاريخ الوصول, archive-url=مسار أرشيف, archive-date=تاريخ أرشيف""",
            **dict.fromkeys(("web", "conference", "report", "thesis"), "استشهاد ويب"),
            news="استشهاد بخبر",
            journal="استشهاد بدورية محكمة",
            book="استشهاد بكتاب",
        ),
    }
)
# These templates have no parameter for an archived copy.
_WITHOUT_ARCHIVE = frozenset({"Literatur", "Article", "Ouvrage"})
_IDENTIFYING = frozenset({"url", "title", "doi", "isbn"})
_PEOPLE = frozenset({"author", "last", "first"})
_MOST_AUTHORS = 8
_FIRST_GREGORIAN_YEAR = 1583  # templates take ISO dates from then on
_ISO_DAY = re.compile(r"(\d{4})-\d\d-\d\d")
_RAW_CAPTURE = re.compile(r"(/\d{4,14})[a-z]{2}_(/)", re.ASCII)
_CAPTURED = re.compile(r"https?://.+?/\d{4,14}(?:[a-z]{2}_)?/(https?://.+)", re.ASCII)

Field = tuple[str, str | None]

_REMOVED = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]"
)
# Characters that open or close something wherever they occur.
_SIGNS = re.compile(r"[|{}\[\]<>]")
# These mean something only in runs, or before something else.
_IN_CONTEXT = re.compile(
    r"&(?=[#\w])"  # an unintended character reference
    r"|''+|~~~+|__+"  # emphasis, signatures, magic words
    r"|:(?=//)"  # a bare address would become a link inside the title's link
    r"|\A[*#:;=-]"  # a list or a rule, where the value begins a line
)
_MAX_VALUE = 500
_MAX_ADDRESS = 2000
_SAFE_IN_ADDRESS = "%/:?#@!$&()*+,=-._~"  # without ";", which ends a reference

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


def fill(fetch: SourceFetch, wiki: str, *, url_status: UrlStatus | None = None) -> str:
    """Return a citation template for the page that `fetch` read.

    It is empty if the page states nothing that would identify it, like a file on disk
    without a title: such a citation would lead no reader anywhere.

    Args:
        fetch: with its document.
        wiki: host name; a page in the wiki's own language needs no `language`.
        url_status: what the live address serves today, where that is known.
    """
    document = fetch.document or SourceText("")
    imprint = document.imprint
    kind = _kind(imprint)
    forms = _FORMS.get(language_of(wiki), _FORMS["en"])
    form = forms[kind]
    if fetch.origin is Origin.ARCHIVE and form.template in _WITHOUT_ARCHIVE:
        form = forms[None]
    fields = (
        *_authors(imprint.authors),
        ("date", _date(imprint.published)),
        *_addresses(fetch),
        ("title", imprint.title or document.title),
        *_places(imprint, kind),
        ("language", _language(imprint.language or document.language, wiki)),
        ("doi", imprint.doi),
        ("isbn", imprint.isbn),
        *_days(fetch),
        ("url-status", url_status.value if url_status else None),
    )
    return _written(form, fields)


def language_of(wiki: str) -> str:
    """Return the language of a Wikipedia, by its host; empty for other wikis."""
    host = wiki.lower().replace(".m.", ".", 1)
    return host.removesuffix(_PROJECT) if host.endswith(_PROJECT) else ""


def _written(form: _Form, fields: tuple[Field, ...]) -> str:
    stated = {key: value for key, value in _escaped(fields) if value}
    if not stated.keys() & _IDENTIFYING:
        return ""
    if form.has_one_author:
        stated = _with_one_author(stated)
    parts = []
    for key, value in stated.items():
        base = key.rstrip("0123456789")
        name = form.names.get(base, base)
        if name:
            parts.append(f" |{name}{key[len(base) :]}={value}")
    return f"{{{{{form.template}{''.join(parts)}}}}}"


def _with_one_author(stated: Mapping[str, str]) -> dict[str, str]:
    """Return the fields with all authors in one; German says "offline=1"."""
    people: dict[str, list[str]] = {}
    others: dict[str, str] = {}
    for key, value in stated.items():
        base = key.rstrip("0123456789")
        if base in _PEOPLE:
            people.setdefault(key[len(base) :], []).append(value)
        elif base == "display-authors":
            people["more"] = ["et al."]
        elif base != "url-status":
            others[key] = value
        elif value != UrlStatus.LIVE.value:
            others[key] = "1"
    # In `people` the family name comes first.
    listed = ", ".join(" ".join(reversed(each)) for each in people.values())
    return {**({"author": listed} if listed else {}), **others}


def addresses_in(fetch: SourceFetch) -> tuple[str, ...]:
    """Return the addresses that the template for `fetch` holds."""
    return tuple(address for _, address in _addresses(fetch) if address)


def archive_address(fetch: SourceFetch) -> str:
    """Return the address of an archived copy as a reader opens it."""
    return plain_address(fetch.url or "")


def plain_address(capture: str) -> str:
    """Return the address of a capture in the archive's own frame, not in its raw form."""
    return _RAW_CAPTURE.sub(r"\1\2", capture, count=1)


def _escaped(fields: tuple[Field, ...]) -> Iterator[Field]:
    for key, text in fields:
        if text:
            is_address = key in {"url", "archive-url"}
            yield key, escaped_address(text) if is_address else escaped_value(text)


def _kind(imprint: Imprint) -> DocumentKind | None:
    """Return the kind, if the page states what its template requires."""
    in_journal = imprint.kind is DocumentKind.JOURNAL
    return None if in_journal and not imprint.work else imprint.kind


def _authors(authors: tuple[Author, ...]) -> Iterator[Field]:
    for number, author in enumerate(authors[:_MOST_AUTHORS], start=1):
        at = str(number) if number > 1 else ""
        if author.family and author.given:
            yield f"last{at}", author.family
            yield f"first{at}", author.given
        else:
            yield f"author{at}", author.name
    if len(authors) > _MOST_AUTHORS:
        yield "display-authors", "etal"


def _date(published: str | None) -> str | None:
    """Return a day in ISO form, else the year: the templates refuse "2021-05"."""
    day = _ISO_DAY.fullmatch(published or "")
    if day and int(day[1]) >= _FIRST_GREGORIAN_YEAR:
        return published
    return published[:4] if published else None


def _addresses(fetch: SourceFetch) -> Iterator[Field]:
    if fetch.origin is Origin.ARCHIVE:
        cited = fetch.source.url or fetch.url or ""
        captured = _CAPTURED.fullmatch(cited)
        yield "url", captured[1] if captured else cited
        yield "archive-url", archive_address(fetch)
    else:
        yield "url", fetch.url or fetch.source.url


def _places(imprint: Imprint, kind: DocumentKind | None) -> Iterator[Field]:
    match kind:
        case DocumentKind.JOURNAL:
            yield "journal", imprint.work
        case DocumentKind.NEWS:
            yield "work", imprint.work or imprint.site or imprint.publisher
        case DocumentKind.CONFERENCE:
            yield "book-title", imprint.work
            yield "publisher", imprint.publisher
        case DocumentKind.BOOK | DocumentKind.REPORT | DocumentKind.THESIS:
            yield "publisher", imprint.publisher
        case None:
            yield "website", imprint.site or imprint.work
            if imprint.publisher != (imprint.site or imprint.work):
                yield "publisher", imprint.publisher
    if kind in {DocumentKind.JOURNAL, DocumentKind.CONFERENCE}:
        yield "volume", imprint.volume
        yield "issue", imprint.issue
        yield "pages" if "–" in (imprint.pages or "") else "page", imprint.pages


def _language(stated: str | None, wiki: str) -> str | None:
    code = re.split(r"[-_]", stated or "")[0].lower()
    return None if code == wiki.split(".", maxsplit=1)[0].lower() else code


def _days(fetch: SourceFetch) -> Iterator[Field]:
    """Yield the day on which the live page was read, or the copy captured."""
    day = fetch.read_at.date() if fetch.read_at else None
    name = "archive-date" if fetch.origin is Origin.ARCHIVE else "access-date"
    yield name, day.isoformat() if day else None


# --- values that are safe in wikitext ---


def escaped_value(text: str) -> str:
    """Return `text` on one line, with all markup as character references."""
    line = " ".join(_REMOVED.sub("", unicodedata.normalize("NFC", text)).split())
    line = _IN_CONTEXT.sub(_references, line[:_MAX_VALUE].strip())
    return _SIGNS.sub(_references, line)


def escaped_address(url: str) -> str | None:
    """Return `url` as a parameter may hold it; `None` if it is not a web address."""
    if len(url) > _MAX_ADDRESS or _REMOVED.search(url):
        return None
    try:
        parts = urlsplit(url)
        is_web = parts.scheme.lower() in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        return None
    if not is_web or "@" in parts.netloc:
        return None
    encoded = "".join(
        sign if sign.isalnum() or sign in _SAFE_IN_ADDRESS else quote(sign)
        for sign in url.strip()
    )
    return encoded.replace("~~~", "%7E%7E%7E").replace("__", "%5F%5F")


def _references(found: re.Match[str]) -> str:
    return "".join(f"&#{ord(sign)};" for sign in found[0])


# --- a wiki's maintenance tags ---


@dataclass(frozen=True, slots=True)
class TagTemplate:
    """A tag of one wiki.

    `date_name` is the parameter for the date: a month of `months` with the year, or the
    day in ISO form if there are none. With an `address_name` the tag repeats the
    address that it is about, and is only put after a bare link.
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
            address = escaped_address(source.url or "") if source and is_link else None
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
            TagKind.DUBIOUS: TagTemplate("Dubious", "date", _ENGLISH),
            TagKind.BETTER_SOURCE_NEEDED: TagTemplate(
                "Better source needed", "date", _ENGLISH
            ),
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


def with_own(tags: WikiTags, own: Mapping[TagKind, str]) -> WikiTags:
    """Return tags with the names that a community has set instead of its language's."""
    chosen = dict(tags)
    for kind, name in own.items():
        known = chosen.get(kind)
        chosen[kind] = replace(known, name=name) if known else TagTemplate(name, "date")
    return chosen


def tags_of(wiki: str) -> WikiTags:
    """Return the tags of a wiki, by its host; none where they are not known."""
    return tags_of_language(language_of(wiki))
