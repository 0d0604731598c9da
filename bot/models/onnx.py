"""Loads the networks that ship with the package, and the word pieces that they read.

Each is run on the CPU with one text at a time and none is padded: filling up batches
gains nothing there and costs memory. Both libraries are slow to import, so that is
done with the first network.
"""

from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from handlers.ports import PermanentError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

WORD_PIECES = "wordpieces.json"  # the same for all


def shipped(name: str) -> Traversable:
    """Return the model file of this name among the package's data."""
    return files("bot.models") / "files" / name


def load_network(
    file: Traversable, *, threads: int | None = None, keeps_memory: bool = True
) -> "InferenceSession":
    """Load the network of an ONNX file.

    Args:
        file: one that ships, or any path.
        threads: for one text; `None` takes all cores.
        keeps_memory: whether what one text took is kept for the next.

    Raises:
        PermanentError: there is no such file, or it is broken.
    """
    from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415 - slow to import

    options = SessionOptions()
    options.enable_cpu_mem_arena = keeps_memory
    # A thread that waits leaves its core to others.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if threads is not None:
        options.intra_op_num_threads = threads
    try:
        with as_file(file) as path:
            return InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
    except Exception as error:  # the library has no common base for its errors
        raise _broken(file, error) from error


def load_word_pieces(file: Traversable) -> "Tokenizer":
    """Load what cuts texts into word pieces: no text is padded or cut short.

    Raises:
        PermanentError: there is no such file, or it is broken.
    """
    from tokenizers import Tokenizer  # noqa: PLC0415 - slow to import

    try:
        tokenizer = Tokenizer.from_str(file.read_text("utf-8"))
    except Exception as error:  # the library has no common base for its errors
        raise _broken(file, error) from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _broken(file: Traversable, error: Exception) -> PermanentError:
    return PermanentError(
        f"the model file {file} cannot be loaded ({error}); install Sidenote again"
    )
