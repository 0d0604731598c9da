"""Fits the model that recognises pages without a text by their words.

Real paywalls and errors are rare in what articles cite, so notices written for this
purpose (`pages.json`) are placed between the menus of real pages. Sentences and table
rows of good pages are placed between the same menus, so that a menu gives nothing away.
A third of the sites is kept aside for the figures. The same data give the same weights.
"""

import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha1
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_selection import chi2
from sklearn.linear_model import LogisticRegression

from bot.sources.extraction.page_kinds import (
    LONGEST,
    classify_plain,
    measures_of,
    sentences_of,
    terms_of,
    words_of,
)
from bot.sources.extraction.text import clean_text
from handlers.documents.language import languages_of

PAGE = "page"
_SEED = 7
_KEPT_ASIDE = 30  # per cent of the sites
_TERMS = 2000
_LEAST_PAGES = 6  # that a term must occur on
_STRENGTH = 1.0  # scikit-learn's C
_THRESHOLD = 0.5
_LONGEST_EXAMPLE = 6000
_MANY_SENTENCES = 8
_SHORT_NOTICE = 900  # characters
_NUMBERS = 0.13  # share of words that are numbers, from which a page is a table
_SHORT_LINE = 35
_LEAST_MENU = 6  # lines
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]\[]*)\]\([^)]*\)")
_RULER = re.compile(r"^[=\-*_#>\s|]+$|^\s*[*#>+-]+\s+|https?://\S+|\*\*", re.MULTILINE)
_TABLE = re.compile(r"\{\|.*?\n\|\}", re.DOTALL)
_MARKUP = re.compile(r"<ref[^>]*/>|<ref.*?</ref>|<[^>]+>|\{\{[^{}]*\}\}", re.DOTALL)
_WIKILINK = re.compile(r"\[\[(?:[^\]|]*\|)?([^\]]*)\]\]")
_JUDGED = ("judged_claims/train", "judged_claims/dev", "wice/claim_full_dev")


@dataclass(frozen=True, slots=True)
class Example:
    """A text, the kind of page it is, and where it is from."""

    text: str
    kind: str
    origin: str
    weight: float = 1.0


@dataclass(slots=True)
class _Part:
    examples: list[Example] = field(default_factory=list)
    menus: list[list[str]] = field(default_factory=list)
    stories: list[list[str]] = field(default_factory=list)
    tables: list[list[str]] = field(default_factory=list)


