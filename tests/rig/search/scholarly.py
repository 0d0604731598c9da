"""What Crossref and OpenAlex expect and answer: works that have a DOI."""

from collections.abc import Sequence
from datetime import date

from aiohttp import web

from tests.rig.search.asked import Asked, RefusedRequest, Stand, as_json, day
from tests.rig.search.shelf import Shelved


def crossref(request: Asked, stand: Stand) -> web.Response:
    """Answer as Crossref does, with its pace in the headers."""
    parameters = request.parameters
    if not parameters.get("query.bibliographic"):
        return as_json({"status": "ok", "message-type": "work-list", "message": {}})
    since, until = _filtered(
        parameters.get("filter", ""), "from-pub-date", "until-pub-date"
    )
    items = [
        {
            "DOI": page.doi,
            "title": [page.title],
            "abstract": f"<jats:p>{page.text}</jats:p>",
            "published": {"date-parts": [list(page.published.timetuple()[:3])]},
            "language": page.language,
            "score": 20.0,
        }
        for page in _scholarly(stand, parameters["query.bibliographic"], since, until)
    ]
    message = {"total-results": len(items), "items": items[: int(parameters["rows"])]}
    content = {"status": "ok", "message-type": "work-list", "message": message}
    pace = {"x-rate-limit-limit": "50", "x-rate-limit-interval": "1s"}
    return as_json(content, headers=pace)


def openalex(request: Asked, stand: Stand) -> web.Response:
    """Answer as OpenAlex does, with abstracts as an index from words to positions."""
    parameters = request.parameters
    if parameters.get("api_key") not in {stand.key, None}:
        error = {"error": "Invalid API key", "message": "The API key is not known."}
        return as_json(error, 403)
    if not parameters.get("search"):
        return as_json({"error": "Invalid query parameters error."}, 400)
    since, until = _filtered(
        parameters.get("filter", ""), "from_publication_date", "to_publication_date"
    )
    results = [
        {
            "id": "https://openalex.org/W1",
            "doi": f"https://doi.org/{page.doi}",
            "title": page.title,
            "publication_date": str(page.published),
            "primary_location": {"landing_page_url": page.address},
            "language": page.language,
            "abstract_inverted_index": _inverted(page.text),
            "is_retracted": "Retracted" in page.title,
        }
        for page in _scholarly(stand, parameters["search"], since, until)
    ]
    return as_json({"meta": {"count": len(results)}, "results": results})


def _scholarly(
    stand: Stand, words: str, since: date | None, until: date | None
) -> Sequence[Shelved]:
    return [page for page in stand.shelf.ranked(words, since, until) if page.doi]


def _filtered(text: str, first: str, last: str) -> tuple[date | None, date | None]:
    given = dict(part.split(":", 1) for part in text.split(",") if part)
    if unknown := set(given) - {first, last, "language"}:
        raise RefusedRequest(as_json({"error": f"unknown filter {unknown}"}, 400))
    days = {
        name: day(given[name], "%Y-%m-%d") for name in (first, last) if name in given
    }
    return days.get(first), days.get(last)


def _inverted(text: str) -> dict[str, list[int]]:
    index: dict[str, list[int]] = {}
    for place, word in enumerate(text.split()):
        index.setdefault(word, []).append(place)
    return index
