"""The network: a MiniLM encoder with two heads, one for the pair, one for each word.

The word head is the sharper teacher: a claim with one wrong name is wrong in that
place alone. It also tells which words of a claim lack support, and lets evidence of
several texts be put together word by word.

The pair head hears the word head, and reads the claim's own words: the first piece of
this encoder was never trained to stand for a text, while the states of the words were.
"""

from pathlib import Path
from typing import cast

import torch
from torch import Tensor, nn
from transformers import BertModel

from handlers.citations.network_input import BETWEEN, Segment

CLASSES = ("supported", "refuted", "not enough information")
_HIDDEN = -1e4  # of what a maximum must not see


class PairNetwork(nn.Module):
    """Reads `[CLS] claim [SEP] about [SEP] evidence [SEP]`.

    Returns three logits a pair, and one logit of "supported" for every word piece, of
    which those of the claim mean something.
    """

    def __init__(self, weights: Path) -> None:
        super().__init__()
        # The attention that PyTorch fuses is half as fast backwards on a CPU as the
        # plain one at these lengths (16.6 against 30.7 pairs/s of 160 word pieces).
        self.encoder = BertModel.from_pretrained(
            weights,
            add_pooling_layer=False,
            attn_implementation="eager",
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
        _widen(self.encoder)
        width = self.encoder.config.hidden_size
        self.inner = nn.Linear(3 * width, width)
        self.pair_head = nn.Linear(width + 2, len(CLASSES))
        self.word_head = nn.Linear(width, 1)

    def forward(
        self, pieces: Tensor, attention: Tensor, segments: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return logits of shape (batch, 3) and (batch, length)."""
        states = self.encoder(
            input_ids=pieces, attention_mask=attention, token_type_ids=segments
        ).last_hidden_state.float()
        words = self.word_head(states).squeeze(-1)
        claim = _of_claim(pieces)
        mean, most = _pooled(states, claim.unsqueeze(-1))
        of_words = torch.stack((*_pooled(-words, claim),), dim=-1)
        first = torch.tanh(self.inner(torch.cat((states[:, 0], mean, most), dim=-1)))
        pair = self.pair_head(torch.cat((first, of_words), dim=-1))
        return pair, cast(Tensor, words)


def _widen(encoder: BertModel) -> None:
    """Give the encoder a token type for each segment, each begun as its text's own."""
    known = encoder.embeddings.token_type_embeddings.weight.detach()
    claim, evidence = Segment.CLAIM, Segment.EVIDENCE
    of_evidence = {
        evidence,
        Segment.VALUE_CLAIMED,
        Segment.VALUE_OTHER,
        Segment.VALUE_RIVAL,
    }
    table = nn.Embedding(len(Segment), known.shape[1])
    with torch.no_grad():
        for segment in Segment:
            table.weight[segment] = known[evidence if segment in of_evidence else claim]
    encoder.embeddings.token_type_embeddings = table
    encoder.config.type_vocab_size = len(Segment)


def _of_claim(pieces: Tensor) -> Tensor:
    """Return 1 for the claim's pieces, which stand before the first separator."""
    before = (pieces == BETWEEN).long().cumsum(dim=1) == 0
    place = torch.ones_like(pieces).cumsum(dim=1)
    return (before & (place > 1)).float()


def _pooled(values: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Return mean and maximum over the second dimension, of what `mask` shows."""
    count = mask.sum(dim=1).clamp(min=1.0)
    mean = (values * mask).sum(dim=1) / count
    return mean, (values + _HIDDEN * (1.0 - mask)).amax(dim=1)
