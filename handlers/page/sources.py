"""What a citation says about its source: a full citation, a link, a short citation.

A template's parameters are split at the scan's own pipes; only values that hold
markup themselves go through the library. Short citations ("Smith 2001, p. 3") and
full ones meet where MediaWiki's anchors meet: by the authors' surnames and the year,
or by the `ref=` of the full citation, wherever that is on the page. Pure.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from types import MappingProxyType
from typing import NamedTuple

from handlers.model import Source, SourceForm, UrlStatus
from handlers.page.identifiers import (
    HOST,
    URL,
    address_in,
    addresses_in_text,
    bare_number,
)
from handlers.page.markup import Element, holds_markup, parameters_of, plain_text
from handlers.page.template_names import FIELD_NAMES, IDENTIFIERS, PEOPLE

# --- Dates ---

_LONGEST = 60  # characters; no date is longer
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?:T\S*)?")
_TIMESTAMP = re.compile(r"(\d{4})(\d{2})(\d{2})(?:\d{6})?")
_GERMAN = re.compile(r"(\d{1,2})\.\s*(\d{1,2})\.\s*(\d{4})")
_WORD = re.compile(r"\d+|[^\W\d_]+")
_YEAR_DIGITS = 4

_MONTH_NAMES = (
    "january jan januar jänner janvier janv enero ene يناير",
    "february feb februar février fevrier févr febrero فبراير",
    "march mar märz mrz mars marzo مارس",
    "april apr avril avr abril abr أبريل إبريل ابريل",
    "may mai mayo مايو",
    "june jun juni juin junio يونيو يونيه",
    "july jul juli juillet juil julio يوليو يوليه",
    "august aug août aout agosto ago أغسطس اغسطس",
    "september sep sept septembre septiembre setiembre سبتمبر",
    "october oct oktober okt octobre octubre أكتوبر اكتوبر",
    "november nov novembre noviembre نوفمبر",
    "december dec dezember dez décembre decembre déc diciembre dic ديسمبر",
)
_MONTHS = MappingProxyType(
    {name: 1 + at for at, names in enumerate(_MONTH_NAMES) for name in names.split()}
)
# Words that a date may contain besides its day, month and year.
_FILLERS = frozenset(
    """st nd rd th de del of the le er of monday tuesday wednesday thursday friday
    saturday sunday mon tue wed thu fri sat sun
    montag dienstag mittwoch donnerstag freitag samstag sonntag den am
    lundi mardi mercredi jeudi vendredi samedi dimanche
    lunes martes miércoles jueves viernes sábado domingo del
    السبت الأحد الاثنين الثلاثاء الأربعاء الخميس الجمعة م""".split()  # noqa: SIM905 - shorter to read than a list
)


def parse_date(text: str) -> date | None:
    """Return the day, or the first day of the month where no day is given.

    `None` for anything else: a year alone, a range, a day that does not exist.
    """
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return None
    for form in (_ISO, _TIMESTAMP):
        if found := form.fullmatch(text):
            year, month, day = found.groups(default="1")
            return _day(int(year), int(month), int(day))
    if found := _GERMAN.fullmatch(text):
        return _day(int(found[3]), int(found[2]), int(found[1]))
    return _spelled(text)


def _spelled(text: str) -> date | None:
    """Read a date with its month as a word, in any order."""
    numbers: list[str] = []
    months: list[int] = []
    for word in _WORD.findall(text.lower()):
        if word.isdecimal():
            numbers.append(word)
        elif word in _MONTHS:
            months.append(_MONTHS[word])
        elif word not in _FILLERS:
            return None
    years = [number for number in numbers if len(number) == _YEAR_DIGITS]
    days = [number for number in numbers if len(number) < _YEAR_DIGITS - 1]
    if len(months) != 1 or len(years) != 1 or len(numbers) - len(days) != 1:
        return None
    if len(days) > 1:
        return None
    return _day(int(years[0]), months[0], int(days[0]) if days else 1)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


# --- Citation templates and links ---

_INNER_NUMBER = re.compile(r"(author|editor)(\d{1,2})(\w+)")
_MOST_DIGITS = 2  # of a person's number
_MOST_INITIALS = 3


class Person(NamedTuple):
    """What a parameter such as `last2` names."""

    role: str  # "author" or "editor"
    number: int
    part: str  # "first", "last" or "whole"


# Which part of which person's name, and the value given for it.
People = list[tuple[Person, str]]


def person_named(parameter: str) -> Person | None:
    """Return what `parameter`, lower case without separators, names of a person."""
    base = parameter.rstrip("0123456789")
    number = parameter[len(base) :]
    known = PEOPLE.get(base)
    if known is None and (inner := _INNER_NUMBER.fullmatch(parameter)):
        number = inner[2]
        known = PEOPLE.get(inner[1] + inner[3])
    if known is None or len(number) > _MOST_DIGITS:
        return None
    role, part = known
    return Person(role, int(number or 1), part)


def full_names(people: People) -> tuple[str, ...]:
    """Return the authors' names, first names first."""
    if not people:
        return ()
    names = (
        each.get("whole") or f"{each.get('first', '')} {each.get('last', '')}".strip()
        for each in _by_number(people, "author")
    )
    return tuple(name for name in names if name)


