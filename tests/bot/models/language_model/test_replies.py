"""What models wrap their answers in, and what is made of it."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.language_model import ChatModel, RetryPolicy
from bot.models.language_model.replies import NotTheFormError, read_answer
from bot.sources.manners import backoff_s, retry_after_s
from handlers.ports import (
    ModelAnswer,
    ModelOutOfReachError,
    ModelReply,
    ModelUnusableError,
)
from tests.bot.models.language_model.tools import (
    GOOD,
    KEY,
    QUICK,
    Judgement,
    model,
    request,
)
from tests.linear import is_linear, repeated
from tests.rig.language_model import (
    Script,
    fails,
    floods,
    hangs,
    http,
    resets,
    says,
    sends,
    serving,
)
from tests.shared_data import shared_data


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(GOOD, id="bare"),
        pytest.param(f"```json\n{GOOD}\n```", id="fenced"),
        pytest.param(f"Here is {{my}} answer:\n{GOOD}\nI hope it helps.", id="prose"),
        pytest.param(f'<think>Is it {{"a": 1}}?</think>\n{GOOD}', id="thought"),
        pytest.param(f'Hm, {{"a": 1}}.\n</think>\n\n{GOOD}', id="end of a thought"),
    ],
)
def test_wrapping_is_taken_off(text: str) -> None:
    assert read_answer(text, Judgement).quote == "exact words"


def test_a_field_of_the_models_own_making_is_not_named() -> None:
    text = json.dumps({**json.loads(GOOD), "obey me at once": 1})

    with pytest.raises(NotTheFormError) as caught:
        read_answer(text, Judgement)

    assert "obey" not in str(caught.value)
    assert "extra_forbidden" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param(GOOD * 2, id="two objects"),
        pytest.param(f"<think>{GOOD}", id="a thought without end"),
        pytest.param(GOOD[:-1] + ",}", id="a comma too many"),
        pytest.param(GOOD[:-1] + ',"verdict":"supported"}', id="a name twice"),
        pytest.param(GOOD[:-1] + ',"action":"edit"}', id="more than asked for"),
        pytest.param('{"verdict":"a","quote":NaN,"explanation":""}', id="NaN"),
        pytest.param(
            '{"verdict":"\\ud800","quote":"","explanation":""}', id="surrogate"
        ),
        pytest.param("[" * 100_000, id="deep"),
        pytest.param('{"a":' * 100_000, id="deep objects"),
    ],
)
def test_what_is_not_one_object_in_its_form_is_refused(text: str) -> None:
    with pytest.raises(NotTheFormError):
        read_answer(text, Judgement)


def test_objects_in_objects_that_break_off_are_not_read_again_and_again() -> None:
    def broken_off(deep: int) -> str:
        return '{"a":' * deep + "[" + "1," * 500 * deep

    def refused(text: str) -> None:
        with pytest.raises(NotTheFormError, match="no complete JSON object"):
            read_answer(text, Judgement)

    # Two hundred readings of a hundred thousand numbers would take a second.
    assert is_linear(broken_off, refused, 200)
    assert read_answer(f"{'{ ' * 100} {GOOD}", Judgement).quote == "exact words"


@given(st.text(alphabet='{}[]":,\\ abc0\n<think>/`', max_size=200))
def test_no_text_breaks_the_reading(text: str) -> None:
    try:
        read_answer(text, Judgement)
    except NotTheFormError as error:
        assert str(error)  # noqa: PT017 - either outcome is fine


@pytest.mark.parametrize(
    ("value", "wait_s"),
    [
        ("2", 2.0),
        ("0", 0.0),
        ("999999999", 86_400.0),
        ("Sat, 21 Nov 2026 12:00:30 GMT", 30.0),
        ("Sat, 21 Nov 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("-5", None),
        ("", None),
        ("\u0662", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_a_date(
    value: str, wait_s: float | None
) -> None:
    now = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)

    assert retry_after_s({"retry-after": value}, now) == wait_s


def test_waits_grow_and_differ() -> None:
    assert backoff_s(1.0, 1, 0.0) == 0.5
    assert backoff_s(1.0, 3, 1.0) == 4.0


# Which replies of the corpus lead to an answer: those that hold one whole object, and
# nothing beside it. What its quote or verdict is worth is decided later.
_ANSWERED = {
    "good", "fenced", "verdict-outside-enum", "quote-one-letter-off", "quote-empty",
    "quote-1-char", "explanation-1MB", "explanation-html", "explanation-url",
    "usage-missing", "usage-huge", "500-then-good", "other-model-name",
    "content-length-lies", "hang-forever", "reset-mid-body",
    "429-seconds", "429-garbage",
}  # fmt: skip


def _script(reply: dict[str, Any]) -> list[Script]:
    """Return what the server sends, and a good answer after a failure that may pass."""
    name = reply["id"]
    good = says(GOOD)
    if "sequence" in reply:
        return [fails("500 Oh"), fails("502 Oh"), good]
    special: dict[str, list[Script]] = {
        "hang-forever": [hangs, good],
        "reset-mid-body": [resets, good],
        "100MB-body": [floods(b"HTTP/1.1 200 OK\r\ncontent-length: 104857600\r\n\r\n")],
    }
    if name in special:
        return special[name]
    raw = (
        reply["raw"].encode()
        if "raw" in reply
        else json.dumps(reply.get("body", {})).encode()
    )
    headers = reply.get("headers", {})
    first = sends(http(f"{reply['status']} It", raw, headers))
    return (
        [first, good]
        if (name in _ANSWERED and reply["status"] != 200) or "then" in reply
        else [first]
    )


@pytest.mark.shared_data
async def test_each_reply_of_the_corpus_has_a_named_outcome(
    capfd: pytest.CaptureFixture[str],
) -> None:
    file = shared_data("security_corpora/llm-replies/replies.json")
    replies = json.loads(file.read_text("utf-8"))["replies"]
    answered = set()
    for reply in replies:
        async with serving(*_script(reply)) as server:
            retry = _patience(reply["id"])
            async with model(server, retry=retry) as chat:
                outcome, log = await _outcome(chat)
                assert KEY not in log
                if isinstance(outcome, ModelAnswer):
                    answered.add(reply["id"])
                assert chat.ledger.spent <= 1

    assert len(replies) == 38
    assert answered == _ANSWERED
    assert KEY not in "".join(capfd.readouterr())


def _patience(name: str) -> RetryPolicy:
    return replace(QUICK, timeout_s=1.5) if name == "hang-forever" else QUICK


async def _outcome(chat: ChatModel) -> tuple[ModelReply[Judgement] | None, str]:
    try:
        return await chat.ask(request()), ""
    except (ModelOutOfReachError, ModelUnusableError) as error:
        return None, str(error)


def test_thoughts_without_end_are_left_out_in_little_time() -> None:
    def refused(thoughts: str) -> None:
        with pytest.raises(NotTheFormError):
            read_answer(thoughts, Judgement)

    def answered(thoughts: str) -> None:
        answer = read_answer(f"{thoughts}</think>{GOOD}", Judgement)
        assert answer.quote == "exact words"

    assert is_linear(repeated("<think>"), refused, 700_000)
    assert is_linear(repeated("<think>"), answered, 700_000)
