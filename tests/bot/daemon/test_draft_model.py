"""The model that was fine-tuned for drafts: which server is asked, and what it is sent."""

from pathlib import Path

import pytest
from pydantic import BaseModel, SecretStr, ValidationError

from bot.app.wiring.language_model import open_draft_model
from bot.settings import Settings
from handlers.ports import Excerpt, ModelAnswer, ModelRequest, PermanentError
from tests.rig.language_model import says, serving


class _Word(BaseModel):
    word: str


_REQUEST = ModelRequest("Say a word.", (Excerpt("word", "yes"),), _Word)


def _settings(tmp_path: Path, **given: str) -> Settings:
    key = SecretStr("sk-test")
    return Settings(
        data_dir=tmp_path, contact="t@example.org", language_model_key=key, **given
    )


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"draft_model": "tuned"},
        {
            "language_model_address": "http://127.0.0.1:1/v1",
            "language_model_name": "m",
        },
        {"draft_model_address": "http://127.0.0.1:1/v1"},
    ],
)
async def test_without_a_tuned_model_it_is_told_what_to_do(
    tmp_path: Path, given: dict[str, str]
) -> None:
    settings = Settings(data_dir=tmp_path, **given)
    with pytest.raises(PermanentError, match=r"train draft.*SIDENOTE_DRAFT_MODEL"):
        async with open_draft_model(settings):
            pass


async def test_the_key_goes_to_the_server_that_it_is_for_and_to_no_other(
    tmp_path: Path,
) -> None:
    async with serving(says('{"word": "yes"}')) as one, serving(*one.scripts) as other:
        for at, address in enumerate(("", one.address, other.address)):
            settings = _settings(
                tmp_path / str(at),
                language_model_address=one.address,
                language_model_name="large",
                draft_model="tuned",
                draft_model_address=address,
            )
            async with open_draft_model(settings) as model:
                assert isinstance(await model.ask(_REQUEST), ModelAnswer)
    assert [each.body["model"] for each in (*one.asked, *other.asked)] == ["tuned"] * 3
    keys = [each.headers.get("authorization", "") for each in one.asked]
    assert keys == ["Bearer sk-test"] * 2
    [sent] = other.asked
    assert "sk-test" not in str(sent.headers)


@pytest.mark.parametrize("address", ["ftp://a.example", "http://a:b@c.example/v1"])
def test_an_address_that_is_none_is_reported(address: str) -> None:
    with pytest.raises(ValidationError, match="address"):
        Settings(draft_model_address=address)
