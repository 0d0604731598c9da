"""The columns of the tables that a sweep writes: their names, types and meanings."""

from collections.abc import Iterator, Sequence

from bot.research.parquet import Column, Kind

_PLACE = (
    Column("wiki", Kind.WORD, "host of the wiki, such as en.wikipedia.org"),
    Column("title", Kind.TEXT, "title of the page"),
    Column("page_id", Kind.COUNT, "number of the page on its wiki", may_lack=True),
    Column("revision_id", Kind.COUNT, "revision that was read", may_lack=True),
    Column("revised_at", Kind.MOMENT, "when it was saved", may_lack=True),
)

CLAIMS = (
    *_PLACE,
    Column("number", Kind.COUNT, "of the claim on its page, from 0"),
    Column("start", Kind.COUNT, "characters of wikitext before the claim"),
    Column("kind", Kind.WORD, "sentence, clause, list item, table cell …"),
    Column("section", Kind.TEXTS, "headings above the claim, from the top down"),
    Column("claim", Kind.TEXT, "the words that the citations vouch for, plain"),
    Column("sentence", Kind.TEXT, "the whole sentence, where the claim is a part of it", may_lack=True),
    Column("citations", Kind.COUNT, "markers that vouch for the claim"),
    Column("tags", Kind.TEXTS, "cleanup tags that stand at the claim"),
    Column("address", Kind.TEXT, "of the source quoted, else of the first one", may_lack=True),
    Column("host", Kind.TEXT, "of that address, archived pages by their own", may_lack=True),
    Column("url_depth", Kind.COUNT, "elements of the path of the most specific address", may_lack=True),
    Column("sign", Kind.WORD, "what speaks against the citation at sight"),
    Column("sight_order", Kind.COUNT, "order by sign and URL depth, the least first; no probability"),
    Column("verdict", Kind.WORD, "of the engine, where a source was at hand", may_lack=True),
    Column("fails", Kind.NUMBER, "probability that the sources do not fully support the claim", may_lack=True),
    Column("contradicted", Kind.NUMBER, "probability that they contradict it", may_lack=True),
    Column("flag", Kind.WORD, "what it is flagged for, at the engine's operating points", may_lack=True),
    Column("quote", Kind.TEXT, "the best passage of the source, word for word", may_lack=True),
    Column("outcome", Kind.WORD, "what became of the first source that was not read", may_lack=True),
    Column("detail", Kind.TEXT, "more about that", may_lack=True),
    Column("engine", Kind.WORD, "name and version of what judged", may_lack=True),
    Column("link", Kind.TEXT, "to the claim in that revision of the article", may_lack=True),
)  # fmt: skip

PAGES = (
    *_PLACE,
    Column("standing", Kind.WORD, "swept or failed; pages that were skipped are only counted"),
    Column("reason", Kind.WORD, "why it failed", may_lack=True),
    Column("detail", Kind.TEXT, "more about that", may_lack=True),
    Column("characters", Kind.COUNT, "of wikitext", may_lack=True),
    Column("claims", Kind.COUNT, "with at least one citation"),
    Column("citations", Kind.COUNT, "markers at these claims"),
    Column("scored", Kind.COUNT, "claims with a verdict"),
    Column("flagged", Kind.COUNT, "claims that are flagged"),
    Column("sources", Kind.COUNT, "distinct sources that are cited"),
    Column("sources_missing", Kind.COUNT, "of these, not at hand or not readable"),
)  # fmt: skip

HOSTS = (
    Column("host", Kind.TEXT, "as in the table of claims"),
    Column("claims", Kind.COUNT, "that cite it first, or are quoted from it"),
    Column("scored", Kind.COUNT, "of these, with a verdict"),
    Column("expected_failing", Kind.NUMBER, "sum of the probabilities to fail"),
    Column("flagged", Kind.COUNT, "of these, flagged"),
    Column("at_sight", Kind.COUNT, "of these, with something against them at sight"),
)

TABLES = (("claims/*.parquet", CLAIMS), ("pages/*.parquet", PAGES), ("hosts.parquet", HOSTS))  # fmt: skip


def described() -> str:
    """Return a page of text about all tables, for whoever finds the folder."""
    lines = [
        "# Tables of this sweep",
        "",
        "Parquet. With pandas: `pandas.read_parquet('claims')`; with DuckDB:",
        "`select * from 'claims/*.parquet' order by fails desc limit 20`.",
    ]
    for name, columns in TABLES:
        lines += ["", f"## {name}", "", *_table(columns)]
    return "\n".join(lines) + "\n"


def _table(columns: Sequence[Column]) -> Iterator[str]:
    yield "| column | holds | may be null | meaning |"
    yield "|---|---|---|---|"
    for column in columns:
        lack = "yes" if column.may_lack else "no"
        yield f"| {column.name} | {column.kind.value} | {lack} | {column.meaning} |"
