"""`python -m bot` and `sidenote` are the same program."""

from bot.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
