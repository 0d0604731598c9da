"""Finds out whether a cited page once supported a claim and no longer does.

This is only done if today's page was read and does not support the claim: then the
archived copy nearest to the access date is read and judged on its own. If it supports
the claim, the page said this when it was cited, and the citation needs an archive link,
not another source. Pure; it awaits only its tools.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from types import MappingProxyType
from typing import NamedTuple

from handlers.citations.better_sources import best_evidence
from handlers.citations.passages import cut_beside, readable
from handlers.model import (
    ClaimCheck,
    Drift,
    Origin,
    Page,
    Source,
    SourceFetch,
    SourceForm,
    SourceText,
    UrlStatus,
    Verdict,
)
from handlers.page.markup import Kind, parameters_of, with_parameters
from handlers.page.scan import scan
from handlers.ports import ArchiveReader, Tools, Verifier
from handlers.sources.templates import (
    archive_address,
    escaped_address,
    fill,
    plain_address,
)

_CLAIMS_AT_ONCE = 4
_FAILS = frozenset(
    {Verdict.NOT_SUPPORTED, Verdict.CONTRADICTED, Verdict.PARTIALLY_SUPPORTED}
)
_OLD_STATUS = ("dead-url", "deadurl")
_OLD_COPY = ("archiveurl", "archivedate")


class _CopyNames(NamedTuple):
    """A template's parameters for an archived copy, its date and the address status."""

    address: str
    day: str
    status: str | None = None

    def values(self, address: str, day: str, status: UrlStatus) -> dict[str, str]:
        return {self.address: address, self.day: day, **self.state(status)}

    def state(self, status: UrlStatus) -> dict[str, str]:
        if self.status == _GERMAN_STATUS:
            return {} if status is UrlStatus.LIVE else {self.status: "1"}
        return {self.status: status.value} if self.status else {}


_GERMAN_STATUS = "offline"
_ENGLISH = _CopyNames("archive-url", "archive-date", "url-status")
# By the beginning of the template's name.
_COPY_NAMES = MappingProxyType(
    {
        "cite ": _ENGLISH,
        "citation": _ENGLISH,
        "internetquelle": _CopyNames("archiv-url", "archiv-datum", _GERMAN_STATUS),
        "lien web": _CopyNames("archive-url", "archive-date"),
        "cita ": _CopyNames("urlarchivo", "fechaarchivo"),
        "استشهاد ": _CopyNames("مسار أرشيف", "تاريخ أرشيف"),
    }
)


def _names_in(source: Source) -> _CopyNames | None:
    """Return the parameters of a citation's template; `None` if it is not known."""
    template = source.template or ""
    return next(
        (names for start, names in _COPY_NAMES.items() if template.startswith(start)),
        None,
    )


@dataclass(frozen=True, slots=True)
class DriftPolicy:
    """When an archived copy shows what the page said at the access date."""

    max_days: int = 180  # between the access date and the capture
    margin: float = 0.2  # by which the capture must beat today's page


async def find_drift(
    page: Page, checks: Sequence[ClaimCheck], tools: Tools, policy: DriftPolicy
) -> tuple[ClaimCheck, ...]:
    """Return `checks` in order, marking those whose cited page has changed."""
    if tools.archive is None:
        return tuple(checks)
    past = _Past(page, tools.archive, tools.verifier, policy)
    room = asyncio.Semaphore(_CLAIMS_AT_ONCE)

    async def checked(check: ClaimCheck) -> ClaimCheck:
        async with room:
            drift = await past.find(check)
        return replace(check, drift=drift) if drift else check

    return tuple(await asyncio.gather(*map(checked, checks)))


