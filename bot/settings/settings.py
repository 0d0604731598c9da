"""All settings together, and which place wins where several give a value."""

import os

from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from bot.settings.daemon import DaemonSettings
from bot.settings.database import INJECTED, DatabaseSettings
from bot.settings.deploying import DeployingSettings
from bot.settings.drafts import DraftSettings
from bot.settings.findings import FindingSettings
from bot.settings.gadget import GadgetSettings
from bot.settings.identity import IdentitySettings
from bot.settings.language_model import LanguageModelSettings
from bot.settings.opensearch import OpenSearchSettings
from bot.settings.posting import PostingSettings
from bot.settings.program import ProgramSettings
from bot.settings.searching import SearchingSettings
from bot.settings.serving import ServingSettings
from bot.settings.sources import SourceSettings
from bot.settings.updates import UpdateSettings

PREFIX = "SIDENOTE_"


# The last section first, for pydantic takes the fields of bases from last to first.
class Settings(
    GadgetSettings,
    IdentitySettings,
    ServingSettings,
    DaemonSettings,
    DeployingSettings,
    PostingSettings,
    SearchingSettings,
    DraftSettings,
    UpdateSettings,
    OpenSearchSettings,
    LanguageModelSettings,
    FindingSettings,
    SourceSettings,
    DatabaseSettings,
    ProgramSettings,
    BaseSettings,
):
    """All settings; each field's description is its documentation in the README."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="forbid", validate_default=True
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the library's signature
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the library's signature
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let the environment win over the file's values, given as arguments.

        What the place that it runs at gives to every program counts last.
        """
        given = {name: os.environ.get(theirs) for name, theirs in INJECTED.items()}
        injected = {name: value for name, value in given.items() if value}
        return env_settings, init_settings, InitSettingsSource(settings_cls, injected)

    @property
    def database_url(self) -> str:
        """The store's address: as set, in ToolsDB, or a SQLite file in the data folder."""
        if self.uses_toolsdb:
            return self.toolsdb_url
        return self.database or f"sqlite:///{self.data_dir / 'sidenote.sqlite'}"
