"""Says at the top of a run what tests of real parts run on."""

import gc
import logging
import os
from collections.abc import Generator, Iterator
from pathlib import Path
from threading import RLock

import hypothesis
import pytest
import structlog
from tqdm import tqdm

from bot.demo.loopback.wiki.code import installed_code
from tests.rig.networks import remembered

# Files that take longest begin first, so that no process is left with one at the end.
_LONG = (
    "test_panel_kinds.py",
    "test_panel_safety.py",
    "test_panel_live.py",
    "test_updates_live.py",
    "test_daemon_program.py",
    "gadget/script/test_panel_access.py",
    "bot/writing/test_real_reconciliation.py",
    "bot/daemon/test_killed.py",
    "gadget/local_page/test_local_page.py",
    "gadget/script/test_entry.py",
    "gadget/script/test_queue.py",
    "test_program_output.py",
    "gadget/script/test_panel.py",
    "bot/sources/extraction/test_extractor.py",
    "test_language_model_program.py",
    "test_writing_live.py",
    "gadget/script/test_wiki_edit.py",
    "gadget/identity/test_takeover.py",
    "soak/test_soak.py",
    "gadget/api/test_schemathesis.py",
    "bot/writing/test_real_wiki.py",
    "test_program.py",
    "test_drafts_live.py",
    "bot/surfaces/planning/test_people.py",
    "bot/store/test_migrations.py",
    "bot/daemon/test_better_sources.py",
    "gadget/deploying/test_on_wiki.py",
    "test_parts_program.py",
    "test_program_findings.py",
    "bot/writing/test_killed.py",
    "bot/search/index/test_harm.py",
    "bot/surfaces/planning/test_opt_ins_real_wiki.py",
    "bot/surfaces/planning/test_real_wiki.py",
    "bot/research/sweep/test_workers.py",
    "gadget/identity/test_proof.py",
    "bot/research/evaluation/test_floors.py",
    "bot/app/cli/test_discover.py",
    "secrets/test_whole_run.py",
    "torture/test_sharing.py",
    "torture/test_databases_and_disks.py",
    "bot/research/evaluation/citations/test_demo_judgements.py",
    "bot/research/sweep/test_sweep.py",
    "bot/app/doctor/test_setups_of_wikis.py",
    "bot/app/doctor/test_setups_of_services.py",
    "hardening/test_expressions.py",
    "bot/app/cli/test_wiki.py",
    "bot/models/roles/test_injection.py",
    "toolforge/test_deploy.py",
    "test_docs.py",
    "bot/research/evaluation/updates/test_edits.py",
)
_PLACES = {name: at for at, name in enumerate(_LONG)}
_HERE = Path(__file__).parent


def pytest_configure() -> None:
    """Set what no test may depend on: how fast the machine is, and who was killed."""
    hypothesis.settings.register_profile("untimed", deadline=None)
    hypothesis.settings.load_profile("untimed")
    # The lock of progress bars is shared with processes that are forked. One that is
    # killed while it holds the lock would stop all others, and this one, for good.
    tqdm.set_lock(RLock())


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while thousands of tests are found, nor in them later on.

    That takes a sixth of the time that each process needs to find them.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first; the order of all others stays."""

    def place(item: pytest.Item) -> int:
        return _PLACES.get(item.path.relative_to(_HERE).as_posix(), len(_LONG))

    items.sort(key=place)


def pytest_report_header() -> list[str]:
    found = [f"{code.version} ({code.folder})" for code in installed_code()]
    return [f"MediaWiki: {', then '.join(found) or 'none'}"]


@pytest.fixture(scope="session", autouse=True)
def remembered_networks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let all processes of a run share what the networks answered."""
    own = tmp_path_factory.getbasetemp()
    with remembered(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own):
        yield


@pytest.fixture(scope="session", autouse=True)
def no_proxy() -> Iterator[None]:
    """Have loopback reached directly, whatever this machine is set to."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("NO_PROXY", "*")
        yield


@pytest.fixture(autouse=True)
def own_logging() -> Iterator[None]:
    """Let no test hear more or less because one before it set up logging."""
    root = logging.getLogger()
    before = root.handlers[:]
    # By default structlog draws a traceback with all locals, which takes seconds.
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.dev.ConsoleRenderer(
                exception_formatter=structlog.dev.plain_traceback
            ),
        ]
    )
    yield
    for one in set(root.handlers).difference(before):
        root.removeHandler(one)
    structlog.reset_defaults()