def surnames_of(people: People) -> tuple[str, ...]:
    """Return the surnames of the authors, else those of the editors."""
    for role in ("author", "editor"):
        parts = _by_number(people, role)
        found = (each.get("last") or each.get("whole") for each in parts)
        surnames = tuple(name for name in found if name)
        if surnames:
            return surnames
    return ()


def surname(name: str) -> str:
    """Return the surname of "Smith JR" or "John Smith"."""
    first, _, last = name.rpartition(" ")
    initials = last.isupper() and len(last) <= _MOST_INITIALS
    return first if first and initials else last


def _by_number(people: People, role: str) -> list[dict[str, str]]:
    numbered: dict[int, dict[str, str]] = {}
    for person, value in people:
        if person.role == role:
            numbered.setdefault(person.number, {}).setdefault(person.part, value)
    return [numbered[number] for number in sorted(numbered)]


_SEPARATORS = str.maketrans("", "", "-_ ")
_IDENTIFIER = re.compile(r"\{\{\s*+(\w{1,10})\s*+\|([^{}|]{1,100})")
_URL_STATUSES = {
    "live": UrlStatus.LIVE,
    "no": UrlStatus.LIVE,
    "n": UrlStatus.LIVE,
    "false": UrlStatus.LIVE,
    "nein": UrlStatus.LIVE,
    "non": UrlStatus.LIVE,
    "dead": UrlStatus.DEAD,
    "yes": UrlStatus.DEAD,
    "y": UrlStatus.DEAD,
    "true": UrlStatus.DEAD,
    "ja": UrlStatus.DEAD,
    "oui": UrlStatus.DEAD,
    "sí": UrlStatus.DEAD,
    "si": UrlStatus.DEAD,
    "1": UrlStatus.DEAD,  # German: "offline=1"
    "roto": UrlStatus.DEAD,
    "حي": UrlStatus.LIVE,
    "مباشر": UrlStatus.LIVE,
    "ميت": UrlStatus.DEAD,
    "deviated": UrlStatus.DEVIATED,
    "unfit": UrlStatus.UNFIT,
    "usurped": UrlStatus.USURPED,
}
_BY_TEMPLATE = SourceForm.TEMPLATE
_BY_URL = SourceForm.URL
_WAYBACK = "https://web.archive.org/web/"

# A parameter that is an address, and has no name.
_ADDRESS = re.compile(r"\s*+\[?(?:(?:https?|ftp)://|www\.)", re.IGNORECASE)
_PATH = re.compile(r"://[^/]++/.")
_MAY_LINK = ("title", "id", "work", "publisher")  # in this order

# Fields whose value is not read as plain text.
_NOT_PLAIN = frozenset({"url", "archive_url", "ref", "id"})


class _Meaning(NamedTuple):
    """What a parameter says: one of our fields, part of a person's name, or neither."""

    field: str | None
    rank: int  # if two parameters give the same field, the lower rank wins
    person: Person | None


class FullCitation(NamedTuple):
    """A source with what short citations identify it by."""

    source: Source
    year: str | None  # with its letter, as in "2001a"
    anchor: str | None  # the raw value of `ref`
    people: People
    listed: tuple[str, ...]  # authors named in one parameter

    def surnames(self) -> tuple[str, ...]:
        """Return those of the authors, else those of the editors."""
        return surnames_of(self.people) or tuple(map(surname, self.listed))


