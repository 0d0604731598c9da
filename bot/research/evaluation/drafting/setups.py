"""What a draft is made with: the choices of the command line, and the paper's tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from bot.app.wiring.drafts import DEFAULT_RERANKER
from handlers.drafts.roles import EMBEDDED_RULES, Rules

WORDS = Rules().words
TOP = EMBEDDED_RULES.chunks
PAPER_TOP = Rules().chunks  # what the paper's rows read, but for table 3


class Maker(Enum):
    """What makes a draft: a method of the paper, or something to compare it with."""

    RR = "rr"
    PRR = "prr"
    TUNED = "tuned"
    LEAD = "lead"  # the first sentences of the documents, in their order
    CHANCE = "random_sentences"  # some of them, drawn

    @property
    def is_baseline(self) -> bool:
        """Tell whether it is there for comparison only."""
        return self in (Maker.LEAD, Maker.CHANCE)


class Documents(Enum):
    """Which documents of an event are given (table 5)."""

    SEARCH = "search"  # what a search engine returned
    CITED = "cited"  # what the article cites
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Setup:
    """One way of making drafts. `top` is the number of chunks that are read at most."""

    maker: Maker = Maker.PRR
    reranker: str = DEFAULT_RERANKER
    top: int = TOP
    documents: Documents = Documents.MIXED
    words: int = WORDS
    like: str = ""  # key of a setup whose drafts this one is to be as long as

    @property
    def key(self) -> str:
        """Return a name for files and figures."""
        length = f"as_{self.like}" if self.like else str(self.words)
        parts = [self.maker.value, self.documents.value, length]
        if not self.maker.is_baseline:
            parts[1:1] = [self.reranker, str(self.top)]
        return "-".join(parts)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: what it is called there, and the setup that gives it."""

    label: str
    setup: Setup


TABLES = METHODS, CHUNKS, RERANKED, SOURCES = (2, 3, 4, 5)  # by what they vary
_TOPS = (5, 10, 15, 20)
_RERANKERS = (
    ("Random", "random"),
    ("TF-IDF", "tfidf"),
    ("BM25", "bm25"),
    ("DPR", "dpr"),
    ("GTR", "gtr"),
    ("Merged", "merged"),
    ("Verifier", "verifier"),
)
_SOURCES = (
    ("Search Engine", Documents.SEARCH),
    ("Human Editor", Documents.CITED),
    ("Mixed", Documents.MIXED),
)


def rows_of_table(number: int, main: Setup, *, is_tuned: bool) -> tuple[Row, ...]:
    """Return the rows of ours in one of the paper's tables.

    Tables 3 to 5 are of RR that reads five chunks, as the paper's are, with what `main`
    says of the rest; where five are too few to write from, table 3 shows it.

    Args:
        number: one of `TABLES`.
        main: the setup that the command line names.
        is_tuned: whether there is a model for TunedRR.
    """
    if number == METHODS:
        makers = [Maker.RR, Maker.PRR, *([Maker.TUNED] if is_tuned else [])]
        return tuple(Row(one.name, replace(main, maker=one)) for one in makers)
    plain = replace(main, maker=Maker.RR, top=PAPER_TOP)
    if number == CHUNKS:
        tops = sorted({*_TOPS, main.top})
        return tuple(Row(str(top), replace(plain, top=top)) for top in tops)
    if number == RERANKED:
        return tuple(
            Row(label, replace(plain, reranker=name)) for label, name in _RERANKERS
        )
    return tuple(Row(label, replace(plain, documents=one)) for label, one in _SOURCES)


def baselines_of(main: Setup) -> tuple[Row, ...]:
    """Return what is compared with, of the same documents.

    Two have the length that is asked for, and two that of each event's draft: overlap
    follows length, so that only these say whether a draft chose well.
    """
    lead, chance = replace(main, maker=Maker.LEAD), replace(main, maker=Maker.CHANCE)
    return (
        Row(f"First {main.words:,} words", lead),
        Row(f"Random sentences, {main.words:,} words", chance),
        Row("First words, as long as the draft", replace(lead, like=main.key)),
        Row("Random, as long as the draft", replace(chance, like=main.key)),
    )


def all_setups(
    main: Setup, tables: Sequence[int], *, is_tuned: bool
) -> tuple[Setup, ...]:
    """Return every setup that is wanted, once; the main one first."""
    return tuple({one.key: one for one in _wanted(main, tables, is_tuned)}.values())


def _wanted(main: Setup, tables: Sequence[int], is_tuned: bool) -> Iterator[Setup]:
    yield main
    yield from (one.setup for one in baselines_of(main))
    for number in tables:
        rows = rows_of_table(number, main, is_tuned=is_tuned)
        yield from (one.setup for one in rows)
