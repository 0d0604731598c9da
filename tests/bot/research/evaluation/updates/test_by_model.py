"""A language model that takes sentences apart and judges, on a server that speaks its protocol."""

import json

from bot.models.lexical import LexicalVerifier
from bot.research.evaluation.updates.coverage import (
    Asking,
    Edit,
    EmbeddedJudge,
    ModelFacts,
    ModelJudge,
)
from bot.research.evaluation.updates.human_edits import RuleFacts
from tests.bot.models.language_model.tools import model
from tests.rig.language_model import fails, says, serving

_SENTENCE = "The roof was replaced in 2024 and the hall was closed for three weeks."
_EDIT = Edit(("History",), (_SENTENCE,))


async def test_a_model_takes_sentences_apart() -> None:
    parts = ["The roof was replaced in 2024.", "  The hall was\n closed. ", ""]
    async with (
        serving(says(json.dumps({"facts": parts}))) as server,
        model(server) as chat,
    ):
        finder = ModelFacts(Asking(chat), RuleFacts())

        facts = await finder.facts(_SENTENCE)

    assert facts == ("The roof was replaced in 2024.", "The hall was closed.")
    assert finder.name.startswith("by language model m")
    assert server.asked[0].parts["sentence"] == _SENTENCE
    assert finder.asking.use.calls == 1


async def test_a_model_judges_and_its_word_is_all_or_nothing() -> None:
    scripts = [says('{"follows":true}'), says('{"follows":false}')]
    async with serving(*scripts) as server, model(server) as chat:
        judge = ModelJudge(Asking(chat), EmbeddedJudge(LexicalVerifier()))

        told = [
            await judge.entailed("Hall", _EDIT, _SENTENCE, text)
            for text in ("One text.", "Another text.")
        ]

    assert told == [1.0, 0.0]
    assert server.asked[0].parts["text"] == "One text."


async def test_where_the_model_gives_no_answer_the_embedded_engine_does() -> None:
    async with serving(fails("401 Unauthorized")) as server, model(server) as asked:
        asking = Asking(asked)
        finder = ModelFacts(asking, RuleFacts())
        embedded = EmbeddedJudge(LexicalVerifier())
        judge = ModelJudge(asking, embedded)

        facts = await finder.facts(_SENTENCE)
        told = await judge.entailed("Hall", _EDIT, _SENTENCE, _SENTENCE)

    assert facts == await RuleFacts().facts(_SENTENCE)
    assert told == await embedded.entailed("Hall", _EDIT, _SENTENCE, _SENTENCE)
    assert asking.unanswered == 2
