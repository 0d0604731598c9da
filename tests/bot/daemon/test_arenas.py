"""Threads of the daemon share what memory others gave back."""

import platform
import subprocess
import sys
from pathlib import Path

import pytest

# Threads that all hold memory at once, and how many arenas glibc then tells of.
_CROWD = """
import ctypes, sys, threading, time
from bot.daemon.threads import PassingThreads

if sys.argv[1] == "shared":
    PassingThreads()
met = threading.Barrier(9)

def hold():
    kept = [bytes(20_000) for _ in range(200)]
    met.wait()
    met.wait()

for _ in range(8):
    threading.Thread(target=hold).start()
met.wait()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
file = libc.fopen(sys.argv[2].encode(), b"w")
libc.malloc_info(0, ctypes.c_void_p(file))
libc.fclose(ctypes.c_void_p(file))
met.wait()
print(open(sys.argv[2]).read().count("<heap nr="))
"""


def _arenas(how: str, path: Path) -> int:
    command = [sys.executable, "-c", _CROWD, how, str(path)]
    return int(subprocess.run(command, capture_output=True, check=True).stdout)


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="arenas are a matter of glibc"
)
def test_eight_threads_share_two_arenas(tmp_path: Path) -> None:
    assert _arenas("own", tmp_path / "told") > 4
    assert _arenas("shared", tmp_path / "told") <= 2
