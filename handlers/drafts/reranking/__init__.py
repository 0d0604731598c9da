"""Orders chunks by how well they answer a query: the rerankers of WikiGenBench §5.1.

Two go by words, two by meaning, one joins others by their ranks, one lets the
verification model judge, and one is the paper's baseline, chance. Each fulfils
`handlers.drafts.roles.Reranker`; a chunk's place in the answer is its place in what was
asked. Pure.
"""

from handlers.drafts.reranking.dense import DprReranker, GtrReranker
from handlers.drafts.reranking.judged import VerifierReranker
from handlers.drafts.reranking.merged import MergedReranker
from handlers.drafts.reranking.random_order import RandomReranker
from handlers.drafts.reranking.sparse import Bm25Reranker, TfidfReranker

__all__ = [
    "Bm25Reranker",
    "DprReranker",
    "GtrReranker",
    "MergedReranker",
    "RandomReranker",
    "TfidfReranker",
    "VerifierReranker",
]
