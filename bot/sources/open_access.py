"""Where a free copy of a paper lies: what to ask the services that know. Pure.

Unpaywall knows by DOI, Europe PMC by DOI, PMID and PMC number, and arXiv serves what it
has under its own identifier. A publisher's page is mostly an abstract or a wall; the copy
has the text.
"""

import json
import re
from collections.abc import Iterator
from enum import Enum
from typing import Any
from urllib.parse import quote, urlencode

from bot.sources.settings import Services
from handlers.citations.addresses import doi_of
from handlers.model import Source

_PMC = re.compile(r"(?:PMC)?([0-9]{1,12})", re.IGNORECASE | re.ASCII)
_PMID = re.compile(r"([0-9]{1,12})", re.ASCII)
_ARXIV = re.compile(
    r"(?:arXiv:|https?://arxiv\.org/(?:abs|pdf)/|10\.48550/arxiv\.)?"
    r"([a-z.-]{1,20}/[0-9]{7}(?:v[0-9]{1,3})?|[0-9]{4}\.[0-9]{4,5}(?:v[0-9]{1,3})?)"
    r"(?:\.pdf)?",
    re.I | re.A,
)
_VERSIONS = ("publishedVersion", "acceptedVersion")
_MOST_COPIES = 3
_FREE = frozenset({"OA", "F"})


class Catalogue(Enum):
    """Who is asked where a free copy lies."""

    UNPAYWALL = "Unpaywall"
    EUROPE_PMC = "Europe PMC"


def questions(source: Source, services: Services) -> Iterator[tuple[Catalogue, str]]:
    """Yield the addresses that tell where a free copy of `source` lies."""
    doi = doi_of(source)
    if doi and services.unpaywall and services.unpaywall_email:
        asked = urlencode({"email": services.unpaywall_email})
        name = quote(doi, safe="/:;().")
        yield Catalogue.UNPAYWALL, f"{services.unpaywall}/{name}?{asked}"
    pmc, pmid = _matched(_PMC, source.pmc), _matched(_PMID, source.pmid)
    if services.europe_pmc and (pmc or pmid or doi):
        named = f"PMCID:PMC{pmc}" if pmc else f"EXT_ID:{pmid} AND SRC:MED"
        query = named if pmc or pmid else f'DOI:"{(doi or "").replace(chr(34), "")}"'
        asked = urlencode(
            {"query": query, "resultType": "core", "pageSize": 1, "format": "json"}
        )
        yield Catalogue.EUROPE_PMC, f"{services.europe_pmc}/search?{asked}"


def arxiv_copy(source: Source, services: Services) -> str | None:
    """Return the address of the paper itself, of which arXiv's page is the abstract."""
    if not services.arxiv_papers:
        return None
    own = source.arxiv or (doi_of(source) if not source.url else source.url)
    found = _matched(_ARXIV, own)
    return services.arxiv_papers + found if found else None


def copies(catalogue: Catalogue, body: bytes) -> tuple[str, ...]:
    """Return the addresses of free copies that an answer names, the best first.

    The published text comes first, then the manuscript that was accepted; one that was
    only submitted may say something else, and is left out.
    """
    try:
        answer = json.loads(body)
        found = (
            _of_unpaywall(answer)
            if catalogue is Catalogue.UNPAYWALL
            else _of_europe_pmc(answer)
        )
        named = [one for one in found if isinstance(one, str) and "://" in one]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ()
    return tuple(dict.fromkeys(named))[:_MOST_COPIES]


def _of_unpaywall(answer: Any) -> list[Any]:
    best = answer.get("best_oa_location")
    locations = [*([best] if best else []), *(answer.get("oa_locations") or [])]
    usable = [one for one in locations if one.get("version") in _VERSIONS]
    usable.sort(key=lambda one: _VERSIONS.index(one["version"]))
    return [one.get("url_for_pdf") or one.get("url") for one in usable]


def _of_europe_pmc(answer: Any) -> list[Any]:
    [found, *_] = answer["resultList"]["result"]
    listed = found["fullTextUrlList"]["fullTextUrl"]
    free = [one for one in listed if one.get("availabilityCode") in _FREE]
    free.sort(key=lambda one: one.get("documentStyle") != "pdf")
    return [one.get("url") for one in free if one.get("documentStyle") != "doi"]


def _matched(form: re.Pattern[str], written: str | None) -> str | None:
    found = form.fullmatch((written or "").strip())
    return found[1] if found else None
