from pathlib import Path

import pytest

from bot.research.training import asking
from handlers.ports import PermanentError


def test_missing_libraries_are_named_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(asking, "_LIBRARIES", ("json", "no_such_library"))

    with pytest.raises(PermanentError, match=r"needs no_such_library; .*\[training\]"):
        asking.require_ready(tmp_path)


def test_weights_that_are_not_there_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(asking, "_LIBRARIES", ("json",))
    (tmp_path / "config.json").touch()

    with pytest.raises(PermanentError, match=r"lacks model.safetensors, tokenizer"):
        asking.require_ready(tmp_path)
