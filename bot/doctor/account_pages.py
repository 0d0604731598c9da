"""The pages by which people steer the bot: whether they are there and what they say."""

from bot.doctor.account_values import Answer
from bot.doctor.values import Notes, Patient
from bot.opt_in.community import read_community
from bot.opt_in.exclusion import PROGRAM, exclusion
from bot.report.wording import counted
from bot.settings import Posting, Settings
from bot.surfaces.post_summaries import Task, stop_page
from bot.surfaces.shipped import wiki_pages
from bot.writing.hindrances import GO

_SHOWN = 3


def titles_of(bot: str, settings: Settings) -> tuple[str, ...]:
    """Return the titles of all these pages."""
    stops = [stop_page(bot, task) for task in Task]
    templates = [page.title for page in wiki_pages(bot)]
    own = [settings.dry_run_page] if settings.dry_run_page else []
    return (*stops, *templates, settings.community_page, *own)


def note_pages(
    patient: Patient, host: str, answer: Answer, titles: tuple[str, ...], notes: Notes
) -> None:
    """Write down what stands on them."""
    bot, settings = patient.settings.bot_account, patient.settings
    _stops(patient, host, answer, notes)
    _templates(bot, host, answer, notes)
    _community(settings.community_page, host, answer, notes)
    _excluded(bot, host, answer, titles, notes)
    if answer.query.userinfo.messages:
        note = notes.broken if settings.posting is Posting.LIVE else notes.warning
        note(
            f"{host}: messages",
            f"somebody wrote on User talk:{bot}; until it is read, nothing is posted",
            f"Log in as {bot}, read it and answer.",
        )


def _stops(patient: Patient, host: str, answer: Answer, notes: Notes) -> None:
    bot, settings = patient.settings.bot_account, patient.settings
    is_live = settings.posting is Posting.LIVE
    wanted = [task for task in Task if (task is Task.DRY_RUN) is not is_live]
    if not is_live and not settings.dry_run_page:
        notes.skipped(f"{host}: run pages", "a dry run asks for none of them")
        return
    name = f"{host}: run pages"
    texts = {task: answer.text_of(stop_page(bot, task)) for task in wanted}
    running = [t.value for t, text in texts.items() if text == GO]
    absent = [stop_page(bot, t) for t, text in texts.items() if text is None]
    stopped = {
        stop_page(bot, t): text for t, text in texts.items() if text and text != GO
    }
    if running:
        notes.fine(name, f"these tasks run: {', '.join(running)}")
    for title, text in stopped.items():
        notes.warning(
            name,
            f"{title} says “{' '.join(text.split())[:60]}”: this task is stopped",
            f"Read its history and settle what it was stopped for; then save the word “{GO}” on it.",
        )
    if absent:
        notes.warning(
            name,
            f"{counted(len(absent), 'task does', 'tasks do')} not run, for there is no {', '.join(absent)}",
            f"Save each with the word “{GO}”, as soon as the task is allowed to.",
        )


def _templates(bot: str, host: str, answer: Answer, notes: Notes) -> None:
    name = f"{host}: templates"
    titles = [page.title for page in wiki_pages(bot)]
    missing = [
        title
        for title in titles
        if not title.endswith("/doc") and answer.text_of(title) is None
    ]
    if not missing:
        notes.fine(name, f"{counted(len(titles), 'page')} of templates are there")
        return
    notes.warning(
        name,
        f"there is no {', '.join(missing)}, which notes are made with",
        "Type: sidenote gadget deploy --only templates --only documentation",
    )


def _community(title: str, host: str, answer: Answer, notes: Notes) -> None:
    name, text = f"{host}: community page", answer.text_of(title)
    if text is None:
        notes.fine(name, f"there is no {title}: what ships is in force")
        return
    faults = read_community(text).faults
    if not faults:
        notes.fine(name, f"{title} is valid")
    for fault in faults[:_SHOWN]:
        subject = f"{fault.parameter} = {fault.given}: " if fault.parameter else ""
        notes.warning(
            name,
            f"{title}: {subject}{fault.problem}; the last valid version stays in force",
            f"Edit {title}: {fault.remedy}.",
        )


def _excluded(
    bot: str, host: str, answer: Answer, titles: tuple[str, ...], notes: Notes
) -> None:
    name = f"{host}: exclusion"
    refusals = {
        title: found.reason
        for title in titles
        if (text := answer.text_of(title))
        and not title.endswith("/doc")
        and not (found := exclusion(text, bot, task=PROGRAM)).may_write
    }
    for title, reason in refusals.items():
        notes.warning(
            name,
            f"{title}: {reason}",
            "Take that out, if it was not meant to keep the bot from its own page.",
        )
    if not refusals:
        notes.fine(name, "no {{nobots}} on the pages that steer it")
