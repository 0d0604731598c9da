"""A wiki at its beginning, and its administrator."""

from collections.abc import Iterator

import pytest

from bot.demo.loopback.wiki.serving import Wiki
from tests.bot.writing.people import ADMIN, ADMIN_PASSWORD, Person


@pytest.fixture
def fresh(wiki: Wiki) -> Wiki:
    wiki.reset()
    return wiki


@pytest.fixture
def admin(fresh: Wiki) -> Iterator[Person]:
    person = Person(fresh.host, ADMIN).log_in(ADMIN_PASSWORD)
    yield person
    person.web.close()
