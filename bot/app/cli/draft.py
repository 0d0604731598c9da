"""`sidenote draft`: documents on a topic as a dossier to write an article from."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any

import click

from bot.app.cli.options import (
    in_form,
    into_file,
    pass_settings,
    search_in,
    searched,
    without_asking,
)
from bot.app.cli.progress import step
from bot.app.cli.terminal import Exit, put, require_place_for, text_width
from bot.app.wiring.drafts import (
    DEFAULT_RERANKER,
    RENAMED_RERANKERS,
    RERANKERS,
    open_drafter,
    renamed,
)
from bot.app.wiring.language_model import open_draft_model, open_language_model
from bot.records.watches import Policy
from bot.settings import Settings
from handlers.citations.flags import language_of
from handlers.drafts.model import expected_use
from handlers.model import Draft, DraftMethod, Topic
from handlers.ports import PermanentError

_LONGEST_TOPIC = 255  # characters; no wiki has longer titles


class RerankerChoice(click.Choice[str]):
    """The name of a reranker; an old name is rejected with a hint at the new one."""

    def __init__(self) -> None:
        super().__init__(RERANKERS, case_sensitive=False)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Return the name as spelled in `RERANKERS`."""
        if str(value).casefold() in RENAMED_RERANKERS:
            self.fail(renamed(str(value).casefold()), param, ctx)
        return super().convert(value, param, ctx)


class Form(Enum):
    """How a dossier is written."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"
    WIKITEXT = "wikitext"


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says."""

    topic: str
    hint: str
    method: DraftMethod
    reranker: str
    documents: Path | None
    search: tuple[str, ...]
    wiki: str | None
    language: str | None
    words: int | None
    policy: Policy
    form: Form
    output: Path | None
    yes: bool


@click.command(name="draft")
@click.argument("topic")
@click.option(
    "--hint",
    default="",
    help="A few words that say what is meant, such as “the flood of 2024”.",
)
@click.option(
    "--method",
    type=click.Choice(DraftMethod, case_sensitive=False),
    default=DraftMethod.PRR,
    show_default="prr",
    help="Write everything at once (rr), plan sections first (prr), or have the tuned"
    " model in SIDENOTE_DRAFT_MODEL write everything at once (tuned).",
)
@click.option(
    "--reranker",
    type=RerankerChoice(),
    default=DEFAULT_RERANKER,
    show_default=True,
    help="How passages of the documents are ranked.",
)
@click.option(
    "--documents",
    type=click.Path(path_type=Path, file_okay=False),
    help="Use only the documents in this folder; search nowhere.",
)
@search_in()
@click.option("--wiki", help="The wiki the article is for, such as de.wikipedia.org.")
@click.option(
    "--language",
    help="Language code of the draft and its documents; by default that of the wiki.",
)
@click.option(
    "--words",
    type=click.IntRange(50, 20_000),
    help="Approximate length; by default 1,600 words.",
)
@click.option(
    "--policy",
    type=click.Choice(Policy, case_sensitive=False),
    default=Policy.POINTER,
    show_default="pointer",
    help="What to show: only quotes, a language model's plain facts, or its prose.",
)
@in_form(Form, "dossier")
@into_file("dossier")
@without_asking()
@pass_settings
def command(settings: Settings, /, **given: Any) -> Exit:
    """Gather documents on TOPIC, and arrange what they say under headings.

    The result is a dossier to write from, not an article: each sentence is quoted from
    a document, with its source and a link to the passage.
    """
    options = Options(**given)
    _validate(options)
    require_place_for(options.output)
    with step(f"Gathering documents on {options.topic.strip()}") as going:
        expected = expected_use(
            options.method, settings.draft_sections, settings.draft_chunks
        )
        going.asking(settings, expected, at_most=True, asks=not options.yes)
        made, wiki = asyncio.run(_draft(settings, options))
    document = _rendered(made, wiki, options)
    put(document, "dossier", options.output, is_text=options.form is Form.TEXT)
    return Exit.FINE


def _validate(options: Options) -> None:
    if not options.topic.strip():
        raise click.UsageError("TOPIC is empty; give the title of the future article")
    if len(options.topic) > _LONGEST_TOPIC:
        raise click.UsageError(
            f"TOPIC is longer than {_LONGEST_TOPIC} characters; move the rest to --hint"
        )
    try:
        f"{options.topic}{options.hint}".encode()
    except UnicodeEncodeError:
        raise click.UsageError("TOPIC and --hint must be UTF-8") from None
    if options.documents is not None and options.search:
        raise click.UsageError("give either --documents or --search, not both")


async def _draft(settings: Settings, options: Options) -> tuple[Draft, str]:
    """Return the draft, and the host name of the wiki it is meant for."""
    is_tuned = options.method is DraftMethod.TUNED
    folders, services = searched(options.search)
    async with (
        (open_draft_model if is_tuned else open_language_model)(settings) as model,
        open_drafter(
            settings,
            model,
            method=options.method,
            reranker=options.reranker,
            documents=options.documents,
            folders=folders,
            services=services,
            wiki=options.wiki,
            words=options.words,
            may_word=options.policy is not Policy.POINTER,
        ) as drafter,
    ):
        if drafter.documents is None and not drafter.reach.searches:
            raise PermanentError(
                "there is nothing to draft from: give a folder with --documents, a"
                " folder or a service with --search, or set up services in"
                " SIDENOTE_SEARCHES"
            )
        wiki = drafter.reach.wiki
        language = (options.language or language_of(wiki) or "en").strip().lower()
        topic = Topic(options.topic.strip(), language, options.hint.strip())
        return await drafter.draft(topic), wiki


def _rendered(made: Draft, wiki: str, options: Options) -> str:
    from bot.report.dossiers import render_html, render_json, render_text
    from bot.surfaces.dossier_page import Setting, dossier

    if options.form is Form.WIKITEXT:
        now = datetime.now(UTC)
        setting = Setting(policy=options.policy, wiki=wiki, as_of=now)
        return f"{dossier(made, setting)}\n"
    if options.form is Form.JSON:
        return render_json(made, options.policy, wiki)
    if options.form is Form.HTML:
        return render_html(made, options.policy)
    return render_text(made, options.policy, width=text_width(options.output))
