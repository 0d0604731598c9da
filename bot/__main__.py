"""`python -m bot` and `sidenote` are the same program."""

import sys

from bot.daemon.heartbeat_check import answer


def main() -> None:
    """Run the program with the arguments that the process was started with.

    A health check is taken every few seconds; it is answered without the program.
    """
    code = answer(sys.argv[1:])
    if code is not None:
        sys.exit(code)
    from bot.app import cli
    from bot.daemon.threads import end_with

    try:
        cli.main()
    except SystemExit as end:
        if isinstance(end.code, int):
            end_with(end.code)
        raise


if __name__ == "__main__":
    main()
