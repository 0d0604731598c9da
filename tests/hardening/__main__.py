"""Tries the large sets of hostile input: `./dev hardening [SET...] [--seed N] [--write]`.

`./dev hardening cases` tries nothing, and writes the table of cases and goals anew.
"""

import argparse
import asyncio
import itertools
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog

from tests.hardening import report
from tests.hardening.addresses import try_addresses, try_vectors
from tests.hardening.bombs import own_bombs, shared_bombs, try_bombs
from tests.hardening.escaping import texts, try_texts
from tests.hardening.expressions import collect, try_expressions
from tests.hardening.figures import Figures
from tests.hardening.injection import try_pages
from tests.hardening.rebinding import try_schedules
from tests.hardening.spending import try_jobs, try_restarts
from tests.hardening.stream import try_disconnects, try_endless_line, try_streams
from tests.hardening.wikitext import collected, try_wikitext
from tests.rig.wiki.mediawiki import serve_wiki
from tests.shared_data import shared_data
from tests.wikitext_bombs import BOMBS

Set = Callable[[Path, int], list[Figures]]


def _addresses(folder: Path, seed: int) -> list[Figures]:
    schedules = asyncio.run(try_schedules(1_000, seed))
    return [try_vectors(folder), try_addresses(seed), schedules]


def _stream(_: Path, seed: int) -> list[Figures]:
    return [
        try_streams(10_000, seed),
        asyncio.run(try_disconnects(1_000, seed)),
        asyncio.run(try_endless_line()),
    ]


def _bombs(folder: Path, _: int) -> list[Figures]:
    bombs = itertools.chain(own_bombs(), shared_bombs(folder))
    return [asyncio.run(try_bombs(bombs))]


def _expressions(_: Path, __: int) -> list[Figures]:
    return [try_expressions(collect())]


def _wikitext(folder: Path, _: int) -> list[Figures]:
    return [try_wikitext({**collected(folder), **BOMBS}, 2_000_000)]


def _escaping(_: Path, seed: int) -> list[Figures]:
    with serve_wiki() as wiki:
        return [try_texts(wiki.host, texts(20_000, seed))]


def _injection(folder: Path, _: int) -> list[Figures]:
    return [asyncio.run(try_pages(folder, every=1))]


def _spending(_: Path, __: int) -> list[Figures]:
    with TemporaryDirectory() as folder:
        restarts = asyncio.run(try_restarts(500, 20, Path(folder)))
    return [asyncio.run(try_jobs(10_000)), restarts]


_SETS: dict[str, Set] = {
    "addresses": _addresses,
    "stream": _stream,
    "bombs": _bombs,
    "expressions": _expressions,
    "wikitext": _wikitext,
    "spending": _spending,
    "escaping": _escaping,
    "injection": _injection,
}
_CASES = "cases"


def main() -> int:
    """Try the sets that are named, or all; return 1 where a promise was broken."""
    parser = argparse.ArgumentParser(prog="./dev hardening")
    names = ", ".join((*_SETS, _CASES))
    parser.add_argument("sets", nargs="*", metavar="SET", help=names)
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--write", action="store_true", help="keep the figures")
    options = parser.parse_args()
    if options.sets == [_CASES]:
        report.write_cases()
        return 0
    if unknown := set(options.sets) - set(_SETS):
        parser.error(f"no such set: {', '.join(sorted(unknown))}")
    _be_quiet()
    folder = shared_data("security_corpora")
    is_wrong = False
    for name in options.sets or _SETS:
        found = _SETS[name](folder, options.seed)
        for one in found:
            sys.stdout.write("\n".join((one.row(), *one.shown_faults(), "")))
            sys.stdout.flush()
            is_wrong |= bool(one.faults)
        if options.write:
            report.write(name, f"./dev hardening {name} --seed {options.seed}", found)
    return int(is_wrong)


def _be_quiet() -> None:
    logging.disable(logging.CRITICAL)
    wrapper = structlog.make_filtering_bound_logger(logging.CRITICAL)
    structlog.configure(wrapper_class=wrapper)


if __name__ == "__main__":
    sys.exit(main())
