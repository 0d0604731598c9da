"""What the pages tell people to type is typed, on a few rows where rows are needed.

A command that names no files, options or pages is only mentioned (`sidenote check`).
Every other one is parsed in a folder with the files that it names, so that a missing or
misspelt option is found; and it is run, unless `_ONLY_PARSED` says why not.
"""

import gzip
import re
import shlex
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import click
import pytest

from bot.app.cli import sidenote as program
from bot.app.cli.terminal import Exit
from bot.records.accounts import (
    Judgement,
    JudgementKind,
    Preferred,
    ReviewOutcome,
)
from bot.research.evaluation.benchmarks import BENCHMARKS
from bot.settings import Settings
from bot.store import open_store
from tests.benchmarks.sweep_dump import write_multistream
from tests.bot.app.cli.conftest import Sidenote, quick_engine, sidenote
from tests.bot.research.cli.test_wiki_live import judgements
from tests.bot.research.evaluation.conftest import few_resamples
from tests.bot.research.evaluation.event_rows import three_events
from tests.bot.research.evaluation.review.folder import GOOD, shared_form
from tests.bot.research.evaluation.rows import CLAIMS, PAGES, row, write
from tests.bot.research.sweep.rig import wiki_of
from tests.bot.store.decided import ANNA, BEN, known
from tests.bot.store.runs import TITLE, WIKI, hour
from tests.builders import ENGINE
from tests.rig.databases import ready_sqlite
from tests.shared_data import shared_data
from tests.test_docs import PAGES as DOCS
from tests.test_docs import ROOT

__all__ = ["few_resamples", "quick_engine", "sidenote"]

_TYPED = re.compile(r"(?:\./dev sidenote|`sidenote|^sidenote) ([^`\n#]+)", re.MULTILINE)
# What commands about edits read, and of which data set it is a slice: no made-up rows
# would do for the network that judges edits.
_PAIRS = {
    "edits.jsonl.gz": "edits_dev",
    "harmless.jsonl.gz": "edits_neutral_dev",
    "DIR/judged_claims/edits_train.jsonl.gz": "edits_train",
    "DIR/judged_claims/pairs_train.jsonl.gz": "pairs_train",
    "DIR/judged_claims/edits_neutral_train.jsonl.gz": "edits_neutral_train",
}
_MOST_PAIRS = 3
_FULL = {  # what stands for "…" in a table whose first row says it
    "evaluate wiki-writing … --people FILE": "evaluate wiki-writing --benchmark DIR --system NAME --people FILE",
    "evaluate wiki-writing … --topics FILE": "evaluate wiki-writing --benchmark DIR --system NAME --topics FILE",
    "evaluate wiki-live … --judgements FILE": "evaluate wiki-live --benchmark DIR --system NAME --judgements FILE",
    "train editor collect …": 'train editor collect "Ada Lovelace" --since 2026-01-01 --until 2026-06-30 -o set',
    "posts settle NAME": "posts settle NAME drop",
    "train editor measure …": "train editor measure FILE",
    "train draft measure …": "train draft measure FILE",
}
_WIKI = "it reads a wiki of the real world"
_MODEL = "it needs a language model"
_PARTS = "it runs until it is stopped"
_TORCH = "it needs PyTorch and published weights"
_SHIPPED = "it needs the whole data sets, for hours"
_ONLY_PARSED = {
    "check Bodmin": _WIKI,
    "check TITLE": _WIKI,
    "check https:": _WIKI,
    "discover": _WIKI,
    "draft 2024": "its documents are what a reader has; test_draft runs it",
    "rank": _WIKI,
    "review Bodmin": _WIKI,
    "review Golden": _WIKI,
    "evaluate updates": _WIKI,
    "train editor collect": _WIKI,
    "readers": _WIKI,
    "gadget deploy": _WIKI,
    "intake": _PARTS,
    "alive": "it looks for a part that runs; test_status runs it",
    "posts settle": "it needs a parked post; test_posts runs it",
    "sweep DUMP": "a stand-in for the dump of operators.md",
    "evaluate discovery": _MODEL,
    "evaluate edits --data edits.jsonl.gz --harmless harmless.jsonl.gz --model": _MODEL,
    "evaluate wiki-writing": _MODEL,
    "train draft collect": _MODEL,
    "train draft measure": "its examples come of a language model",
    "train editor measure": "its examples come of a wiki; test_train_editor runs it",
    "train operating-points": _SHIPPED,
    "train pages": _SHIPPED,
    "train verifier": _TORCH,
    "train encoder": _TORCH,
    "evaluate editing": "its revisions come of WiNELL; tests of updates run it",
}


