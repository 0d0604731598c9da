"""WiNELL's roles played by a language model (§3.1, §3.2). Pure.

`criteria` says what belongs into each section, `navigator` chooses what is searched and
opened, `extractor` reads a page once and says what becomes of each fact (the paper's
extractor and aggregator in one question), `rulings` and `wording` hold its word against
the page and the article: the quote is found in the document again; numbers, dates and
names stand there or follow by arithmetic; the verification model does not object; what
it points at is there. Nobody plays in the place of a model that fails: the page counts
as not checked, and a model that is out of reach ends the run.
"""

from handlers.citations.reliability import ReliabilityLists
from handlers.ports import LanguageModel, TextEncoder, Verifier
from handlers.updates.by_model.criteria import ModelCriteria
from handlers.updates.by_model.extractor import ModelExtractor
from handlers.updates.by_model.navigator import ModelNavigator
from handlers.updates.roles import CriteriaShelf, Editor, Roles

__all__ = ["ModelCriteria", "ModelExtractor", "ModelNavigator", "by_model"]


def by_model(
    model: LanguageModel,
    verifier: Verifier,
    encoder: TextEncoder,
    lists: ReliabilityLists,
    *,
    shelf: CriteriaShelf | None = None,
    editor: Editor | None = None,
) -> Roles:
    """Return the roles, played by `model` within its own budget.

    Args:
        model: is asked at each step.
        verifier: its word is held against; a `Remembering` one saves time.
        encoder: tells what has to do with the article.
        lists: how wikis regard sites.
        shelf: keeps criteria from run to run.
        editor: proposes edits, if the wiki's policy lets it.
    """
    return Roles(
        criteria=ModelCriteria(model, shelf),
        navigator=ModelNavigator(model),
        extractor=ModelExtractor(model, verifier, encoder, lists),
        editor=editor,
    )
