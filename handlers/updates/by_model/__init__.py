"""The roles of WiNELL with a language model (§3.1, §3.2), each over the embedded one.

A model's word counts only after our checks: a quote is found in the document again,
a statement is entailed by it, sections, statements, updates and documents are named
by ids that the question gave out. Where there is no usable answer the embedded role
plays, and the turn tells why. Pure; the roles await the model and the verifier.
"""

from dataclasses import replace

from handlers.ports import LanguageModel, Verifier
from handlers.updates.by_model.aggregator import ModelAggregator
from handlers.updates.by_model.criteria import ModelCriteria
from handlers.updates.by_model.extractor import WIDE, Gates, ModelExtractor
from handlers.updates.by_model.navigator import ModelNavigator
from handlers.updates.roles import CriteriaShelf, Extractor, Roles

__all__ = [
    "WIDE",
    "Gates",
    "ModelAggregator",
    "ModelCriteria",
    "ModelExtractor",
    "ModelNavigator",
    "by_model",
]


def by_model(
    model: LanguageModel,
    roles: Roles,
    verifier: Verifier,
    wide: Extractor,
    shelf: CriteriaShelf | None = None,
) -> Roles:
    """Return `roles` with `model` playing all but the editor.

    Args:
        model: is asked at each step, within its own budget.
        roles: the embedded ones, which play where the model does not.
        verifier: checks what the model says; a `Remembering` one saves time.
        wide: the embedded extractor with the policy `WIDE`.
        shelf: keeps criteria from run to run.
    """
    return replace(
        roles,
        criteria=ModelCriteria(model, roles.criteria, shelf),
        navigator=ModelNavigator(model, roles.navigator),
        extractor=ModelExtractor(model, roles.extractor, Gates(wide, verifier)),
        aggregator=ModelAggregator(model, roles.aggregator, verifier),
    )
