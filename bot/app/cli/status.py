"""`sidenote status`, `alive` and `posts`: the state of the bot, and what needs a person.

Usually `bot.__main__` answers `alive` before this is imported.
"""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from bot.app.cli.options import pass_settings, text_or_json
from bot.app.cli.terminal import Exit, terminal_width, write_out
from bot.app.wiring.logs import configure_logging
from bot.app.wiring.serving import read_situation
from bot.app.wiring.store import open_store
from bot.daemon import heartbeat_check
from bot.records.posts import Decision, StoredPost
from bot.report.words import clean_for_terminal, counted, moment
from bot.settings import Settings, load_settings


@click.command(name="status")
@text_or_json()
@pass_settings
def status(settings: Settings, form: str) -> Exit:
    """Show the state of the bot, as recorded in the database.

    The bot need not be running. `sidenote serve` shows the same in a browser.
    """
    with open_store(settings) as store:
        situation = read_situation(settings, store)()
    from bot.daemon.status.render import render_json, render_text

    if form == "json":
        write_out(render_json(situation), as_utf8=True)
    else:
        colour = sys.stdout.isatty()
        write_out(render_text(situation, width=terminal_width(), colour=colour))
    return Exit.FINE


@click.command(name="alive")
@click.argument("part")
@click.pass_obj
def alive(settings_file: Path | None, part: str) -> Exit:
    """Check that PART (intake, work, publish, serve …) is running on this machine.

    For health checks. It uses neither the database nor the network, only `data_dir`.
    If PART is not running it says so and exits with code 1; otherwise it prints nothing.
    With SIDENOTE_DATA_DIR set and no settings file it takes about 20 ms.
    """
    settings = load_settings(settings_file)
    found = heartbeat_check.problem(settings.data_dir / heartbeat_check.FOLDER, part)
    if found:
        click.echo(f"sidenote: {found}", err=True)
    return Exit.NEEDS_ATTENTION if found else Exit.FINE


_MOST_POSTS = 500
_SHOWN_CHARS = 12  # enough of the name to tell posts apart


@click.group(name="posts", invoke_without_command=True)
@text_or_json()
@click.pass_context
def posts(context: click.Context, form: str) -> Exit | None:
    """List the parked posts, whose outcome is unknown.

    The wiki refused them with an unknown code, or its answer was lost and the history
    that would show the edit is hidden. Each is checked again once a day; until it is
    settled, nothing else is written to its page. Exit code 1 if there are any.
    """
    if context.invoked_subcommand is not None:
        return None
    settings = load_settings(context.obj)
    configure_logging(settings)
    with open_store(settings) as store:
        parked = store.outbox.parked(limit=_MOST_POSTS)
        count = store.outbox.parked_count()
    if form == "json":
        rows = [_as_json(each) for each in parked]
        write_out(f"{json.dumps(rows, indent=2, ensure_ascii=False)}\n", as_utf8=True)
    else:
        write_out(_as_text(parked, count))
    return Exit.NEEDS_ATTENTION if count else Exit.FINE


@posts.command(name="settle")
@click.argument("name")
@click.argument("decision", type=click.Choice([each.value for each in Decision]))
@click.option(
    "--revision",
    type=click.IntRange(min=1),
    help="The revision in which it was made, with “posted”, if you know it.",
)
@pass_settings
def settle(settings: Settings, name: str, decision: str, revision: int | None) -> Exit:
    r"""Say what became of the parked post whose name begins with NAME.

    \b
    posted  it was made, whether or not it is still there
    drop    it was not made, and its notes are never shown on that page
    again   it was not made, and is tried at once: look at the history first
    """
    chosen = Decision(decision)
    if revision is not None and chosen is not Decision.POSTED:
        raise click.UsageError("--revision only applies to “posted”")
    with open_store(settings) as store:
        was = store.outbox.decide(
            name, chosen, datetime.now(UTC), revision_id=revision or 0
        )
    title = clean_for_terminal(was.post.title)
    sys.stderr.write(f"{was.post.name[:_SHOWN_CHARS]} ({title}): {chosen.value}\n")
    return Exit.FINE


def _as_text(parked: tuple[StoredPost, ...], count: int) -> str:
    if not count:
        return "No post is parked.\n"
    lines = [f"{counted(count, 'post is', 'posts are')} parked.\n"]
    for each in parked:
        post, why = each.post, each.refusal.value if each.refusal else ""
        lines.append(
            f"\n{post.name[:_SHOWN_CHARS]}  {clean_for_terminal(post.title)}\n"
            f"  on {clean_for_terminal(post.wiki)}, task {clean_for_terminal(post.task)},"
            f" requested {moment(post.asked_at)}, next check {moment(each.due_at)}\n"
            f"  {why}: {clean_for_terminal(each.note)}\n"
        )
    words = " | ".join(each.value for each in Decision)
    lines.append(f"\nSettle one with: sidenote posts settle NAME {words}\n")
    return "".join(lines)


def _as_json(parked: StoredPost) -> dict[str, object]:
    post = parked.post
    return {
        "name": post.name,
        "wiki": post.wiki,
        "title": post.title,
        "task": post.task,
        "asked_at": post.asked_at.isoformat(),
        "changed_at": parked.changed_at.isoformat(),
        "due_at": parked.due_at.isoformat(),
        "tries": parked.tries,
        "reason": parked.refusal.name.lower() if parked.refusal else None,
        "note": parked.note,
        "text": post.change.text,
    }
