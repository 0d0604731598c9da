"""The values that travel through the program, in the field's own words.

A *claim* is the words a *citation* vouches for; a *source* is what is cited;
a *passage* is a slice of a source; *evidence* is a passage that decided a
*verdict*. Every value is frozen; closed sets are enums. Pure.
"""

from handlers.model.better_sources import (
    BetterSources,
    Contrary,
    Drift,
    Recommendation,
    Reliability,
    Trust,
)
from handlers.model.checks import (
    CheckKind,
    ClaimCheck,
    Flag,
    Remedy,
    RemedyKind,
    Suggestion,
)
from handlers.model.citing import Citation, CitationForm, Source, SourceForm, UrlStatus
from handlers.model.claims import (
    Claim,
    ClaimKind,
    Tag,
    TagKind,
    UnattachedReason,
    UnattachedReference,
)
from handlers.model.details import DatedQuote, Details, Quoted
from handlers.model.opinions import Consultation, ModelUse, Opinion, Setback
from handlers.model.pages import Page, PageId, Section
from handlers.model.readings import (
    Author,
    DocumentKind,
    Imprint,
    Origin,
    SourceOutcome,
    SourceReading,
    SourceText,
)
from handlers.model.searching import Found, Query
from handlers.model.spans import Span
from handlers.model.verdicts import (
    Engine,
    Evidence,
    Passage,
    Probabilities,
    Verdict,
    Verification,
)

__all__ = [
    "Author",
    "BetterSources",
    "CheckKind",
    "Citation",
    "CitationForm",
    "Claim",
    "ClaimCheck",
    "ClaimKind",
    "Consultation",
    "Contrary",
    "DatedQuote",
    "Details",
    "DocumentKind",
    "Drift",
    "Engine",
    "Evidence",
    "Flag",
    "Found",
    "Imprint",
    "ModelUse",
    "Opinion",
    "Origin",
    "Page",
    "PageId",
    "Passage",
    "Probabilities",
    "Query",
    "Quoted",
    "Recommendation",
    "Reliability",
    "Remedy",
    "RemedyKind",
    "Section",
    "Setback",
    "Source",
    "SourceForm",
    "SourceOutcome",
    "SourceReading",
    "SourceText",
    "Span",
    "Suggestion",
    "Tag",
    "TagKind",
    "Trust",
    "UnattachedReason",
    "UnattachedReference",
    "UrlStatus",
    "Verdict",
    "Verification",
]
