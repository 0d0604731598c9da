"""What the figures were measured with: the machine, the versions, how busy it was."""

import gc
import os
import platform
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import get_context
from pathlib import Path
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")
_PACKAGES = (
    *("aiohttp", "mwparserfromhell", "numpy", "onnxruntime", "pywikibot", "sseclient"),
    *("sqlalchemy", "tokenizers", "torch", "trafilatura", "transformers"),
)
_MIB = 2**20


def facts(command: str) -> tuple[tuple[str, str], ...]:
    """Return what stands above all figures."""
    return (
        ("Command", command),
        ("Date", f"{datetime.now(UTC):%Y-%m-%d}"),
        ("Processor", f"{_processor()}, {os.cpu_count()} cores"),
        ("Memory", f"{_memory_gib():.0f} GiB"),
        ("System", f"{platform.system()} on {platform.machine()}"),
        ("Python", platform.python_version()),
        ("Packages", ", ".join(_versions())),
        ("Load before", f"{os.getloadavg()[0]:.1f} (of the last minute)"),
    )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "unknown"


def _memory_gib() -> float:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30


def _versions() -> Iterator[str]:
    for package in _PACKAGES:
        try:
            yield f"{package} {version(package)}"
        except PackageNotFoundError:
            yield f"{package} not installed"


def apart(work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Do it in a process of its own, so that nothing from before weighs on it."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as one:
        return one.submit(work, *args, **kwargs).result()


def cpu_s(work: Callable[[], object]) -> float:
    """Return the CPU time of one call, all threads of this process together."""
    began = time.process_time()
    work()
    return time.process_time() - began


def kept_mib(work: Callable[[], object]) -> float:
    """Return the memory of what a call returns, as Python allocated it."""
    gc.collect()
    tracemalloc.start()
    result = work()
    gc.collect()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del result
    return held / _MIB


@contextmanager
def peak_mib(stages: dict[str, float], name: str) -> Iterator[None]:
    """Note the most memory that this process held meanwhile, where Linux tells it."""
    clear = Path("/proc/self/clear_refs")
    if clear.exists():
        clear.write_text("5", "ascii")  # the peak begins anew
    yield
    status = Path("/proc/self/status").read_text("ascii")
    stages[name] = int(status.partition("VmHWM:")[2].split()[0]) / 1024
