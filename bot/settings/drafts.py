"""Settings of drafts: how much is read for one, and how long it is to be."""

from pydantic import BaseModel, Field


class DraftSettings(BaseModel):
    """What a draft may take."""

    draft_documents: int = Field(
        40,
        ge=1,
        le=500,
        description="How many documents are read for one draft at most.",
    )
    draft_words: int = Field(
        1600,
        ge=50,
        le=20_000,
        description="About how many words a draft is to have; it has fewer where its documents say less.",
    )
    draft_sections: int = Field(
        8,
        ge=1,
        le=40,
        description="How many sections a draft has at most, its lead included.",
    )
    draft_chunks: int = Field(
        5,
        ge=1,
        le=50,
        description="How many passages of some 256 words are read for one section of a draft, or for all of it where no outline is made first.",
    )
