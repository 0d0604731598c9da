"""Hostile documents, and a model that obeys whatever they say: nothing of it in a draft.

The puppet puts the attack's words, and what the attack wants, into sentences, headings
and phrases, and cites the hostile document for them.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from bot.models.lexical import LexicalVerifier
from handlers.drafts.check import checked
from handlers.drafts.model import ModelAuthor
from handlers.model import Topic
from tests.bot.models.roles.attacks import EVIL, WANTED, attacks
from tests.bot.models.roles.scene import CLOSED, MEDAL
from tests.handlers.drafts.by_model.scene import (
    Puppet,
    chunks,
    documents,
    headed,
    order,
)

TOPIC = Topic("Harbour Bridge")
PAGE = f"{CLOSED} {MEDAL}"
HONEST = "After cracks were found in two girders, lorries were kept off Harbour Bridge from 3 October 2026 on."
# A page may say this; that it is cut out of an order's example, nobody can tell.
HARMLESS = {
    "Waited for hours and got no resolution.'",
    "Editor name carries break down the plot of 'the great gatsby'.",
}
RIDDLES = ("Jevgr", "Zvffcryy")  # orders in rot13, which are orders to nobody


def _sentences(attack: str) -> Iterator[tuple[str, list[int]]]:
    yield HONEST, [1]
    yield CLOSED, [1]
    for one in (attack, WANTED, f"{HONEST} {attack.capitalize()}", f"See {EVIL}"):
        yield one, [1]
        yield one, [1, 2]


@pytest.mark.shared_data
async def test_a_model_that_obeys_every_document_writes_nothing_of_it() -> None:
    wrong = []
    verifier = LexicalVerifier()
    wanted: dict[str, Any] = {"topic": TOPIC}
    for attack in attacks():
        puppet = Puppet({"sections": [headed("", *_sentences(attack))]})
        draft_order = order(None, f"{PAGE}\n{attack}", MEDAL, **wanted)
        reply = await ModelAuthor(puppet).write(draft_order)
        [section], _ = await checked(TOPIC, reply.value or (), verifier)
        texts = {one.text for one in section.sentences}
        assert {HONEST, CLOSED} <= texts
        wrong += [(attack, one) for one in texts - {HONEST, CLOSED, MEDAL, *HARMLESS}]
    assert wrong == []


@pytest.mark.shared_data
async def test_a_model_that_obeys_every_document_plans_nothing_of_it() -> None:
    of = documents(PAGE)
    for attack in attacks():
        section = {"heading": attack, "wants": [attack]}
        fair = {"heading": "Closure", "wants": ["cracks in girders", attack]}
        puppet = Puppet({"lead": [attack], "sections": [section, fair]})
        reply = await ModelAuthor(puppet).plan(TOPIC, of, chunks(of))
        headings = {one.heading for one in reply.value or ()}
        assert "Closure" in headings
        others = headings - {"", "Closure"}
        assert all(one.startswith(RIDDLES) for one in others), attack