def train(data: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the model as it is saved, and its figures on the sites kept aside."""
    dice = random.Random(_SEED)  # noqa: S311 - the same draws each time
    fit, aside = _Part(), _Part()
    ours = json.loads(
        files("bot.research.training").joinpath("pages.json").read_text("utf-8")
    )
    _read(data, ours["signs"], lambda key: aside if _is_aside(key) else fit)
    _add_notices(fit, ours["notices"], dice)
    for part, scale in ((fit, 3), (aside, 1)):
        _add_made(part, scale, dice)
    model = _fitted(fit.examples)
    return model, _figures(model, aside.examples)


def _is_aside(key: str) -> bool:
    return int(sha1(key.encode(), usedforsecurity=False).hexdigest(), 16) % 100 < (
        _KEPT_ASIDE
    )


# --- reading ---


def _read(
    data: Path, signs: Mapping[str, Sequence[str]], part_of: Callable[[str], _Part]
) -> None:
    seen = set()
    for origin, key, text in _texts(data):
        body = text[:3000]
        if body in seen or not _is_english(text):
            continue
        seen.add(body)
        part = part_of(key)
        example = _labelled(origin, text, signs)
        if example:
            part.examples.append(example)
        if origin == "web":
            part.menus += _menus(text)[:3]
        elif len(sentences_of(text)) > 2:  # noqa: PLR2004 - enough to cut from
            part.stories.append(sentences_of(text))
    for file in sorted((data / "wikitext_articles" / "text").glob("*")):
        part_of(file.name).tables += _tables(file.read_text("utf-8", "replace"))


def _texts(data: Path) -> Iterator[tuple[str, str, str]]:
    """Yield origin, site and text of each page."""
    for url, text in _web_pages(data):
        yield "web", _site(url), text
    for name in _JUDGED:
        for row in _rows(data / f"{name}.jsonl.gz"):
            lines = row["evidence"]
            text = lines if isinstance(lines, str) else "\n".join(lines)
            yield "judged", str(row.get("group") or row["id"]), clean_text(text)


def _web_pages(data: Path) -> Iterator[tuple[str | None, str]]:
    for file in sorted((data / "wiki_live_challenge" / "systems_dev").glob("*.gz")):
        for row in _rows(file):
            for page in (row.get("citation_contents") or {}).values():
                if isinstance(page, dict) and page.get("content"):
                    yield page.get("url"), _plain(page["content"])
    for row in _rows(data / "wikigenbench" / "events_dev.jsonl.gz"):
        for page in row["search_documents"]:
            yield page.get("link"), clean_text(page.get("text") or "")


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _site(url: str | None) -> str:
    try:
        return urlsplit(url or "").hostname or ""
    except ValueError:
        return ""


def _plain(markdown: str) -> str:
    text = _LINK.sub(r"\1", _LINK.sub(r"\1", _IMAGE.sub(" ", markdown)))
    return clean_text(_RULER.sub("", text).replace("_", " "))


def _is_english(text: str) -> bool:
    languages = languages_of(text)
    return not languages or languages[0].code == "en"


def _labelled(
    origin: str, text: str, signs: Mapping[str, Sequence[str]]
) -> Example | None:
    if origin == "judged":
        short = len(text) < _LONGEST_EXAMPLE
        return Example(text, PAGE, "judged") if short else None
    wall = classify_plain(text)
    if wall:
        return Example(text, wall.outcome.name.lower(), "known to the rules")
    kind = _signed(text, signs)
    if kind:
        return Example(text, kind, "unknown to the rules")
    return _good(text) if len(text) < _LONGEST_EXAMPLE else None


def _signed(text: str, signs: Mapping[str, Sequence[str]]) -> str | None:
    """Return the kind of a short page that shows a sign of it and has little prose."""
    if len(text) > _SHORT_NOTICE or len(sentences_of(text)) >= _MANY_SENTENCES // 2:
        return None
    lowered = text.lower()
    return next(
        (kind for kind, all_ in signs.items() if any(one in lowered for one in all_)),
        None,
    )


def _good(text: str) -> Example | None:
    if len(sentences_of(text)) >= _MANY_SENTENCES:
        return Example(text, PAGE, "web", 0.5)
    words = words_of(text)
    numbers = sum(word[0] == "#" for word in words) / (len(words) or 1)
    if len(text) > _SHORT_NOTICE // 2 and numbers > _NUMBERS:
        return Example(text, PAGE, "web table", 0.7)
    return None


def _menus(text: str) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for line in text.split("\n"):
        has_number = re.search(r"\d{2,}", line)
        if len(line) < _SHORT_LINE and not line.endswith(".") and not has_number:
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [menu for menu in found if len(menu) >= _LEAST_MENU]


def _tables(wikitext: str) -> list[list[str]]:
    text = _MARKUP.sub("", _MARKUP.sub("", wikitext))
    tables = []
    for table in _TABLE.findall(text):
        rows = []
        for row in table.split("\n|-"):
            cells = re.split(r"\|\||!!|\n[|!]", row)[1:]
            words = [
                _WIKILINK.sub(r"\1", cell.split("|")[-1]).strip() for cell in cells
            ]
            rows.append(" | ".join(word for word in words if word))
        rows = [row for row in rows if row]
        if len(rows) >= 4:  # noqa: PLR2004 - fewer lines show no table
            tables.append(rows)
    return tables


# --- making examples ---


def _add_notices(
    part: _Part, notices: Mapping[str, Sequence[str]], dice: random.Random
) -> None:
    for kind, texts in notices.items():
        for text in texts:
            pieces = re.split(r"(?<=[.!?]) ", text)
            part.examples += [
                Example(text, kind, "written"),
                Example("\n".join(pieces), kind, "written"),
            ]
            for _ in range(12):
                some = pieces
                if kind != "boilerplate" and len(pieces) > 2 and dice.random() < 0.5:  # noqa: PLR2004
                    some = pieces[: dice.randint(2, len(pieces))]
                core = some if dice.random() < 0.5 else [" ".join(some)]  # noqa: PLR2004
                made = _between_menus(core, part.menus, dice)
                part.examples.append(Example(made, kind, "written"))


def _add_made(part: _Part, scale: int, dice: random.Random) -> None:
    for _ in range(170 * scale):
        menus = [_menu(part.menus, dice) for _ in range(dice.randint(1, 4))]
        text = "\n".join(line for menu in menus for line in menu)
        part.examples.append(Example(text, "boilerplate", "menus", 0.6))
    for lines, most, origin in (
        (part.stories, 7, "cut from a story"),
        (part.tables, 40, "cut from a table"),
    ):
        for _ in range(450 * scale):
            whole = dice.choice(lines)
            count = dice.randint(1 if most < 10 else 4, most)  # noqa: PLR2004
            first = dice.randint(0, max(0, len(whole) - count))
            core = whole[first : first + count]
            alone = dice.random() < 0.25  # noqa: PLR2004
            text = "\n".join(core) if alone else _between_menus(core, part.menus, dice)
            name = f"{origin}, alone" if alone else f"{origin}, among menus"
            part.examples.append(Example(text, PAGE, name))


def _between_menus(
    core: Sequence[str], menus: Sequence[list[str]], dice: random.Random
) -> str:
    before = _menu(menus, dice) if dice.random() < 0.6 else []  # noqa: PLR2004
    after = _menu(menus, dice) if dice.random() < 0.5 else []  # noqa: PLR2004
    return "\n".join([*before, *core, *after])


def _menu(menus: Sequence[list[str]], dice: random.Random) -> list[str]:
    menu = dice.choice(menus)
    count = dice.randint(3, min(len(menu), 30))
    first = dice.randint(0, len(menu) - count)
    return menu[first : first + count]


# --- fitting ---


def _fitted(examples: Sequence[Example]) -> dict[str, Any]:
    kinds = [one.kind for one in examples]
    present = [
        dict.fromkeys(terms_of(words_of(one.text[:LONGEST])), 1) for one in examples
    ]
    terms = DictVectorizer()
    matrix = terms.fit_transform(present)
    worth, _ = chi2(matrix, kinds)
    worth[np.asarray(matrix.sum(axis=0)).ravel() < _LEAST_PAGES] = 0
    chosen = np.argsort(-np.nan_to_num(worth), kind="stable")[:_TERMS]
    names = [str(terms.feature_names_[place]) for place in chosen]
    measures = [_measured(one.text) for one in examples]
    values = np.hstack(
        [matrix[:, chosen].toarray(), [list(row.values()) for row in measures]]
    )
    model = LogisticRegression(C=_STRENGTH, max_iter=3000)
    model.fit(values, kinds, sample_weight=[one.weight for one in examples])
    weights = np.round(model.coef_.T, 2).tolist()
    return {
        "kinds": [str(kind) for kind in model.classes_],
        "threshold": _THRESHOLD,
        "intercepts": np.round(model.intercept_, 3).tolist(),
        "measures": dict(zip(measures[0], weights[len(names) :], strict=True)),
        "words": dict(sorted(zip(names, weights[: len(names)], strict=True))),
    }


def _measured(text: str) -> dict[str, float]:
    return measures_of(text[:LONGEST], words_of(text[:LONGEST]))


def _figures(model: Mapping[str, Any], examples: Sequence[Example]) -> dict[str, str]:
    """Return for each origin and kind how many pages are not judged, and the total."""
    page = model["kinds"].index(PAGE)
    refused: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    for one in examples:
        name = f"{one.origin}: {one.kind}"
        rows[name] += 1
        if len(one.text) <= LONGEST:
            refused[name] += _shares(model, one.text)[page] < model["threshold"]
    return {name: f"{refused[name]} of {rows[name]}" for name in sorted(rows)}


def _shares(model: Mapping[str, Any], text: str) -> list[float]:
    scores = np.array(model["intercepts"])
    for term in terms_of(words_of(text[:LONGEST])) & model["words"].keys():
        scores = scores + model["words"][term]
    for name, value in _measured(text).items():
        scores = scores + value * np.array(model["measures"][name])
    shares = np.exp(scores - scores.max())
    found: list[float] = (shares / shares.sum()).tolist()
    return found
