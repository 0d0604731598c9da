"""Every setting of the program: one frozen value from file, environment, defaults.

A value comes from the environment (`SIDENOTE_WIKI=…`) before the settings file
(`wiki = "…"` in `sidenote.toml`) before its default. What is wrong is told with
the setting's name, its value and the remedy, all at once, before any work.
"""

from bot.settings.daemon import VerifierChoice
from bot.settings.language_model import JsonSupport
from bot.settings.loading import SettingsError, load_settings
from bot.settings.posting import Posting
from bot.settings.program import LogLevel
from bot.settings.settings import Settings
from bot.settings.sources import SourcesRead

__all__ = [
    "JsonSupport",
    "LogLevel",
    "Posting",
    "Settings",
    "SettingsError",
    "SourcesRead",
    "VerifierChoice",
    "load_settings",
]
