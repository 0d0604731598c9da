"""What a dossier is, in sentences for its head. Pure."""

from urllib.parse import unquote

from bot.records.watches import Policy
from bot.report.drafts.views import Dossier
from bot.report.wording import counted
from handlers.model import LeftOut


def what_it_is(shown: Dossier) -> str:
    """Return in a sentence what the text of the dossier consists of."""
    if not shown.has_model_words:
        return (
            "Each sentence is quoted from its source word for word: say it in your own"
            " words when you write."
        )
    if shown.policy is Policy.FACTS:
        return (
            "The facts were worded by a language model, and the passages that bear them"
            " out are quoted behind them."
        )
    return (
        "A language model wrote sentences of it from the passages that they cite;"
        " what stands in quotation marks is quoted word for word."
    )


def made_of(shown: Dossier) -> str:
    """Return in words how many sentences stand on how many documents."""
    read = len(shown.draft.documents)
    of = f" of {read} read" if read != len(shown.sources) else ""
    return (
        f"{counted(len(shown.sentences), 'sentence')} from"
        f" {counted(len(shown.sources), 'document')}{of}"
    )


def name_of(one: LeftOut) -> str:
    """Return what was left out as it is shown: of a file here its name, not its path."""
    is_file = one.what.startswith("file:")
    return unquote(one.what.rpartition("/")[2]) if is_file else one.what
