"""Words from outside never become part of a statement to a database."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect

import bot
import gadget
from bot.store import open_store
from tests.bot.store.runs import NOON, WIKI
from tests.rig.databases import ready_sqlite
from tests.shared_data import shared_data

# What takes SQL as text. Everything else of SQLAlchemy's binds its values.
_TAKES_SQL = frozenset(
    {"exec_driver_sql", "literal_column", "execute", "executemany", "executescript"}
    | {"scalar", "scalars", "from_statement", "prefix_with", "suffix_with"}
)
_OWN_WORDS = frozenset(
    {
        "bot/store/migrations/versions/v0015_tasks.py",  # names of tables that it moves
        "bot/app/doctor/database.py",  # the name of a table that it makes and drops
        "bot/search/index/catalogue.py",  # one of two conditions of its own
    }
)
# A full list is a matter of seconds for each; of all lists every so many lines.
_EVERY = 12


def made_of_parts(source: str) -> Iterator[int]:
    """Yield the lines of `source` in which SQL is put together from strings."""
    tree = ast.parse(source)
    takes = _TAKES_SQL | ({"text"} if _has_sql_text(tree) else set())
    for node in ast.walk(tree):
        takes_sql = isinstance(node, ast.Call) and _name(node) in takes
        if isinstance(node, ast.Call) and takes_sql and node.args:
            yield from [node.lineno] if _is_put_together(node.args[0]) else []


def _has_sql_text(tree: ast.Module) -> bool:
    imports = [one for one in ast.walk(tree) if isinstance(one, ast.ImportFrom)]
    return any(
        name.name == "text"
        for one in imports
        if (one.module or "").startswith("sqlalchemy")
        for name in one.names
    )


def _name(node: ast.Call) -> str:
    called = node.func
    return str(getattr(called, "attr", getattr(called, "id", "")))


def _is_put_together(given: ast.expr) -> bool:
    if isinstance(given, ast.JoinedStr):
        return True
    if isinstance(given, ast.BinOp):
        return isinstance(given.op, (ast.Add, ast.Mod)) and _has_words(given)
    is_call = isinstance(given, ast.Call)
    return is_call and _name(given) in {"format", "join", "replace"}  # type: ignore[arg-type]  # a call


def _has_words(given: ast.expr) -> bool:
    return any(
        isinstance(one, ast.Constant) and isinstance(one.value, str)
        for one in ast.walk(given)
    )


def test_no_statement_is_put_together_from_strings() -> None:
    found = []
    for package in (bot, gadget):
        root = Path(str(package.__file__)).parent
        for file in root.rglob("*.py"):
            at = made_of_parts(file.read_text("utf-8"))
            name = str(file.relative_to(root.parent))
            found += [f"{name}:{line}" for line in at if name not in _OWN_WORDS]

    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        'db.execute(f"SELECT {x}")',
        'db.execute("SELECT " + x)',
        'db.execute("SELECT %s" % x)',
        'from sqlalchemy import text; text("SELECT {}".format(x))',
        'db.exec_driver_sql(" ".join(parts))',
    ],
)
def test_one_that_is_would_be_found(source: str) -> None:
    assert list(made_of_parts(source)) == [1]


@pytest.mark.parametrize(
    "source",
    [
        'db.execute("SELECT ?", (x,))',
        "db.execute(select(table).where(table.c.a == x))",
        'db.scalar(text("SELECT RELEASE_LOCK(:name)"), lock)',
    ],
)
def test_bound_values_are_fine(source: str) -> None:
    assert list(made_of_parts(source)) == []


def _payloads() -> list[str]:
    folder = shared_data("security_corpora/payloads-all-the-things/SQL Injection")
    lines = [
        line
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.suffix != ".md"
        for line in file.read_text("utf-8", "replace").splitlines()
        if line.strip()
    ]
    return list(dict.fromkeys(lines))


@pytest.mark.shared_data
def test_what_is_written_to_break_out_of_a_statement_is_a_title_like_any_other(
    tmp_path: Path,
) -> None:
    payloads = _payloads()
    place = ready_sqlite(tmp_path / "sidenote.sqlite")
    with open_store(place) as store:
        before = _tables(place)
        for words in payloads[::_EVERY]:
            title = f"Bridge {words}"[:200]
            store.check_states.ask(WIKI, title, NOON)
            state = store.check_states.of(WIKI, title)
            assert state is not None, words
            assert state.title == title, words
            assert store.check_states.of(WIKI, f"{title}x") is None, words
            assert store.check_states.of(words, title) is None, words
        after = _tables(place)

    assert after == before
    assert len(payloads) > 500


def _tables(place: str) -> set[str]:
    engine = create_engine(place)
    try:
        return set(inspect(engine).get_table_names())
    finally:
        engine.dispose()
