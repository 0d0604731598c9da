"""Answers that hold no page: of a busy wiki, of one that refuses, of no wiki at all."""

import pytest

from handlers.ports import AwayError, PermanentError, TemporaryError, UnansweredError
from tests.bot.wiki.answering_wiki import Answer, error, read_from


@pytest.mark.parametrize(
    ("answer", "message", "retry_in_s"),
    [
        (error("maxlag", lag=7.5), "maxlag", 7.5),
        (error("readonly"), "readonly: Why", 30),
        (error("internal_api_error_DBQueryError"), "DBQueryError", 30),
        (Answer("{}", 200, {"X-Database-Lag": "9"}), "behind with its database", 30),
        (Answer("", 429, {"Retry-After": "120"}), "fewer requests", 120),
        (Answer("", 429, {"Retry-After": "9" * 99}), "fewer requests", 3600),
        (Answer("", 429, {"Retry-After": "Fri, 1 Jan"}), "fewer requests", 30),
        (Answer("<html>", 503), r"out of order \(503\)", 30),
    ],
)
async def test_a_busy_wiki_is_reported_with_the_time_to_wait(
    answer: Answer, message: str, retry_in_s: float
) -> None:
    with pytest.raises(TemporaryError, match=message) as caught:
        await read_from(answer)

    assert caught.value.retry_in_s == retry_in_s
    assert "http://127.0.0.1" in str(caught.value)
    assert "try again later" in str(caught.value)
    # What a wiki does not say of itself may be for this page alone.
    may_be_the_page = "order" in message or "DBQueryError" in message
    assert isinstance(caught.value, AwayError)
    assert isinstance(caught.value, UnansweredError) == may_be_the_page


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<html>Hotel wifi", id="HTML"),
        pytest.param("", id="nothing"),
        pytest.param("[" * 100_000, id="nested JSON"),
        pytest.param("[]", id="a list"),
        pytest.param(b"\xff\xfe", id="not UTF-8"),
        pytest.param({"query": {"pages": {"1": {}}}}, id="an old form"),
        pytest.param({"error": "no"}, id="an error without a code"),
        pytest.param(
            '{"query": {"pages": [{"title": "X", "revisions": [{"revid": 1,'
            ' "slots": {"main": {"content": "\\ud800"}}}]}]}}',
            id="half a letter",
        ),
    ],
)
async def test_an_answer_that_is_no_wikis_is_reported_with_the_remedy(
    body: object,
) -> None:
    with pytest.raises(PermanentError, match="did not answer as a MediaWiki API does"):
        await read_from(Answer(body))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer({}), "has no page “X”"),
        (Answer("", 404), r"there is no API at .*\(404\)"),
        (Answer("", 204), r"there is no API at .*\(204\)"),
        (Answer("", 403), r"refused the request \(403\).*`contact`"),
        (
            Answer("", 301, {"Location": "http://169.254.1.1"}),
            "moved to http://169.254",
        ),
        (error("readapidenied"), "is a private wiki"),
        (error("\x1b[2J" + "odd\n" * 999), r"answered \[2Jodd odd"),
    ],
)
async def test_a_server_that_refuses_is_reported_with_the_remedy(
    answer: Answer, message: str
) -> None:
    with pytest.raises(PermanentError, match=message) as caught:
        await read_from(answer)

    assert str(caught.value).isprintable()
    assert "127.0.0.1" in str(caught.value)


async def test_words_of_a_hostile_wiki_cannot_reach_the_terminal_unfolded() -> None:
    page = {
        "title": "X\x1b[31m\n\u202e",
        "pageid": 1,
        "revisions": [{"revid": 3, "slots": {"main": {"content": "text"}}}],
    }

    read = await read_from(Answer({"query": {"pages": [page]}}))

    assert read.id.title == "X[31m"


@pytest.mark.parametrize(
    "slots", [{}, {"main": {"textmissing": True}}], ids=["no slot", "no text"]
)
async def test_a_text_that_the_wiki_has_lost_is_reported(slots: object) -> None:
    page = {"title": "X", "pageid": 1, "revisions": [{"revid": 3, "slots": slots}]}

    with pytest.raises(PermanentError, match="has lost the text of revision 3 of “X”"):
        await read_from(Answer({"query": {"pages": [page]}}))