@dataclass(frozen=True, slots=True)
class _Past:
    """What the pages that an article cites said when it cited them."""

    page: Page
    archive: ArchiveReader
    verifier: Verifier
    policy: DriftPolicy

    async def find(self, check: ClaimCheck) -> Drift | None:
        """Return the first cited page that supported the claim once but not now."""
        if check.verdict not in _FAILS or check.verification is None:
            return None
        present = check.verification.probabilities.supported
        for today in check.fetches:
            day = today.source.access_date or today.source.archive_date
            if today.origin is Origin.LIVE and day is not None:
                near = await self.archive.read_near(today.source, day)
                then = readable(near, self.page.id.wiki)
                if _is_of_use(then, today, day, self.policy.max_days):
                    drift = await self._judged(check, then, present)
                    if drift is not None:
                        return drift
        return None

    async def _judged(
        self, check: ClaimCheck, then: SourceFetch, present: float
    ) -> Drift | None:
        document = then.document or SourceText("")
        passages = await cut_beside(document, then.key)
        if not passages:
            return None
        found = await self.verifier.verify(self.page.id.title, check.claim, passages)
        evidence = best_evidence(found, document)
        probability = found.probabilities.supported
        if evidence is None or found.verdict is not Verdict.SUPPORTED:
            return None
        if probability < present + self.policy.margin:
            return None
        return Drift(
            archived=then,
            evidence=evidence,
            probability=probability,
            present=present,
            cited_on=then.source.access_date,
            archive_url=_address(then),
            template=_template(then, self.page.id.wiki),
        )


def _is_of_use(then: SourceFetch, today: SourceFetch, day: date, max_days: int) -> bool:
    """Whether the text differs from today's and was captured around the citation date.

    The copy that the citation itself names was chosen by an editor: it may have any
    date.
    """
    if then.document is None or then.origin is not Origin.ARCHIVE:
        return False
    if today.document is not None and then.document.text == today.document.text:
        return False
    if _is_own_copy(then):
        return True
    if then.read_at is None:
        return False
    return abs(then.read_at.date() - day) <= timedelta(days=max_days)


def _is_own_copy(then: SourceFetch) -> bool:
    own = then.source.archive_url
    return own is not None and _bare(own) == _bare(archive_address(then))


def _bare(address: str) -> str:
    return plain_address(address).partition("://")[2].removeprefix("www.")


def _address(then: SourceFetch) -> str:
    own = then.source.archive_url
    return own if own and _is_own_copy(then) else archive_address(then)


# --- the citation, with the copy filled in ---


def with_copy(source: Source, citation: str) -> str | None:
    """Return `source` as it is now, with the copy that `citation` was filled with.

    Edits made to it since are kept. `None` if it is not a template of the kind that was
    filled.
    """
    names = _names_in(source)
    if names is None:
        return None
    filled = next(iter(scan(citation).elements), None)
    if filled is None or filled.kind is not Kind.TEMPLATE:
        return None
    values = {
        name: citation[start:end].strip()
        for name, start, end in parameters_of(citation, filled)
        if name in names
    }
    old = _OLD_COPY if names.address in values else ()
    return with_parameters(source.raw, values, without=_OLD_STATUS + old)


def with_archive(
    source: Source, archived: str, captured: date, status: UrlStatus
) -> str | None:
    """Return a citation with an archived copy added, otherwise unchanged.

    `None` if its template's parameters are not known, or it already has a copy.
    """
    address = escaped_address(plain_address(archived))
    names = _names_in(source)
    if address is None or names is None or source.archive_url:
        return None
    values = names.values(address, captured.isoformat(), status)
    return with_parameters(source.raw, values, without=_OLD_STATUS + _OLD_COPY)


def with_archive_read(copy: SourceFetch) -> str | None:
    """Return a dead link's citation with the archived copy that was read."""
    if copy.read_at is None:
        return None
    day = copy.read_at.date()
    return with_archive(copy.source, archive_address(copy), day, UrlStatus.DEAD)


def _template(then: SourceFetch, wiki: str) -> str | None:
    source = then.source
    if source.form is SourceForm.URL:
        return fill(then, wiki, url_status=UrlStatus.DEVIATED)
    names = _names_in(source)
    if names is None:
        return None
    if _is_own_copy(then):
        status = names.state(UrlStatus.DEVIATED)
        return with_parameters(source.raw, status, without=_OLD_STATUS)
    address = escaped_address(archive_address(then))
    if address is None or then.read_at is None:
        return None
    captured = then.read_at.date().isoformat()
    values = names.values(address, captured, UrlStatus.DEVIATED)
    return with_parameters(source.raw, values, without=_OLD_STATUS + _OLD_COPY)
