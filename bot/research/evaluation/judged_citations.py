"""Reads the citation judgements of WikiLiveChallenge: one article, judged by a model.

The authors' judge model said of each statement of one generated article whether the
page it cites supports it ("support", "not_support", "conflict"). Nobody checked its
word, and all statements are of one article, so figures on these rows show a direction
and no more. The texts of the pages stand in another file: that of the system which
wrote the article, `systems_dev/gemini_2.5_pro.jsonl.gz`, statement for statement the
same. The texts are cut after 30,000 characters there.
"""

import gzip
import zlib
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from bot.research.evaluation.datasets import DataSet, Label, Row, Unscored
from handlers.ports import PermanentError

SET = "wiki_live_challenge"
PAGES = "systems_dev/gemini_2.5_pro.jsonl.gz"
_LABELS = {
    "support": Label.SUPPORTED,
    "not_support": Label.NOT_SUPPORTED,
    "conflict": Label.REFUTED,
}
_FEWEST_WORDS = 20  # a page with less is an error message or an empty shell
_MOST_CONTEXT = 600  # characters, as of a claim in an article
_MAX_BYTES = 200_000_000  # of the file of pages, decompressed


class _Loose(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Judgement(_Loose):
    statement_index: int
    statement: str
    citation_num: str
    citation_url: str
    verdict: str


class _Judged(_Loose):
    title: str
    results: list[_Judgement]


class _Statement(_Loose):
    fact: str = ""


class _Page(_Loose):
    content: str = ""


class _Article(_Loose):
    title: str
    statements: list[_Statement]
    citation_contents: dict[str, _Page]


def read_judged_citations(path: Path, pages: Path | None = None) -> DataSet:
    """Return a row for each judged statement whose page has a text.

    Rows are grouped by the page they cite.

    Args:
        path: `sample_citation_judgements.json`.
        pages: the file of the system's articles; else where it lies beside `path`.

    Raises:
        PermanentError: a file is missing or unusable, or they do not fit together.
    """
    content = _bytes(path)
    try:
        judged = _Judged.model_validate_json(content)
    except ValidationError as error:
        raise PermanentError(
            f"{path} is not a file of WikiLiveChallenge's citation judgements"
            f" ({_first(error)})"
        ) from error
    place = pages or path.parent / PAGES
    article = _article(place, judged.title)
    read = [_row(number, one, article) for number, one in enumerate(judged.results, 1)]
    rows = tuple(one for one in read if isinstance(one, Row))
    unscored = tuple(one for one in read if isinstance(one, Unscored))
    if not rows:
        why = f" ({unscored[0].reason})" if unscored else ""
        raise PermanentError(
            f"{place} has no text for the pages that {path} names{why}"
        )
    return DataSet(path.name, sha256(content).hexdigest(), rows, unscored)


def _row(number: int, judged: _Judgement, article: _Article) -> Row | Unscored:
    label = _LABELS.get(judged.verdict)
    if label is None:
        known = ", ".join(_LABELS)
        return Unscored(number, SET, f"verdict {judged.verdict!r} is none of {known}")
    facts = [one.fact for one in article.statements]
    at = judged.statement_index
    if not 0 <= at < len(facts) or facts[at] != judged.statement:
        return Unscored(number, SET, "the article has another statement in its place")
    page = article.citation_contents.get(judged.citation_num)
    if page is None or len(page.content.split()) < _FEWEST_WORDS:
        return Unscored(number, SET, "the page it cites has no text")
    return Row(
        id=f"{article.title} {at}",
        set=SET,
        claim=judged.statement,
        evidence=(page.content,),
        label=label,
        group=judged.citation_url,
        openly_licensed=False,
        title=article.title.replace("_", " "),
        context=_context(facts[:at]),
        address=judged.citation_url,
    )


def _context(before: Sequence[str]) -> str:
    """Return the end of what precedes a statement, whole statements only."""
    kept: list[str] = []
    for fact in reversed(before):
        if sum(map(len, kept)) + len(kept) + len(fact) > _MOST_CONTEXT:
            break
        kept.insert(0, fact)
    return " ".join(kept)


def _article(path: Path, title: str) -> _Article:
    try:
        with gzip.open(path) as file:
            content = file.read(_MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise PermanentError(
            f"{path} cannot be read ({error}); name the system's articles, whose pages"
            " the judgements are about, with --pages"
        ) from error
    if len(content) > _MAX_BYTES:
        raise PermanentError(f"{path} holds more than {_MAX_BYTES:,} bytes")
    titles = TypeAdapter(_Titled)
    for line in content.splitlines():
        try:
            if titles.validate_json(line).title == title:
                return _Article.model_validate_json(line)
        except ValidationError as error:
            raise PermanentError(
                f"{path} is not a file of WikiLiveChallenge's articles"
                f" ({_first(error)})"
            ) from error
    raise PermanentError(f"{path} has no article {title!r}")


class _Titled(_Loose):
    title: str


def _first(error: ValidationError) -> str:
    fault = error.errors()[0]
    where = ".".join(str(part) for part in fault["loc"]) or "the file"
    return f"{where}: {fault['msg']}"


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise PermanentError(
            f"{path} cannot be read ({error.strerror or error})"
        ) from error