def _lines() -> Iterator[tuple[str, str]]:
    """Yield each command line once, with the page that has it first."""
    known = set()
    for page in DOCS:
        for found in _TYPED.findall((ROOT / page).read_text("utf-8")):
            line = _FULL.get(found.strip(), found.strip().removesuffix(" …"))
            is_table = page == "docs/researchers.md"
            if _is_line(line, is_table=is_table) and line not in known:
                known.add(line)
                yield page, line


def _is_line(line: str, *, is_table: bool) -> bool:
    """Return whether this is a whole command line: a table's, or with arguments."""
    command: click.Command = program
    words = shlex.split(line)
    while isinstance(command, click.Group) and words:
        command = command.get_command(click.Context(command), words.pop(0)) or program
    return bool(words) or (is_table and not isinstance(command, click.Group))


_LINES = [pytest.param(page, line, id=line) for page, line in _lines()]


def _reason(line: str) -> str | None:
    words = " ".join(shlex.split(line))
    return next(
        (why for start, why in _ONLY_PARSED.items() if words.startswith(start)), None
    )


_PAGES = ("draft.wikitext", "page.wikitext", "before.wikitext", "after.wikitext")
_ARTICLE = (
    "It opened in May 1937.<ref>{{cite web |url=https://a.example/1 |title=A}}</ref>"
)
_PAGE = "<html><body><p>The bridge opened in May 1937.</p></body></html>"


def _place(folder: Path) -> Path:
    """Write what the pages name as people's own files: a few rows of each kind."""
    three_events(folder)
    copies = [
        one | {"group": f"{one['group']} {n}", "claim": f"{one['claim']} {n}"}
        for n, one in product(
            range(4), [*CLAIMS, row("He sang", "partially_supported")]
        )
    ]
    urls = [one | {"meta": {"url": "https://a.example/b"}} for one in copies]
    pages = [
        one | {"group": f"{one['group']} {n}"} for n, one in product(range(4), PAGES)
    ]
    words = {"claim_tokens": ["He", "sang"], "non_supported_spans": [False, True]}
    marked = [one | {"meta": one["meta"] | words} for one in pages]
    write(folder / "rows.jsonl.gz", urls)
    write(folder / "claims.jsonl.gz", pages)
    write(folder / "marked.jsonl.gz", marked)
    data = folder / "DIR"
    shared_form(data)
    systems = data / "systems_dev"
    (systems / "NAME.jsonl").write_bytes((systems / "good.jsonl").read_bytes())
    judged = data / "wiki_live_challenge"
    (judged / "systems_dev").mkdir(parents=True)
    write(judged / "systems_dev/gemini_2.5_pro.jsonl.gz", [GOOD])
    judgements(judged / "sample_citation_judgements.json", "support", "conflict")
    judgements(folder / "FILE", "support", "conflict")
    for one, rows in zip(BENCHMARKS[1:5], (copies, pages, marked, urls), strict=True):
        one.place(data).parent.mkdir(parents=True, exist_ok=True)
        write(one.place(data), rows)
    (data / "wikigenbench").mkdir(exist_ok=True)
    three_events(data / "wikigenbench").rename(
        data / "wikigenbench/events_dev.jsonl.gz"
    )
    for name in ("articles", "pages", "revisions", "MINILM"):
        (folder / name).mkdir()
    for name in (*_PAGES, "articles/Bridge.wikitext"):
        (folder / name).write_text(_ARTICLE, "utf-8")
    (folder / "pages/a.html").write_text(_PAGE, "utf-8")
    entry = (
        '[{"url": "https://a.example/1", "file": "a.html", "captured": "2026-10-02"}]'
    )
    (folder / "pages/index.json").write_text(entry, "utf-8")
    write_multistream(
        folder / "enwiki-latest-pages-articles-multistream.xml.bz2", wiki_of(2)
    )
    for name in ("DUMP", "smith.pdf", "sidenote.toml"):
        (folder / name).write_bytes(b"")
    return folder


def _is_of_edits(line: str) -> bool:
    return line.startswith(("evaluate edits", "train edits"))