class CitationReader:
    """Reads the full citations of a page; they share their parameters and dates."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._meanings: dict[str, _Meaning] = {}
        self._dates: dict[str, date | None] = {}

    def read(self, template: Element) -> FullCitation:
        """Read a full citation such as `{{cite web|…}}`."""
        text = self._text
        fields, people = self._collect(template)
        _take_positional(fields, text, template)
        given = fields.get
        listed = _split_names(given("authors"))
        source = Source(
            form=_BY_TEMPLATE,
            raw=text[template.start : template.end],
            template=template.name,
            url=address_in(given("url")),
            archive_url=address_in(given("archive_url")),
            archive_date=self._date(given("archive_date")),
            url_status=_url_status(given),
            access_date=self._date(given("access_date")),
            doi=bare_number(given("doi")),
            pmid=bare_number(given("pmid")),
            pmc=given("pmc"),
            arxiv=bare_number(given("arxiv")),
            isbn=given("isbn"),
            pages=given("pages"),
            quote=given("quote"),
            title=given("title"),
            authors=listed or full_names(people),
            work=given("work") or given("publisher"),
            published=given("published") or given("year"),
            language=given("language"),
        )
        if "id" in fields:
            source = _with_listed_identifiers(source, fields["id"])
        if source.url is None and source.archive_url is None:
            source = replace(source, url=self._address_elsewhere(template))
        year = given("year") or source.published
        return FullCitation(source, year, given("ref"), people, listed)

    def _collect(self, template: Element) -> tuple[dict[str, str], People]:
        """Return the values under our field names; the hottest loop of a page."""
        inner = self._text[template.inner_start : template.inner_end]
        has_markup = holds_markup(inner)
        if has_markup:
            parts = _parts(self._text, template)
        else:
            parts = " ".join(inner.split()).split("|")[1:]
        fields: dict[str, str] = {}
        ranks: dict[str, int] = {}
        people: People = []
        for part in parts:
            name, _, value = part.partition("=")
            value = value.strip()
            if not value:
                continue
            field, rank, person = self._meanings.get(name) or self._learn(name)
            if person:
                people.append((person, value))
            elif field and rank <= ranks.get(field, rank):
                ranks[field] = rank
                fields[field] = value
        return _without_markup(fields, people) if has_markup else (fields, people)

    def _address_elsewhere(self, template: Element) -> str | None:
        """Return the address of a citation whose `url=` was left out.

        The title is a link then, or a parameter without a name is the address. A link
        on the name of the work or publisher often leads to its front page.
        """
        inner = self._text[template.inner_start : template.inner_end]
        if "//" not in inner and "www." not in inner:
            return None
        found: dict[str, str] = {}
        for part in _parts(self._text, template):
            if _ADDRESS.match(part):
                return address_in(part)
            name, _, value = part.partition("=")
            field = (self._meanings.get(name) or self._learn(name)).field
            address = address_in(value) if field in _MAY_LINK else None
            if address and field and (field == "title" or _PATH.search(address)):
                found.setdefault(field, address)
        return next((found[field] for field in _MAY_LINK if field in found), None)

    def _learn(self, name: str) -> _Meaning:
        meaning = self._meanings[name] = _meaning_of(name.strip().lower())
        return meaning

    def _date(self, value: str | None) -> date | None:
        if not value:
            return None
        if value not in self._dates:
            self._dates[value] = parse_date(value)
        return self._dates[value]


def read_link(text: str, link: Element) -> Source:
    """Read a source given as `[http://… title]`."""
    raw = text[link.start : link.end]
    address, _, title = text[link.inner_start : link.inner_end].partition(" ")
    found = URL.match(address) or HOST.match(address)
    return Source(
        form=_BY_URL,
        raw=raw,
        url=address_in(found[0] if found else address),
        title=plain_text(title) or None,
    )


def read_address(text: str, template: Element) -> Source:
    """Read a source given as `{{URL|example.org|title}}`."""
    values = _values(text, template)
    written = values.get("1") or values.get("url") or ""
    return Source(
        form=_BY_URL,
        raw=text[template.start : template.end],
        url=address_in(written) or address_in(f"http://{written}/"),
        title=plain_text(values.get("2") or "") or None,
    )


def bare_urls(text: str) -> tuple[Source, ...]:
    """Read the sources given as bare URLs in `text`, which contains no links."""
    return tuple(
        Source(_BY_URL, raw=address, url=address_in(address))
        for address in addresses_in_text(text)
    )


def with_identifier(source: Source, text: str, template: Element) -> Source:
    """Add what `{{doi|…}}` and similar templates next to a source say."""
    field = IDENTIFIERS[template.name]
    values = _values(text, template)
    value = plain_text(values.get("1") or values.get("id") or "")
    if not value or getattr(source, field):
        return source
    return _replaced(source, field, value)


def with_archive(source: Source, text: str, template: Element) -> Source:
    """Add the archived copy that `{{webarchive|…}}` next to a source names."""
    values = _values(text, template)
    day = plain_text(values.get("date") or values.get("datum") or "")
    address = address_in(
        values.get("url") or values.get("1") or values.get("wayback") or ""
    )
    if template.name == "wayback" and address and not address.startswith(_WAYBACK):
        address = f"{_WAYBACK}{day or '*'}/{address}"
    if source.archive_url or not address:
        return source
    return replace(source, archive_url=address, archive_date=parse_date(day))


def _values(text: str, template: Element) -> dict[str, str]:
    return {
        parameter.name.lower(): text[parameter.start : parameter.end]
        for parameter in parameters_of(text, template)
    }


def _parts(text: str, template: Element) -> list[str]:
    """Return the parameters of a template, "name=value" each."""
    ends = (*template.pipes[1:], template.inner_end)
    return [
        text[pipe + 1 : end] for pipe, end in zip(template.pipes, ends, strict=False)
    ]


def _without_markup(
    fields: dict[str, str], people: People
) -> tuple[dict[str, str], People]:
    plain_fields = {
        field: value
        for field, raw in fields.items()
        if (value := raw if field in _NOT_PLAIN else plain_text(raw))
    }
    plain_people = [
        (person, value) for person, raw in people if (value := plain_text(raw))
    ]
    return plain_fields, plain_people


def _meaning_of(name: str) -> _Meaning:
    key = name.translate(_SEPARATORS)
    known = FIELD_NAMES.get(name) or FIELD_NAMES.get(key)
    if known:
        return _Meaning(*known, None)
    return _Meaning(None, 0, person_named(key))


def _take_positional(fields: dict[str, str], text: str, template: Element) -> None:
    """`{{cite doi|10.1/2}}` and similar templates name the source by position."""
    field = IDENTIFIERS.get(template.name.removeprefix("cite "))
    if field and field not in fields:
        fields[field] = _values(text, template).get("1", "")


def _url_status(given: Callable[[str], str | None]) -> UrlStatus | None:
    """Return the state of the address; some wikis give the day it died instead."""
    value = given("url_status")
    status = _URL_STATUSES.get(value.lower().split()[0]) if value else None
    return status or (UrlStatus.DEAD if given("dead_since") else None)


def _split_names(value: str | None) -> tuple[str, ...]:
    if not value:
        return ()
    return tuple(name.strip() for name in re.split(r"[;,]", value) if name.strip())


def _with_listed_identifiers(source: Source, value: str) -> Source:
    """Add those that older citations write as `id={{doi|…}}`."""
    for name, identifier in _IDENTIFIER.findall(value):
        field = IDENTIFIERS.get(name.lower())
        if field and getattr(source, field) is None:
            source = _replaced(source, field, identifier.strip())
    return source


def _replaced(source: Source, field: str, value: str) -> Source:
    changes: dict[str, str] = {field: value}
    return replace(source, **changes)  # type: ignore[arg-type]  # only text fields


# --- Short citations ---

_YEAR = re.compile(
    r"(?:c\. ?|c)?(\d{3,4}[a-z]?)\b|\b(?:n\. ?d\.?|nd)(?![a-z])", re.IGNORECASE
)
_HARVID = re.compile(
    r"\{\{\s*+(?:harvid|sfnref)\s*+\|([^{}]{1,500})\}\}", re.IGNORECASE
)
_NUMBERED = re.compile(r"(\d{1,2})(a[1-4]|y|p|pp|loc|ref)")
_MOST_NAMES = 4  # an anchor holds no more
_PAGE_NAMES = ("p", "pp", "page", "pages", "loc", "at")


@dataclass(frozen=True, slots=True)
class ShortCitation:
    """One "Smith & Jones 2001, p. 3"."""

    surnames: tuple[str, ...]
    year: str
    pages: str | None
    ref: str | None = None  # names the anchor itself

    @property
    def label(self) -> str:
        """Return it as an editor would write it, without pages."""
        return " ".join(part for part in (" & ".join(self.surnames), self.year) if part)


class Bibliography:
    """The full citations of a page, found by their anchors."""

    def __init__(self, citations: Iterable[FullCitation]) -> None:
        self._by_anchor: dict[str, Source] = {}
        for citation in citations:
            for anchor in _anchors(citation):
                self._by_anchor.setdefault(anchor, citation.source)

    def find(self, short: ShortCitation) -> Source | None:
        """Return the source that `short` refers to, or `None`."""
        if short.ref:
            return self._by_anchor.get(_fold(short.ref))
        return self._by_anchor.get(_anchor(short.surnames, short.year))


def read_short(text: str, template: Element) -> tuple[ShortCitation, ...]:
    """Read `{{sfn|…}}` and similar templates; `{{sfnm}}` names several sources."""
    values = {
        name.lower(): plain_text(text[start:end])
        for name, start, end in parameters_of(text, template)
        if start < end
    }
    if template.name in {"sfnm", "sfnmp"}:
        return _read_several(values)
    if template.name == "harvs":
        return _read_years(values)
    return (_read_one(values),)


def _read_one(values: Mapping[str, str]) -> ShortCitation:
    given = [values[name] for name in "12345678" if name in values]
    year = values.get("year") or values.get("date") or ""
    if given and not year and _YEAR.match(given[-1]):
        year = given.pop()
    return ShortCitation(
        tuple(given)[:_MOST_NAMES], _year_in(year), _pages(values), values.get("ref")
    )


def _read_years(values: Mapping[str, str]) -> tuple[ShortCitation, ...]:
    """Read `{{harvs|txt|last=Smith|last2=Jones|year=2001|year2=2003}}`."""
    people = ("author", "last", "last1", "last2", "last3", "last4")
    surnames = tuple(values[name] for name in people if name in values)
    years = ("year", "year1", "year2", "year3", "year4", "year5")
    return tuple(
        ShortCitation(surnames[:_MOST_NAMES], _year_in(values[name]), _pages(values))
        for name in years
        if name in values
    )


def _read_several(values: Mapping[str, str]) -> tuple[ShortCitation, ...]:
    """Read `{{sfnm|1a1=Smith|1y=2001|1p=3|2a1=Jones|2y=2005}}`."""
    parts: dict[int, dict[str, str]] = {}
    for name, value in values.items():
        if found := _NUMBERED.fullmatch(name):
            parts.setdefault(int(found[1]), {})[found[2]] = value
    positional = [values[str(at)] for at in range(1, 41) if str(at) in values]
    for at in range(0, len(positional) - 1, 2):
        name, year = positional[at : at + 2]
        parts.setdefault(at // 2 + 1, {}).update(a1=name, y=year)
    return tuple(
        ShortCitation(
            tuple(part[key] for key in ("a1", "a2", "a3", "a4") if key in part),
            _year_in(part.get("y", "")),
            _pages(part),
            part.get("ref"),
        )
        for _, part in sorted(parts.items())
    )


def _pages(values: Mapping[str, str]) -> str | None:
    return next((values[name] for name in _PAGE_NAMES if values.get(name)), None)


def _year_in(value: str) -> str:
    found = _YEAR.search(value)
    if found is None:
        return ""
    return found[1].lower() if found[1] else "n.d."


def _anchors(citation: FullCitation) -> list[str]:
    anchors = []
    surnames = citation.surnames()[:_MOST_NAMES]
    if surnames:
        year = _year_in(citation.year or "")
        anchors.append(_anchor(surnames, year))
        # Many citations give "Smith, John" or "John Smith" as one author.
        last_words = tuple([_surname(name) for name in surnames])
        if last_words != surnames:
            anchors.append(_anchor(last_words, year))
    ref = citation.anchor
    if not ref:
        return anchors
    if named := _HARVID.search(ref):
        given = [plain_text(part) for part in named[1].split("|") if part.strip()]
        year = _year_in(given.pop()) if given and _YEAR.match(given[-1]) else ""
        anchors.insert(0, _anchor(given, year))
    elif "{{" not in ref and ref.lower() not in {"harv", "none"}:
        anchors.insert(0, _fold(ref))
    return anchors


def _surname(name: str) -> str:
    if "," in name:
        return name.partition(",")[0]
    return name.rpartition(" ")[2]


def _anchor(surnames: Iterable[str], year: str) -> str:
    return _fold("citeref" + "".join(surnames) + year)


def _fold(anchor: str) -> str:
    return "".join(anchor.replace("_", " ").split()).casefold()
