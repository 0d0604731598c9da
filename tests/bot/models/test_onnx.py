"""A model file that is missing or broken is reported as a fault of the installation."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.models.onnx import WORD_PIECES, load_network, load_word_pieces, shipped
from handlers.ports import PermanentError


@pytest.mark.parametrize("load", [load_network, load_word_pieces])
@pytest.mark.parametrize("content", [None, b"", b"no model"])
def test_a_missing_or_broken_file_is_named_with_the_remedy(
    tmp_path: Path, load: Callable[[Path], object], content: bytes | None
) -> None:
    file = tmp_path / "model"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(
        PermanentError, match=r"model cannot be loaded .*install"
    ) as caught:
        load(file)

    assert str(file) in str(caught.value)


def test_word_pieces_are_neither_padded_nor_cut_short() -> None:
    pieces = load_word_pieces(shipped(WORD_PIECES))

    short, long = pieces.encode_batch(["a bridge", "a bridge " * 1000])

    assert len(short.ids) == 4
    assert len(long.ids) == 2002
