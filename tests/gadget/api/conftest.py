"""A store with suggestions, and the API over it."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bot.store import Store, open_store
from handlers.findings import Remedy, RemedyKind
from tests import builders
from tests.bot.store.runs import run, suggestion
from tests.gadget.api.rig import Asker, served, sign_in
from tests.rig.databases import ready_sqlite

HOSTILE = "<img src=x onerror=alert(1)>\u202e\"'&"
REMEDY = Remedy(
    RemedyKind.OTHER_SOURCE,
    "https://example.org/other",
    None,
    "It killed a person there.",
    0.9,
)
FIRST = suggestion(flag=builders.flag(), remedies=(REMEDY,), place=1)
SECOND = suggestion(HOSTILE, flag=builders.flag(), place=2)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("api")
    with open_store(ready_sqlite(folder / "s.sqlite")) as opened_store:
        opened_store.save_check(run(), [FIRST, SECOND])
        yield opened_store


@pytest.fixture(scope="module")
def token(store: Store) -> str:
    return sign_in(store, "Example")


@pytest.fixture
async def ask(store: Store, tmp_path: Path) -> AsyncIterator[Asker]:
    async with served(store, tmp_path) as asker:
        yield asker


@pytest.fixture
def act(ask: Asker, token: str) -> Asker:
    """Somebody who is signed in."""
    return ask.as_of(token=token)
