"""Only the holder of the secret can make what we take for ours."""

import pytest

from bot.wiki.keys import Keys, Purpose, posts_in, with_key
from handlers.ports import PermanentError
from tests.bot.wiki.markup.makers import KEYS

NAME = "0123456789abcdef" * 4


def test_a_token_is_known_again() -> None:
    token = KEYS.token(Purpose.NOTE, NAME)

    assert KEYS.name_in(Purpose.NOTE, token) == NAME[:24]


def test_a_token_of_an_older_secret_is_known_again() -> None:
    older = Keys((KEYS.secrets[1],))

    assert KEYS.name_in(Purpose.NOTE, older.token(Purpose.NOTE, NAME)) == NAME[:24]


@pytest.mark.parametrize(
    "token",
    [
        Keys((b"another secret of somebody",)).token(Purpose.NOTE, NAME),
        KEYS.token(Purpose.POST, NAME),
        KEYS.token(Purpose.NOTE, NAME).replace("0", "1", 1),
        NAME[:24],
        "",
        "é.é",
    ],
    ids=["other secret", "other purpose", "other name", "no code", "empty", "letters"],
)
def test_what_we_did_not_sign_is_not_ours(token: str) -> None:
    assert KEYS.name_in(Purpose.NOTE, token) is None


def test_a_secret_that_can_be_guessed_is_refused() -> None:
    with pytest.raises(PermanentError, match="at least 16 bytes"):
        Keys((b"short",))


def test_a_secret_is_not_shown() -> None:
    assert "secret" not in repr(KEYS).replace("secrets", "")


def test_a_name_that_is_no_hash_is_refused() -> None:
    with pytest.raises(ValueError, match="not a hash"):
        KEYS.token(Purpose.NOTE, "--> [[x]]")


def test_the_key_of_a_post_is_found_in_its_summary() -> None:
    summary = with_key("Notice: 2 statements", NAME, KEYS)

    assert summary.startswith("Notice: 2 statements [sidenote ")
    assert posts_in(summary, KEYS) == {NAME[:24]}


def test_the_key_survives_a_summary_that_quotes_ours() -> None:
    summary = f"Undid by X: {with_key('Notice', NAME, KEYS)} (rv)"

    assert posts_in(summary, KEYS) == {NAME[:24]}


def test_a_key_that_somebody_made_up_is_no_key() -> None:
    made_up = with_key("Notice", NAME, Keys((b"another secret of somebody",)))

    assert posts_in(made_up, KEYS) == frozenset()


def test_a_summary_without_room_for_its_key_is_refused() -> None:
    with pytest.raises(PermanentError, match="too long"):
        with_key("x" * 450, NAME, KEYS)
