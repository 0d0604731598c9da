"""Plays a language model that knows its roles, from what each question shows."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.rig.language_model import Asked, Script, completion, http

Answer = dict[str, Any]
Play = Callable[[Asked], Answer]


def role_of(request: Asked) -> str:
    """The role that a question is for, by the form that it asks for."""
    schema = request.body["response_format"]["json_schema"]["schema"]
    names = frozenset(schema["properties"])
    return {
        frozenset({"sections"}): "criteria",
        frozenset({"step", "query", "document", "section", "why"}): "navigator",
        frozenset({"facts", "leads"}): "extractor",
        frozenset({"pairs"}): "second look",
    }[names]


def section_id(request: Asked, heading: str) -> str:
    found = re.search(
        rf"^(s\d+): {re.escape(heading)}",
        request.parts["sections of the article"],
        re.M,
    )
    assert found, request.parts
    return found[1]


def statement_id(request: Asked, words: str) -> str:
    statements = request.parts["statements of the article"]
    return next(line.split(":")[0] for line in statements.splitlines() if words in line)


def criteria(request: Asked) -> Answer:
    ids = [one.removeprefix("section ") for one in request.parts if one != "article"]
    return {
        "sections": [
            {"section": one, "kinds": ["closures and repairs", "honours it received"]}
            for one in ids[:-1]
        ]
    }


def step(**given: str) -> Answer:
    empty = {"step": "", "query": "", "document": "", "section": "", "why": "because"}
    return {**empty, **given}


def navigator(request: Asked) -> Answer:
    """Ask once, open all that is found, stop."""
    if any(one.startswith("document d1") for one in request.parts):
        return step(step="open", document="d1")
    if request.parts["queries so far"] == "(none)":
        return step(step="ask", query="Harbour Bridge news")
    return step(step="stop")


def fact(**given: str) -> Answer:
    names = ("quote", "fact", "ruling", "section", "target", "why")
    return {**dict.fromkeys(names, ""), **given}


def extractor(request: Asked) -> Answer:
    """Take the first sentence, in other words; a newer count replaces the old one."""
    text = request.parts["document: part 1"]
    quote = text[: text.index(". ") + 1]
    sentence = quote.replace("was closed", "closed").replace(
        ", the city council said", ""
    )
    sentence = sentence.replace(" in its traffic count", "").replace(
        "As of October 2026, ", ""
    )
    if "15,400" in quote:
        target = statement_id(request, "12,000 vehicles a day, of which")
        taken = fact(quote=quote, fact=sentence, ruling="replaces", target=target)
    else:
        section = section_id(request, "History")
        taken = fact(quote=quote, fact=sentence, ruling="new", section=section)
    return {"facts": [taken], "leads": []}


def second_look(request: Asked) -> Answer:
    """Call every pair outdated."""
    pairs = [one.removeprefix("pair ") for one in request.parts if one != "article"]
    return {"pairs": [{"pair": one, "verdict": "outdated"} for one in pairs]}


@dataclass
class Player:
    """Answers each role's questions by its play; `asked` holds them by role."""

    plays: dict[str, Play] = field(default_factory=dict)
    asked: dict[str, list[Asked]] = field(default_factory=dict)

    def content(self, request: Asked) -> str:
        role = role_of(request)
        self.asked.setdefault(role, []).append(request)
        default: dict[str, Play] = {
            "criteria": criteria,
            "navigator": navigator,
            "extractor": extractor,
            "second look": second_look,
        }
        return json.dumps(self.plays.get(role, default[role])(request))

    def count(self, role: str) -> int:
        return len(self.asked.get(role, ()))


def plays(player: Player, **failing: Script) -> Script:
    """Answer as the player does; a role that is `failing` by its script."""

    async def script(request: Asked, writer: asyncio.StreamWriter) -> None:
        role = role_of(request)
        if role in failing:
            player.asked.setdefault(role, []).append(request)
            await failing[role](request, writer)
            return
        writer.write(http("200 OK", completion(player.content(request), sent=request)))
        await writer.drain()

    return script
