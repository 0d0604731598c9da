"""Loads the networks that ship with the package, and the tokenizer that goes with them.

Each runs on the CPU, one text at a time and without padding: batches gain nothing there
and cost memory. Both libraries are slow to import, so they are imported for the first
network.
"""

from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from handlers.ports import PermanentError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

WORD_PIECES = "wordpieces.json"  # shared by all networks


def shipped(name: str) -> Traversable:
    """Return the file of the model with this name from the package's data."""
    return files("bot.models") / "files" / name


def load_network(
    file: Traversable, *, threads: int | None = None, keeps_memory: bool = True
) -> "InferenceSession":
    """Load the network of an ONNX file.

    Args:
        file: one that ships, or any path.
        threads: for one text; `None` uses all cores.
        keeps_memory: whether memory used for one text is kept for the next.

    Raises:
        PermanentError: there is no such file, or it is broken.
    """
    from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415 - slow to import

    options = SessionOptions()
    options.enable_cpu_mem_arena = keeps_memory
    # An idle thread leaves its core to others.
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
    """Load the tokenizer: texts are neither padded nor truncated.

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
        f"the model file {file} cannot be loaded ({error}); reinstall Sidenote"
    )
