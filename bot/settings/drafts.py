"""Settings of drafts: how much is read for one, how long it is, who was trained for it."""

from urllib.parse import urlsplit

from pydantic import BaseModel, Field, field_validator


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
    draft_time_s: int = Field(
        900,
        ge=1,
        le=86_400,
        description="How long the daemon may take for one draft that somebody asked for.",
    )
    drafts_per_user: int = Field(
        5,
        ge=0,
        le=1000,
        description="How many drafts the daemon begins in a day (UTC) for one person; the others wait.",
    )
    draft_model: str = Field(
        "",
        description="Name of a model that was fine-tuned for drafts (`sidenote train draft`), which `--method tuned` writes with. What it may cost is up to the settings of the language model.",
    )
    draft_model_address: str = Field(
        "",
        description="Address of the OpenAI-compatible server of `draft_model`; empty for that of the language model. The key goes along only to the same server.",
    )

    @field_validator("draft_model_address")
    @classmethod
    def _draft_server_is_an_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if value and (parts.scheme not in {"http", "https"} or not parts.hostname):
            raise ValueError("give an http(s) address, which often ends in /v1")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("give the bare address, without a name or a query")
        return value
