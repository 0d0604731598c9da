"""Puts the gadget on a wiki of one's own on loopback, switched on for everybody."""

from dataclasses import replace

from pydantic import SecretStr

from bot.app.wiring.demo import ADMIN_TOKEN
from bot.app.wiring.wiki import open_interface_gate
from bot.demo.loopback.wiki.building import ADMIN, APP
from bot.settings import Settings
from gadget.deploying.carrying_out import carry_out
from gadget.deploying.definition import TITLE, for_everybody
from gadget.deploying.pages import checked_backend, wanted_pages
from gadget.deploying.planning import Change, Step, plan


def install(settings: Settings, wiki: str, backend: str, bot: str) -> None:
    """Write the gadget's pages on a wiki of the demo, as its administrator.

    Waits for the wiki, a second or so. Whoever else writes from this process begins
    behind it.

    Args:
        settings: in force.
        wiki: host of the wiki, on loopback, with its port.
        backend: address of the panel's backend.
        bot: the bot's account.

    Raises:
        PermanentError: the wiki does not know the demo's administrator.
        TemporaryError: it cannot be reached.
    """
    as_admin = settings.model_copy(
        update={
            "deploy_account": ADMIN,
            "deploy_login": f"{ADMIN}@{APP}",
            "deploy_password": SecretStr(ADMIN_TOKEN),
        }
    )
    gate = open_interface_gate(as_admin, f"http://{wiki}", bot)
    pages = wanted_pages(checked_backend(backend), bot)
    steps = plan(pages, gate.look([page.title for page in pages]))
    carry_out(gate, map(_switched_on, steps), lambda _: None).require_done()
    gate.end()


def _switched_on(step: Step) -> Step:
    if step.title != TITLE:
        return step
    after = for_everybody(step.after)
    change = step.change if after == step.after else Change.NEWER
    return replace(step, after=after, change=change)
