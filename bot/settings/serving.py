"""Settings of the pages that tell how the program is doing."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, field_validator
from pydantic_settings import NoDecode


class ServingSettings(BaseModel):
    """Where they are served, and when the program counts as not well."""

    serve_host: str = Field(
        "127.0.0.1",
        min_length=1,
        max_length=255,
        description="Address that the status server listens on. Whoever reaches it sees all but secrets: only loopback unless you mean it.",
    )
    serve_port: int = Field(
        8137,
        ge=0,
        le=65_535,
        description="Port of the status server; 0 takes any that is free.",
    )
    serve_names: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Host names, separated by commas, under which a proxy in front of the status server asks for it; it answers to others only where it does not listen on loopback.",
    )
    heartbeat_s: float = Field(
        15.0,
        ge=0.1,
        le=600,
        description="How often each process says in the database that it runs; after three times as long without a word it counts as gone.",
    )
    lag_limit_s: float = Field(
        600.0,
        gt=0,
        description="How far behind the change feed may be before `/healthz` says that something is wrong.",
    )

    @field_validator("serve_names", mode="before")
    @classmethod
    def _names_are_listed(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(value.lower().replace(",", " ").split())
        return value

    @field_validator("serve_host")
    @classmethod
    def _host_is_bare(cls, value: str) -> str:
        if not value.isascii() or set(value) & set("/ \\@#?"):
            raise ValueError("give an address such as 127.0.0.1, or a host name")
        return value
