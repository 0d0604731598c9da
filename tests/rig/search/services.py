"""What each search service expects, answers, and says when it refuses."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from types import MappingProxyType

from aiohttp import web

from tests.rig.search import scholarly
from tests.rig.search.asked import (
    Asked,
    Stand,
    as_json,
    as_text,
    day,
    range_of,
)
from tests.rig.search.shelf import Shelved

_NAMES = {"en": "English", "de": "German", "fr": "French", "es": "Spanish"}
_QUARTER = timedelta(days=93)
_MOST_RECORDS = 250
_SHORTEST_PHRASE = 5
_WEEK = 7

Answering = Callable[[Asked, Stand], web.Response]


def gdelt(request: Asked, stand: Stand) -> web.Response:
    """Answer as GDELT's DOC 2.0 does: errors are plain text with status 200."""
    parameters = request.parameters
    if complaint := _complaint(parameters):
        return as_text(complaint)
    words = parameters["query"]
    since, until = stand.today - _QUARTER, stand.today
    if "startdatetime" in parameters:
        since = day(parameters["startdatetime"], "%Y%m%d%H%M%S")
        until = day(parameters["enddatetime"], "%Y%m%d%H%M%S")
    if until - since > _QUARTER:
        return as_text("Timespan is too long.")
    language = words.partition("sourcelang:")[2].split(" ")[0]
    found = [
        page
        for page in stand.shelf.with_all(words, since, until)
        if not language or _NAMES[page.language].lower() == language
    ]
    return as_json({"articles": [_article(page) for page in found]} if found else {})


def _complaint(given: Mapping[str, str]) -> str:
    words = given.get("query", "")
    wrong = {
        "Invalid mode.": given.get("mode", "").lower() != "artlist",
        "Invalid format.": given.get("format") != "json",
        "Your query was too short or too long.": not words.strip(),
        "The specified phrase is too short.": any(
            len(one) < _SHORTEST_PHRASE for one in words.split('"')[1::2]
        ),
        "Queries containing OR'd terms must be surrounded by ().": " OR " in words
        and "(" not in words,
        "Invalid maxrecords.": int(given.get("maxrecords", "75")) > _MOST_RECORDS,
    }
    return next((complaint for complaint, is_so in wrong.items() if is_so), "")


def _article(page: Shelved) -> dict[str, str]:
    return {
        "url": page.address,
        "url_mobile": "",
        "title": page.title.replace(".", " ."),
        "seendate": f"{page.published:%Y%m%d}T031500Z",
        "socialimage": "",
        "domain": page.address.split("/")[2],
        "language": _NAMES[page.language],
        "sourcecountry": "United Kingdom",
    }


def searxng(request: Asked, stand: Stand) -> web.Response:
    """Answer as an instance of SearXNG does."""
    parameters = request.parameters
    if parameters.get("format") != "json":
        return as_text("<!DOCTYPE html><html></html>")
    if not parameters.get("q"):
        return as_json({"error": "No query"}, 400)
    spans = {"day": 1, "week": 7, "month": 31, "year": 366, "": 40_000}
    since = stand.today - timedelta(days=spans[parameters.get("time_range", "")])
    results = [
        {
            "url": page.address,
            "title": page.title,
            "content": page.text,
            "publishedDate": f"{page.published}T00:00:00",
            "engine": "mojeek",
            "engines": ["mojeek"],
            "score": 1.0 / rank,
            "category": "general",
        }
        for rank, page in enumerate(stand.shelf.ranked(parameters["q"], since), start=1)
    ]
    content = {
        "query": parameters["q"],
        "number_of_results": 0,
        "results": results,
        "answers": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [],
    }
    return as_json(content)


