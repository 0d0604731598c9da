"""Settings of the language model: which one, and what it may cost."""

from decimal import Decimal
from enum import Enum
from typing import ClassVar, Self

from pydantic import BaseModel, Field, SecretStr, field_validator, model_validator

from bot.settings.values import Key, is_bare, is_private, is_web_address


class JsonSupport(Enum):
    """How far a language model's server can be told to answer in JSON."""

    AUTO = "auto"  # the strongest, then weaker ones when the server refuses
    SCHEMA = "schema"
    OBJECT = "object"
    NONE = "none"


class LanguageModelSettings(BaseModel):
    """Which model judges claims; none without an address."""

    language_model_address: str = Field(
        "",
        description="URL of an OpenAI-compatible server, such as `http://127.0.0.1:11434/v1`. Empty: no language model is used.",
    )
    language_model_name: str = Field(
        "", description="Name of the model there, such as `qwen3:14b`."
    )
    language_model_key: Key = Field(
        SecretStr(""),
        description="Key for that server, if it needs one. Only read from the environment, and never shown.",
    )
    # How long one answer of the model may take.
    language_model_timeout_s: ClassVar[float] = 60.0
    language_model_input_price: Decimal = Field(
        Decimal(0),
        ge=0,
        le=10_000,
        description="Price of a million input tokens, in the currency of the budget.",
    )
    language_model_output_price: Decimal = Field(
        Decimal(0), ge=0, le=10_000, description="Price of a million output tokens."
    )
    language_model_budget: Decimal = Field(
        Decimal("0.50"),
        ge=0,
        le=1_000_000,
        description="Money that one run of a command may spend on the model. A request that could exceed it is not sent. The daemon uses `language_model_daily_budget` instead, unless this is 0.",
    )
    language_model_calls: int = Field(
        200,
        ge=0,
        le=1_000_000,
        description="Requests that one run of a command may send to the model, including retries. The daemon uses `language_model_daily_calls` instead, unless this is 0.",
    )
    language_model_daily_budget: Decimal = Field(
        Decimal("2.00"),
        ge=0,
        le=1_000_000,
        description="Money that all processes of the daemon on one database may spend on the model per day (UTC), in the currency of the prices. 0: none. When the next request could exceed it, the model is not used until the next day.",
    )
    language_model_daily_calls: int = Field(
        2_000,
        ge=0,
        le=1_000_000,
        description="Requests that all these processes may send to the model per day (UTC). 0: none.",
    )
    language_model_daily_page_share: Decimal = Field(
        Decimal("0.25"),
        gt=0,
        le=1,
        description="Share of that money and of these requests that one page may use per day. 1: all.",
    )
    language_model_daily_person_share: Decimal = Field(
        Decimal("0.5"),
        gt=0,
        le=1,
        description="Share of both that may be used for the pages of one opt-in: a person, the editors of a talk page, or a project. A page watched by several counts for the one with the fewest pages; pages that nobody watches share one.",
    )
    language_model_input_tokens: int = Field(
        16_000,
        ge=1_000,
        le=1_000_000,
        description="Approximate limit of tokens in one question. A source is sent whole if it fits, otherwise its best passages. Question and answer together must fit into the context of the model.",
    )
    language_model_output_tokens: int = Field(
        8_000,
        ge=100,
        le=200_000,
        description="Limit of tokens in one answer; reasoning models need room to reason. After three truncated answers in a row the model is not used for an hour.",
    )
    # How the server is asked for JSON.
    language_model_json: ClassVar[JsonSupport] = JsonSupport.AUTO
    # How many questions run at the same time.
    language_model_at_once: ClassVar[int] = 4
    # Size of the cache of its answers, in `data_dir`.
    language_model_cache_max_bytes: ClassVar[int] = 50_000_000

    @field_validator("language_model_address")
    @classmethod
    def _server_is_an_address(cls, value: str) -> str:
        if value and not is_web_address(value):
            raise ValueError("give an http(s) address, which often ends in /v1")
        if not is_bare(value):
            raise ValueError(
                "give the bare address, without a name, a password or a query; a key"
                " goes into SIDENOTE_LANGUAGE_MODEL_KEY"
            )
        return value

    @model_validator(mode="after")
    def _model_is_whole(self) -> Self:
        if self.language_model_address and not self.language_model_name:
            raise ValueError(
                "SIDENOTE_LANGUAGE_MODEL_NAME: an address of a language model is set;"
                " give the model's name there, too"
            )
        key = self.language_model_key.get_secret_value()
        if key and not is_private(self.language_model_address):
            raise ValueError(
                "SIDENOTE_LANGUAGE_MODEL_ADDRESS: a key is not sent in the open; give an"
                " https address (http only to this machine or a private IP address)"
            )
        return self
