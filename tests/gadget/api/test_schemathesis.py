"""Schemathesis asks all that the document allows, and much that it does not.

It is a program of its own, so that its threads, its loops and its warnings stay there.
"""

import asyncio
import os
import re
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from bot.store import Store
from gadget.limits import Rate
from tests.bot.store.runs import TITLE
from tests.gadget.api.conftest import FIRST
from tests.gadget.api.rig import ORIGIN, RULES, served, sign_in

_HERE = Path(__file__).parent
_ROOT = _HERE.parents[2]
_UNBOUNDED = replace(
    RULES, reads=Rate(0), writes=Rate(0), new_checks=Rate(0), sign_ins=Rate(0)
)
_SETTINGS = f"""
[parameters]
"path.identity" = "{FIRST.identity}"
"query.title" = "{TITLE}"
"""
_OPTIONS = (
    "--max-examples=6",
    "--mode=all",
    "--generation-deterministic",
    "--continue-on-failure",
    "--checks=all",
    "--workers=1",
    "--no-color",
    f"--header=Origin: {ORIGIN}",
)
# Of the forms of a request the document allows, all are tried by somebody signed in;
# for who is not, most end where the sign-in is asked for.
_PHASES = {True: "examples,coverage,fuzzing", False: "examples,fuzzing"}
_LEAST_CASES = {True: 700, False: 100}


async def _output_of(address: str, folder: Path, more: Iterable[str]) -> str:
    (folder / "schemathesis.toml").write_text(_SETTINGS, "utf-8")
    running = await asyncio.create_subprocess_exec(
        *(str(Path(sys.executable).parent / "schemathesis"), "run"),
        f"{address}/api/v1/openapi.json",
        f"--url={address}/api/v1",
        *_OPTIONS,
        *more,
        cwd=folder,
        env={
            **os.environ,
            "KNOWN_IDENTITY": FIRST.identity,
            "PYTHONPATH": str(_ROOT),
            "SCHEMATHESIS_HOOKS": "tests.gadget.api.schemathesis_hooks",
        },
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await running.communicate()
    return output.decode()


@pytest.mark.parametrize("is_signed_in", [False, True])
async def test_nothing_that_is_sent_finds_a_fault(
    store: Store, tmp_path: Path, is_signed_in: bool
) -> None:
    more = [f"--phases={_PHASES[is_signed_in]}"]
    if is_signed_in:
        token = sign_in(store, "Fuzzer")
        # Whoever signs out is nobody for the rest of the run.
        more += [
            f"--header=Authorization: Bearer {token}",
            "--exclude-operation-id=signOut",
        ]
    async with served(store, tmp_path, _UNBOUNDED) as ask:
        output = await _output_of(ask.address, tmp_path, more)

    assert "FAILURES" not in output, output
    assert "ERRORS" not in output, output
    cases = re.search(r"(\d+) generated", output)
    assert cases, output
    assert int(cases[1]) > _LEAST_CASES[is_signed_in]
