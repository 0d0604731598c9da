"""`./dev licences`: lists the licence of every package that is pinned."""

import sys

from tests.supply_chain.licences import LIST, as_markdown


def main() -> None:
    """Print the list, or with `--write` keep it."""
    if sys.argv[1:] == ["--write"]:
        LIST.write_text(as_markdown())
        return
    sys.stdout.write(as_markdown())


if __name__ == "__main__":
    main()
