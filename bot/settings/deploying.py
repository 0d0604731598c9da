"""Settings of deploying the gadget: the account that may write a wiki's interface."""

from pydantic import BaseModel, Field, SecretStr, field_validator


class DeployingSettings(BaseModel):
    """Another account than the bot's, which a person uses for `sidenote gadget deploy`."""

    deploy_account: str = Field(
        "",
        max_length=200,
        description="Name of the account with which `sidenote gadget deploy` writes: a person's, who may edit the wiki's interface. Never the bot's.",
    )
    deploy_login: str = Field(
        "",
        max_length=200,
        description="Name that it logs in with, such as `You@deploy` for a bot password with the rights to edit pages and the interface. Empty: the account's own.",
    )
    deploy_password: SecretStr = Field(
        SecretStr(""), description="Its (bot) password; needed for deploying alone."
    )

    @field_validator("deploy_account", "deploy_login")
    @classmethod
    def _deployer_is_one_line(cls, value: str) -> str:
        if not value.isprintable() or set("#<>[]|{}/:") & set(value):
            raise ValueError("give the name of an account, without “User:”")
        return value.strip()
