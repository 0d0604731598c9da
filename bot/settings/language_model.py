"""Settings of the language model: which, and what it may cost."""

from decimal import Decimal
from enum import Enum
from ipaddress import ip_address
from typing import ClassVar, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, field_validator, model_validator


class JsonSupport(Enum):
    """How far a language model's server can be told to answer in JSON."""

    AUTO = "auto"  # the strongest, and weaker ones once the server refuses it
    SCHEMA = "schema"
    OBJECT = "object"
    NONE = "none"


class LanguageModelSettings(BaseModel):
    """Which model claims are put to; none without an address."""

    language_model_address: str = Field(
        "",
        description="Address of an OpenAI-compatible server, such as `http://127.0.0.1:11434/v1`, that claims are put to. Empty: no language model is asked.",
    )
    language_model_name: str = Field(
        "", description="Name of the model there, such as `qwen3:14b`."
    )
    language_model_key: SecretStr = Field(
        SecretStr(""),
        description="Key for that server, where it wants one. Taken from the environment alone, never from a file, and never shown.",
    )
    # How long one answer of the model may take.
    language_model_timeout_s: ClassVar[float] = 60.0
    language_model_input_price: Decimal = Field(
        Decimal(0),
        ge=0,
        le=10_000,
        description="What a million input tokens cost, in the currency of the budget.",
    )
    language_model_output_price: Decimal = Field(
        Decimal(0), ge=0, le=10_000, description="What a million output tokens cost."
    )
    language_model_budget: Decimal = Field(
        Decimal("0.50"),
        ge=0,
        le=1_000_000,
        description="Money that one run of a command may spend on the model. A request that could pass it at worst is not sent. For the daemon `language_model_daily_budget` counts, unless this is 0.",
    )
    language_model_calls: int = Field(
        200,
        ge=0,
        le=1_000_000,
        description="Requests that one run of a command may send to the model, repeated ones included. For the daemon `language_model_daily_calls` counts, unless this is 0.",
    )
    language_model_daily_budget: Decimal = Field(
        Decimal("2.00"),
        ge=0,
        le=1_000_000,
        description="Money that all processes of the daemon on one database may spend on the model in a day of UTC, in the currency of the prices. 0: none. Once the next request could pass it the model is left alone until the next day.",
    )
    language_model_daily_calls: int = Field(
        2_000,
        ge=0,
        le=1_000_000,
        description="Requests that these may send to the model in a day of UTC. 0: none.",
    )
    language_model_daily_page_share: Decimal = Field(
        Decimal("0.25"),
        gt=0,
        le=1,
        description="How much of that money, and of these requests, one page may take in a day. What is left in doubt then could not be checked; 1: all.",
    )
    language_model_daily_person_share: Decimal = Field(
        Decimal("0.5"),
        gt=0,
        le=1,
        description="How much of both may go to the pages of one who opted in: a person, the editors of a talk page, a project. A page that several watch counts for the one with the fewest pages; those that nobody watches count for one together.",
    )
    language_model_input_tokens: int = Field(
        16_000,
        ge=1_000,
        le=1_000_000,
        description="About how many tokens one question may have. A source goes to the model whole where it fits beside its claims, else its best passages. Question and answer together must fit the context of the model.",
    )
    language_model_output_tokens: int = Field(
        8_000,
        ge=100,
        le=200_000,
        description="How many tokens one answer may have, whatever is asked; models that reason first need room for that. After three answers cut off in a row the model is left alone for an hour.",
    )
    # How the server is told to answer in JSON.
    language_model_json: ClassVar[JsonSupport] = JsonSupport.AUTO
    # How many questions the model is asked at once.
    language_model_at_once: ClassVar[int] = 4
    # Size of the cache of its answers, in `data_dir`.
    language_model_cache_max_bytes: ClassVar[int] = 50_000_000

    @field_validator("language_model_address")
    @classmethod
    def _server_is_an_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if value and (parts.scheme not in {"http", "https"} or not parts.hostname):
            raise ValueError("give an http(s) address, which often ends in /v1")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError(
                "give the bare address, without a name, a password or a query; a key"
                " goes into SIDENOTE_LANGUAGE_MODEL_KEY"
            )
        return value

    @field_validator("language_model_key")
    @classmethod
    def _key_fits_a_header(cls, value: SecretStr) -> SecretStr:
        key = value.get_secret_value()
        if not key.isascii() or not key.isprintable() or " " in key:
            raise ValueError("use printable ASCII characters without spaces")
        return value

    @model_validator(mode="after")
    def _model_is_whole(self) -> Self:
        if self.language_model_address and not self.language_model_name:
            raise ValueError(
                "SIDENOTE_LANGUAGE_MODEL_NAME: an address of a language model is set;"
                " give the model's name there, too"
            )
        if self.language_model_key.get_secret_value() and not self._is_key_safe():
            raise ValueError(
                "SIDENOTE_LANGUAGE_MODEL_ADDRESS: a key is not sent in the open; give an"
                " https address (http only to this machine or a private IP address)"
            )
        return self

    def _is_key_safe(self) -> bool:
        parts = urlsplit(self.language_model_address)
        if parts.scheme != "http":
            return True
        host = parts.hostname or ""
        try:
            return ip_address(host).is_private
        except ValueError:
            return host == "localhost"
