"""How the documentation is built: `./dev docs` writes `docs/_build/index.html`.

Whatever the code says of itself (settings, commands, the JSON reports) is taken from
the code when the pages are built, so it cannot drift.
"""

from enum import Enum
from pathlib import Path

from sphinx.application import Sphinx

from bot import __version__
from bot.settings import Settings

project = "Sidenote"
author = "The Sidenote authors"
release = __version__
extensions = ["myst_parser", "sphinx_click"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "_generated/*"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
html_theme = "alabaster"
html_theme_options = {
    "description": "Notes beside the article: does the source say it?",
    "fixed_sidebar": True,
    "page_width": "1080px",
}
html_copy_source = False

_GENERATED = Path(__file__).parent / "_generated"


def _settings_table() -> str:
    """Return one row for each setting, as the code describes it."""
    rows = ["| setting | default | meaning |", "| --- | --- | --- |"]
    for name, field in Settings.model_fields.items():
        default = field.get_default(call_default_factory=True)
        default = default.value if isinstance(default, Enum) else default
        default = ", ".join(default) if isinstance(default, tuple) else default
        shown = f"`{default}`" if str(default) not in ("", "None", "()", "{}") else ""
        meaning = (field.description or "").replace("|", "\\|")
        rows.append(f"| `{name}` | {shown} | {meaning} |")
    return "\n".join(rows) + "\n"


def _write_generated(_app: Sphinx) -> None:
    _GENERATED.mkdir(exist_ok=True)
    (_GENERATED / "settings.md").write_text(_settings_table(), "utf-8")


def setup(app: Sphinx) -> None:
    """Write the generated pages before anything is read."""
    app.connect("builder-inited", _write_generated)
