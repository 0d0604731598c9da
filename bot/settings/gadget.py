"""Settings of the panel's backend: who may ask it, and how much."""

from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, field_validator
from pydantic_settings import NoDecode


class GadgetSettings(BaseModel):
    """From which pages of the web the panel's API is asked, and how often."""

    gadget_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Further origins, such as `https://wiki.example.org`, whose pages may ask the panel's API, separated by commas. Those of the watched wikis may in any case, and of those of Wikimedia their mobile twins.",
    )
    gadget_trusts_proxy: bool = Field(
        False,
        description="Whether all requests come through a proxy of yours: then the last address in `X-Forwarded-For` is who asks, and `X-Forwarded-Proto` how. Without a proxy anybody could write these headers.",
    )
    gadget_reads: int = Field(
        600,
        ge=0,
        description="How many requests a minute one address may send to the panel's API, of IPv6 one network; 0: any number, as where a proxy hides who asks.",
    )
    gadget_writes: int = Field(
        60,
        ge=0,
        description="How many decisions and judgements a minute one reader may send; 0: any number.",
    )
    gadget_looks: int = Field(
        6,
        ge=0,
        description="How many looks at pages a minute one reader may ask for; 0: any number.",
    )
    gadget_sign_ins: int = Field(
        20,
        ge=0,
        description="How many sign-ins a minute one address may begin; 0: any number.",
    )
    gadget_streams: int = Field(
        200,
        ge=1,
        le=10_000,
        description="How many readers may follow a look at a time, whose connections stay open.",
    )
    gadget_streams_per_address: int = Field(
        10,
        ge=1,
        le=10_000,
        description="How many of them from one address; behind a proxy that hides who asks, as many as `gadget_streams`.",
    )

    gadget_tag_language: str = Field(
        "",
        max_length=20,
        description="Language whose Wikipedia a wiki elsewhere takes its maintenance templates from (`{{failed verification}}` and others): `en`, `de` or `ar`. Empty: on such wikis none are offered.",
    )

    @field_validator("gadget_origins", mode="before")
    @classmethod
    def _origins_are_listed(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(value.lower().replace(",", " ").split())
        return value

    @field_validator("gadget_origins")
    @classmethod
    def _origins_are_whole(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for origin in value:
            if not _is_origin(origin):
                raise ValueError(
                    "give origins such as https://wiki.example.org, without a slash at"
                    " the end and without `*`"
                )
        return value


def _is_origin(text: str) -> bool:
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return False
    is_bare = text == f"{parts.scheme}://{parts.netloc}" and not set(text) & set("*@,")
    return is_bare and parts.scheme in {"http", "https"} and bool(parts.hostname)
