"""A judge of edits that loads no network: what a claim lost of its support."""

from collections.abc import Sequence

from bot.models.lexical import LexicalVerifier
from handlers.model import Claim, EditJudgement, Passage


class EditJudge(LexicalVerifier):
    """Notes an edit if "supported" falls by half."""

    noted_from = 0.5

    async def judge_edit(
        self, title: str, before: Claim, after: Claim, passages: Sequence[Passage]
    ) -> EditJudgement:
        """Judge an edit, as `handlers.ports.EditJudge` says."""
        old = await self.verify(title, before, passages)
        new = await self.verify(title, after, passages)
        fell = old.probabilities.supported - new.probabilities.supported
        return EditJudgement(max(fell, 0.0), old, new)
