import pytest

from bot.models.lexical import LexicalVerifier
from handlers.citations.passages import cut
from handlers.model import SourceText
from tests.builders import claim

_SOURCE = (
    "The bridge was opened on 12 May 1937 by the mayor. "
    "It is 145 metres long and was built by 400 workers in three years. "
    "Traffic has doubled since the war."
)


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        pytest.param("The bridge was opened on May 12, 1937", [], id="date"),
        pytest.param("It is 145 metres (476 ft) long", [], id="conversion"),
        pytest.param("It was built by four hundred workers", [], id="spelled out"),
        pytest.param("It is 160 metres (525 ft) long", ["160 metres"], id="number with its unit"),
        pytest.param("It was built by Norwegian workers", ["Norwegian"], id="name"),
        pytest.param("It collapsed as part of a storm", ["collapsed as part of a storm"], id="bridged"),
        pytest.param("It was opened by the mayor and involved a choir", ["involved a choir"], id="words between"),
        pytest.param(
            "The bridge was opened on 12 May 1937 by the mayor and built by 400 workers in three years",
            [],
            id="a long claim rests on two sentences",
        ),
    ],
)  # fmt: skip
async def test_what_is_marked_is_what_a_reader_would_look_for(
    text: str, marked: list[str]
) -> None:
    passages = cut(SourceText(_SOURCE), "key")

    found = await LexicalVerifier().verify("Lakeside", claim(text), passages)

    assert [span.of(text) for span in found.unsupported] == marked
