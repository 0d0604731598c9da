"""The registry of systems, `agencies.json`: read, added to, looked over."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from bot.research.evaluation.wiki_live.forms import AgencyForm, RegistryForm
from bot.research.evaluation.wiki_live.reading import (
    Place,
    articles_of,
    fault,
    parsed,
    references,
)
from bot.research.evaluation.wiki_live.values import Agency, Generated
from handlers.ports import PermanentError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def registered(place: Place) -> Mapping[str, Agency]:
    """Return the registered systems by name; none where there is no registry.

    Raises:
        PermanentError: the registry cannot be read.
    """
    if not place.registry.exists():
        return {}
    return {name: one.value() for name, one in _form(place.registry).agencies.items()}


def has_citations(agencies: Mapping[str, Agency], system: str) -> bool:
    """Tell whether a system's statements are expected to cite something."""
    return agencies[system].has_citations if system in agencies else True


def register(place: Place, name: str, agency: Agency) -> str:
    """Return the registry with one more system, as it is to be written.

    What else stands in the registry stays.

    Raises:
        PermanentError: the name cannot be used or is taken, or what it is called or
            described by is empty or too long.
    """
    if not _NAME.fullmatch(name):
        raise PermanentError(
            f"{name!r} cannot name a system: letters, digits, dots, dashes and"
            " underscores, the first one a letter or digit"
        )
    form = (
        _form(place.registry) if place.registry.exists() else RegistryForm(agencies={})
    )
    if name in form.agencies:
        raise PermanentError(f"{name} is registered already in {place.registry}")
    try:
        form.agencies[name] = AgencyForm(
            name=agency.name,
            description=agency.description,
            has_citations=agency.has_citations,
            enabled=agency.enabled,
        )
    except ValidationError as error:
        raise PermanentError(f"{name} cannot be registered: {fault(error)}") from error
    return json.dumps(form.model_dump(), indent=2, ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True)
class Entry:
    """A system, registered or not, and how much of it there is."""

    name: str
    agency: Agency | None
    articles: int
    statements: int
    faults: tuple[str, ...]


def entries(place: Place) -> Iterator[Entry]:
    """Yield every system that is registered or has articles, looked over.

    A fault is a line for a person: what is wrong, and of which article.
    """
    agencies = registered(place)
    known = {one.title for one in references(place)}
    for name in sorted({*agencies, *place.systems()}):
        yield _entry(place, name, agencies.get(name), known)


def _entry(place: Place, name: str, agency: Agency | None, known: set[str]) -> Entry:
    faults = [] if agency else ["it has articles but is not registered"]
    seen: set[str] = set()
    statements = 0
    try:
        for article in articles_of(place, name) if name in place.systems() else ():
            faults.extend(_faults(article, known, seen))
            seen.add(article.title)
            statements += len(article.statements)
    except PermanentError as error:
        faults.append(str(error))
    missing = sorted(known - seen)
    if missing:
        some = ", ".join(missing[:3]) + (" …" if len(missing) > 3 else "")  # noqa: PLR2004
        faults.append(f"no article of {len(missing)} subjects: {some}")
    return Entry(name, agency, len(seen), statements, tuple(faults))


def _faults(article: Generated, known: set[str], seen: set[str]) -> Iterator[str]:
    if article.title not in known:
        yield f"{article.title}: the benchmark has no such subject"
    if article.title in seen:
        yield f"{article.title}: it stands there twice"
    if not article.statements:
        yield f"{article.title}: it has no statement; extract them first"
    strange = {ref for one in article.statements for ref in one.refs} - {
        *article.citation_urls,
        *article.pages,
    }
    if strange:
        yield f"{article.title}: citation {min(strange)} is not in its list"


def _form(path: Path) -> RegistryForm:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PermanentError(
            f"{path} cannot be read ({error.strerror or error})"
        ) from error
    return parsed(path, content, RegistryForm)