def _place_pairs(folder: Path) -> None:
    """Write a few pairs of each set, all of other articles; both rows are neighbours."""
    (folder / "DIR/judged_claims").mkdir(exist_ok=True)
    for place, name in _PAIRS.items():
        content = shared_data(f"judged_claims/{name}.jsonl.gz").read_bytes()
        rows = gzip.decompress(content).decode().splitlines()
        firsts = range(0, len(rows), 2 * (len(rows) // 2 // _MOST_PAIRS))
        write(folder / place, [one for at in firsts for one in rows[at : at + 2]])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _place(tmp_path_factory.mktemp("typed"))


@pytest.mark.parametrize(("page", "line"), _LINES)
def test_what_a_page_tells_people_to_type_is_understood(
    page: str, line: str, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    words = shlex.split(line)
    command: click.Command = program
    context: click.Context | None = None
    while isinstance(command, click.Group) and words:
        context = click.Context(command, parent=context)
        found = command.get_command(context, words[0])
        assert found is not None, f"{page}: there is no {words[0]}"
        command, words = found, words[1:]

    command.make_context(command.name, words, parent=context)  # raises


@pytest.fixture
def opinions(tmp_path: Path) -> None:
    """What two readers judged, in the database of the settings."""
    with open_store(ready_sqlite(tmp_path / "data/sidenote.sqlite")) as store:
        for reader, identity in product((ANNA, BEN), known(store, "One.", "Two.")):
            common = (WIKI, TITLE, identity, ENGINE, hour(1))
            preference = Judgement(
                JudgementKind.PREFERENCE,
                *common,
                preferred=Preferred.RECOMMENDED,
                shown_first=Preferred.PRESENT,
                present_probability=0.2,
                recommended_probability=0.9,
            )
            review = Judgement(
                JudgementKind.REVIEW, *common, outcome=ReviewOutcome.ACCEPT
            )
            for one in (preference, review):
                store.judgements.add(reader, one)


@pytest.mark.usefixtures("opinions")
@pytest.mark.parametrize(
    "line",
    [
        pytest.param(line, marks=pytest.mark.shared_data if _is_of_edits(line) else ())
        for _, line in _lines()
        if _reason(line) is None
    ],
)
def test_what_a_page_tells_people_to_type_works(
    line: str, made: Path, sidenote: Sidenote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    for kind in ("preferences", "reviews"):
        if line.startswith(f"evaluate {kind}"):
            sidenote("judgements", kind, "-o", f"{kind[0]}.jsonl")
    if _is_of_edits(line):
        _place_pairs(made)
        monkeypatch.delenv("SIDENOTE_VERIFIER")  # the lexical one judges no edits

    done = sidenote(*shlex.split(line))

    assert done.code in {Exit.FINE, Exit.NEEDS_ATTENTION}, done.err


def test_what_is_only_parsed_is_in_the_pages() -> None:
    lines = [" ".join(shlex.split(line)) for _, line in _lines()]

    assert [
        start
        for start in _ONLY_PARSED
        if not any(line.startswith(start) for line in lines)
    ] == []


def test_settings_that_texts_name_exist() -> None:
    known = {f"SIDENOTE_{name.upper()}" for name in Settings.model_fields}
    texts = {
        **{page: (ROOT / page).read_text("utf-8") for page in DOCS},
        **{" ".join(names): text for names, text in _help()},
    }

    wrong = {
        (place, name)
        for place, text in texts.items()
        for name in re.findall(r"SIDENOTE_[A-Z0-9_]+", text)
        if name not in known | _NO_SETTINGS
    }

    assert wrong == set()


_NO_SETTINGS = {"SIDENOTE_OAUTH", "SIDENOTE_SETTINGS"}  # read from the environment


def _help(*names: str, of: click.Command = program) -> Iterator[tuple[list[str], str]]:
    """Yield the help of every command, and its options'."""
    context = click.Context(of, info_name=names[-1] if names else "sidenote")
    options = [one.help or "" for one in of.params if isinstance(one, click.Option)]
    yield list(names), "\n".join([of.help or "", *options])
    if isinstance(of, click.Group):
        for name in of.list_commands(context):
            found = of.get_command(context, name)
            assert found is not None
            yield from _help(*names, name, of=found)


def test_nothing_is_installed_by_name_from_the_package_index() -> None:
    """The name there is not ours; what is installed is a checkout or its locks."""
    texts = {page: (ROOT / page).read_text("utf-8") for page in DOCS}
    texts |= {
        str(file.relative_to(ROOT)): file.read_text("utf-8")
        for folder in ("bot", "gadget", "handlers")
        for file in (ROOT / folder).rglob("*.py")
    }

    lines = [
        (place, line)
        for place, text in texts.items()
        for line in re.findall(r"pip install ([^`\n\"]+)", text)
    ]

    assert lines
    assert [
        each for each in lines if not re.search(r"(^|[ '])\.(\[|$|\s)|\.lock", each[1])
    ] == []