def brave(request: Asked, stand: Stand) -> web.Response:
    """Answer as Brave does; a wrong key is 422."""
    parameters = request.parameters
    if request.headers.get("X-Subscription-Token") != stand.key:
        code = "SUBSCRIPTION_TOKEN_INVALID"
        return _brave_error(422, code, "The provided subscription token is invalid.")
    words = parameters.get("q", "")
    is_in_form = 0 < len(words) <= 400 and len(words.split()) <= 50
    if not is_in_form or not 1 <= int(parameters.get("count", "20")) <= 20:
        return _brave_error(
            422, "VALIDATION", "Unable to validate request parameter(s)"
        )
    since, until = None, None
    if "freshness" in parameters:
        since, until = range_of(parameters["freshness"], "to", "%Y-%m-%d")
    found = stand.shelf.ranked(words, since, until)
    results = [_brave_result(page) for page in found]
    content = {
        "type": "search",
        "query": {"original": words, "more_results_available": False},
        "web": {"type": "search", "results": results[: int(parameters["count"])]},
    }
    return as_json(content, headers={"X-RateLimit-Remaining": "1, 1999"})


def _brave_result(page: Shelved) -> dict[str, object]:
    return {
        "title": page.title,
        "url": page.address,
        "description": f"<strong>{page.title}</strong>: {page.text}",
        "page_age": f"{page.published}T08:30:00",
        "age": f"{page.published:%B %d, %Y}",
        "language": page.language,
        "extra_snippets": [page.text],
    }


def _brave_error(status: int, code: str, detail: str) -> web.Response:
    error = {"id": "0", "status": status, "code": code, "detail": detail, "meta": {}}
    return as_json({"type": "ErrorResponse", "error": error, "time": 0}, status)


def serper(request: Asked, stand: Stand) -> web.Response:
    """Answer as Serper does, with dates in Google's format."""
    if request.headers.get("X-API-KEY") != stand.key:
        return as_json({"message": "Unauthorized.", "statusCode": 403}, 403)
    if not request.body.get("q"):
        return as_json({"message": "Missing query parameter", "statusCode": 400}, 400)
    given = dict(
        part.partition(":")[::2] for part in str(request.body.get("tbs", "")).split(",")
    )
    since = day(given["cd_min"], "%m/%d/%Y") if "cd_min" in given else None
    until = day(given["cd_max"], "%m/%d/%Y") if "cd_max" in given else None
    organic = [
        {
            "title": page.title,
            "link": page.address,
            "snippet": page.text,
            "date": _in_googles_words(page.published, stand.today),
            "position": position,
        }
        for position, page in enumerate(
            stand.shelf.ranked(request.body["q"], since, until), start=1
        )
    ]
    content = {"searchParameters": dict(request.body), "organic": organic, "credits": 1}
    return as_json(content)


def _in_googles_words(published: date, today: date) -> str:
    days = (today - published).days
    if 0 < days < _WEEK:
        return f"{days} days ago"
    return f"{published:%b} {published.day}, {published.year}"


def google(request: Asked, stand: Stand) -> web.Response:
    """Answer as Google's Programmable Search does; a wrong key is 400."""
    parameters = request.parameters
    if parameters.get("key") != stand.key:
        message = "API key not valid. Please pass a valid API key."
        return google_error(400, "badRequest", message)
    if not parameters.get("cx") or not parameters.get("q"):
        message = "Request contains an invalid argument."
        return google_error(400, "badRequest", message)
    if not 1 <= int(parameters.get("num", "10")) <= 10:
        return google_error(400, "badRequest", "Request contains an invalid argument.")
    since, until = None, None
    if "sort" in parameters:
        since, until = range_of(
            parameters["sort"].removeprefix("date:r:"), ":", "%Y%m%d"
        )
    items = [
        {
            "kind": "customsearch#result",
            "title": page.title,
            "link": page.address,
            "snippet": page.text,
            "pagemap": {
                "metatags": [{"article:published_time": f"{page.published}T08:00:00Z"}]
            },
        }
        for page in stand.shelf.ranked(parameters["q"], since, until)
    ]
    found = {"items": items[: int(parameters["num"])]} if items else {}
    return as_json({"kind": "customsearch#search", **found})


def google_error(status: int, reason: str, message: str) -> web.Response:
    """Return a refusal in the form of Google's interfaces."""
    errors = [{"message": message, "domain": "global", "reason": reason}]
    error = {"code": status, "message": message, "errors": errors}
    return as_json({"error": error}, status)


SERVICES: Mapping[str, Answering] = MappingProxyType(
    {
        "gdelt": gdelt,
        "searxng": searxng,
        "brave": brave,
        "serper": serper,
        "google": google,
        "crossref": scholarly.crossref,
        "openalex": scholarly.openalex,
    }
)
