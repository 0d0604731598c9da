"""Tells which headings of a model may stand in a draft. Pure."""

import re

from handlers.drafts.by_model.stating import no_statement
from handlers.model import Topic
from handlers.updates.by_model.asking import line
from handlers.updates.headings import is_apparatus
from handlers.wikitext.anchors import normalised

_LONGEST = 80  # characters
_MOST_WORDS = 8
_AROUND = re.compile(r"^[\s=#*:.\-–—]+|^\d{1,2}[.)]\s+|[\s=#*:.\-–—]+$")
# What a lead is called where somebody gave it a heading; Wikipedia gives it none.
_LEADS = frozenset(
    """lead,introduction,intro,overview,summary,abstract,einleitung,überblick,
    zusammenfassung,résumé,introducción,resumen,introduzione,introdução,inleiding,
    wstęp,введение,inledning""".replace("\n    ", "").split(",")
)
# What essays have and articles have not.
_ENDS = frozenset(
    """conclusion,conclusions,concluding remarks,final thoughts,fazit,schluss,
    conclusión,conclusiones,conclusione,conclusão,conclusie""".replace(
        "\n    ", ""
    ).split(",")
)


def cleaned(heading: str) -> str:
    """Return a heading on one line, without the signs that models put around it."""
    text, before = line(heading, 4 * _LONGEST), ""
    while text != before:
        text, before = _AROUND.sub("", text), text
    return text


def is_lead(heading: str) -> bool:
    """Tell whether a cleaned heading is none, or a name for the lead."""
    return not heading or normalised(heading) in _LEADS


def is_usable(heading: str, topic: Topic) -> bool:
    """Tell whether a cleaned heading may stand over a section of its own."""
    folded = normalised(heading)
    if not folded or len(heading) > _LONGEST or len(heading.split()) > _MOST_WORDS:
        return False
    if folded in _LEADS | _ENDS | {normalised(topic.title)}:
        return False
    return not is_apparatus((heading,)) and no_statement(heading) is None
