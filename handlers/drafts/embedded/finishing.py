"""Finishes a draft: short description, infobox and categories, from stated facts only.

What a page says the topic is ("… is a 2023 Italian film directed by …") is its short
description, cut where it goes into detail. Nothing is made up; what no page states is
not there. English only, but for the infobox's figures. Pure.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from handlers.drafts.embedded.boxes import fields_of, template_of
from handlers.drafts.embedded.defining import definition
from handlers.drafts.embedded.kinds import kind_of
from handlers.model import Draft
from handlers.updates.extracting import form
from handlers.updates.extracting.prose import sentences

_DETAIL = re.compile(
    r",| (?:that|which|who|whose|where|when|while|starring|directed|written|produced|created|based|held|featuring|involving|following|and (?:is|was|the)|because|after|as|to be|which|for the|released|developed|hosted|located|set|made|by) "
)
_LONGEST, _FEWEST_WORDS = 60, 2
_OPENING = 6_000  # characters of a page in which it says what the topic is
_ARTICLE = re.compile(r"^an? (?!few\b|lot\b|mixed\b|bit\b|total\b|number\b)")
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
_DATED = re.compile(r"an? (1[5-9]\d\d|20\d\d) ")
_OPINION = re.compile(
    r"\b(?:best|worst|great\w*|amazing|stunning|funny|deadliest|beautiful|powerful|fascinating|beloved|iconic|famous|popular|must|interesting|unique|perfect|critical|hit|success\w*|intricate|devastating|unprecedented|quintessential|remarkable|notable|new|upcoming|long-awaited|exciting|fantastic|rich|wonderful|real|true|major|big|key|huge|very|so)\b",
    re.IGNORECASE,
)
_TELEVISION = re.compile(
    r"\b(?:TV|television|season|series|episode|miniseries|sitcom)\b", re.IGNORECASE
)
_CATEGORIES = (
    (r"\bTV series\b|television series|miniseries", "{year} television series debuts"),
    (r"\bfilms?\b(?! (?:awards?|festival|series))", "{year} films"),
    (r"\balbum\b", "{year} albums"),
    (r"\bsongs?\b(?! contest)", "{year} songs"),
    (r"\bnovel\b", "{year} novels"),
    (r"\bvideo game\b", "{year} video games"),
    (r"\belections?\b", "{year} elections"),
    (r"\bfloods?\b|\bflooding\b", "{year} floods"),
    (r"\bearthquake\b", "{year} earthquakes"),
    (r"\bconcert tour\b", "{year} concert tours"),
    (
        r"\bstrikes?\b|\blabou?r dispute\b|\bfirefighter dispute\b",
        "{year} labor disputes and strikes",
    ),
    (r"\bshooting\b|\bmurder\b|\bkilling\b|\battack\b", "{year} crimes"),
    (r"\btreaty\b", "Treaties concluded in {year}"),
)


def finished(draft: Draft) -> Draft:
    """Return the draft with what its sentences and documents state for certain."""
    kind = _kind(draft)
    fields = fields_of(draft, kind)
    if not draft.topic.language.startswith("en"):
        return replace(draft, infobox=fields)
    year = _main_year(draft)
    told = next(
        (
            one
            for one in _definitions(draft)
            if not (found := _DATED.match(one)) or found[1] == year
        ),
        "",
    )
    return replace(
        draft,
        short_description=_short(told),
        infobox=fields,
        infobox_template=template_of(kind) if fields else "",
        categories=tuple(_categories(draft, told, year)),
    )


def _kind(draft: Draft) -> str:
    lead = " ".join(one.text for one in draft.sentences[:5])
    kind = kind_of(draft.topic.title, lead, draft.topic.language).name
    if kind == "screen" and _TELEVISION.search(f"{draft.topic.title} {lead}"):
        return "television"
    return kind


def _definitions(draft: Draft) -> Iterator[str]:
    """Yield what sentences say that the topic is, those of the draft first."""
    for one in draft.sentences:
        told = definition(draft.topic, one.text)
        if told:
            yield told
    for document in draft.documents:
        source = document.reading.document
        for sentence in sentences(source.text[:_OPENING]) if source else ():
            told = definition(draft.topic, sentence.text)
            if told and form.fault(sentence.text, frozenset(), is_english=True) is None:
                yield told


def _short(told: str) -> str:
    """Return "Italian film of 2023" for "an Italian film of 2023 directed by …"."""
    if not _ARTICLE.match(told):
        return ""
    plain = _ARTICLE.sub("", told).strip()
    cut = _DETAIL.split(f"{plain} ", maxsplit=1)[0].strip(" .")
    if len(cut) > _LONGEST or len(cut.split()) < _FEWEST_WORDS or _OPINION.search(cut):
        return ""
    return cut[0].upper() + cut[1:]


def _main_year(draft: Draft) -> str:
    """Return the year of the title, else the one that most sentences are of."""
    titled = _YEAR.search(draft.topic.title)
    if titled:
        return titled[1]
    counted = Counter(
        year for one in draft.sentences for year in {*_YEAR.findall(one.text)}
    )
    return max(counted, key=lambda year: (counted[year], year), default="")


def _categories(draft: Draft, told: str, year: str) -> Iterator[str]:
    """Yield categories for which title or definition give both the kind and the year."""
    said = f"{draft.topic.title} {_DETAIL.split(told, maxsplit=1)[0]}"
    if not (_YEAR.search(draft.topic.title) or _DATED.match(told)):
        return
    for pattern, category in _CATEGORIES:
        if re.search(pattern, said, re.IGNORECASE):
            yield category.format(year=year)
            return
