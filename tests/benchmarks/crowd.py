"""A process that opens many connections and says nothing, or half a head, on any."""

import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

_HALF = b"GET /status HTTP/1.1\r\nHost: localhost\r\n"
_OTHER_FILES = 64


@contextmanager
def crowd(port: int, count: int, *, half: bool = False) -> Iterator[None]:
    """Have so many connections to a port of this machine, from another process."""
    arguments = [sys.executable, "-m", "tests.benchmarks.crowd", str(port), str(count)]
    with subprocess.Popen(
        [*arguments, "half" if half else "idle"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == b"all are there\n"
            yield
        finally:
            process.kill()


def _stay(port: int, count: int, *, half: bool) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + _OTHER_FILES), hard))
    with ExitStack() as stack:
        for _ in range(count):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            if half:
                with suppress(ConnectionError):  # shown out already
                    one.sendall(_HALF)
        sys.stdout.write("all are there\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    _stay(int(sys.argv[1]), int(sys.argv[2]), half=sys.argv[3] == "half")
