"""Settings of OpenSearch, for corpora that outgrow one machine."""

from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, field_validator


class OpenSearchSettings(BaseModel):
    """Where the cluster is; there is none without an address."""

    opensearch_address: str = Field(
        "",
        description="Address of an OpenSearch cluster for `sidenote index --opensearch`, such as `https://search.example.org:9200`. Empty: none.",
    )
    opensearch_index: str = Field(
        "sidenote",
        pattern=r"^[a-z0-9][a-z0-9_-]{0,200}$",
        description="Name of the index there, in lower case.",
    )
    opensearch_user: str = Field(
        "", description="User name at OpenSearch; empty where it asks for none."
    )
    opensearch_password: SecretStr = Field(
        SecretStr(""), description="The password that goes with it."
    )
    opensearch_timeout_s: float = Field(
        30.0, gt=0, le=300, description="How long one answer of OpenSearch may take."
    )

    @field_validator("opensearch_address")
    @classmethod
    def _opensearch_is_an_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if value and (parts.scheme not in {"http", "https"} or not parts.netloc):
            raise ValueError("give an http(s) address")
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise ValueError(
                "give the bare address; name and password go into opensearch_user and"
                " SIDENOTE_OPENSEARCH_PASSWORD"
            )
        return value
