"""Every setting of the program, as one frozen value from environment, file and defaults.

The environment (`SIDENOTE_WIKI=…`) wins over the settings file (`wiki = "…"` in
`sidenote.toml`), and that over the default. All errors are reported at once, before any
work, each with the setting's name, its value and how to fix it.

Start with `settings`, which has all of them together. The sections are `program`, `sources`,
`language_model`, `daemon` and `panel`; `values` says how lists, addresses and keys are
written.
"""

from bot.settings.daemon import Posting, VerifierChoice
from bot.settings.language_model import JsonSupport
from bot.settings.program import LogLevel
from bot.settings.settings import Settings, SettingsError, load_settings
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
