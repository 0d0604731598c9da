"""Settings of what is written to a wiki: as whom, whether at all, and how much."""

from enum import Enum

from pydantic import BaseModel, Field, SecretStr, field_validator


class Posting(Enum):
    """Where posts go."""

    DRY = "dry"  # to a folder, for the operator to read
    LIVE = "live"  # to the wiki


class PostingSettings(BaseModel):
    """The bot's account and its limits."""

    bot_account: str = Field(
        "",
        max_length=200,
        description="Name of the account that writes. Empty: nothing is posted, not even in a dry run.",
    )
    bot_login: str = Field(
        "",
        max_length=200,
        description="Name that the account logs in with, such as `ExampleBot@sidenote` for a bot password. Empty: the account's own.",
    )
    bot_password: SecretStr = Field(
        SecretStr(""),
        description="Its (bot) password. Empty: requests are signed by OAuth, with the four tokens in `SIDENOTE_OAUTH`, through Pywikibot's `user-config.py` in the folder that the program is started in.",
    )
    bot_secret: SecretStr = Field(
        SecretStr(""),
        description="At least 16 bytes that nobody else knows, with which the bot knows its own posts again. Several with spaces between: the first signs, all are known.",
    )
    bot_watchlist_token: SecretStr = Field(
        SecretStr(""),
        description="Token of the account's watchlist, from its preferences. The articles that it watches are looked at; their notes stand in no page. Empty: none are.",
    )
    posting: Posting = Field(
        Posting.DRY,
        description="`dry` (what would be posted stands in `data_dir`) or `live`.",
    )
    dry_run_page: str = Field(
        "",
        max_length=250,
        description="Title of a user page on `wiki`, such as `User:You/Sidenote dry run`, that also shows what a dry run would have posted. It is written only with `posting` = `dry`, `bot_account` and `bot_password` (or `SIDENOTE_OAUTH`) set and `run` on `User:<bot_account>/Run/dry-run`. Empty: none is.",
    )
    posting_pause_s: float = Field(
        10.0, ge=0, le=3600, description="Pause between two writes to a wiki."
    )
    posts_per_page: int = Field(
        2, ge=0, description="How many talk posts a page may get in a day (UTC)."
    )
    posts_per_user: int = Field(
        20, ge=0, description="How many talk posts may be made in a day for one user."
    )
    posts_per_wiki: int = Field(
        200, ge=0, description="How many talk posts a wiki may get in a day."
    )

    community_page: str = Field(
        "MediaWiki:Sidenote.json",
        min_length=1,
        max_length=250,
        description="Title of the page in which each wiki's community sets what the bot may do there, in JSON. Outside `MediaWiki:` give it no ending such as `.json`, or only its owner can edit it.",
    )

    @field_validator("community_page")
    @classmethod
    def _community_can_edit_its_page(cls, value: str) -> str:
        space, colon, name = value.strip().partition(":")
        if not value.isprintable() or set("#<>[]|{}") & set(value):
            raise ValueError("give the title of a page")
        is_code = name.lower().endswith((".json", ".js", ".css"))
        if not colon or (is_code and space.lower() != "mediawiki"):
            raise ValueError(
                "give a title such as MediaWiki:Sidenote.json or Project:Sidenote"
            )
        return value.strip()

    @field_validator("dry_run_page")
    @classmethod
    def _dry_run_page_is_a_title(cls, value: str) -> str:
        return user_page(value)

    @field_validator("bot_account", "bot_login")
    @classmethod
    def _bot_is_one_line(cls, value: str) -> str:
        if not value.isprintable() or set("#<>[]|{}/:") & set(value):
            raise ValueError("give the name of an account, without “User:”")
        return value.strip()

    @property
    def posts_in_all(self) -> int:
        """How many talk posts all wikis together may get in a day."""
        return self.posts_per_wiki * 5 // 2

    @property
    def reports_per_page(self) -> int:
        """How often a report, or the answer to an opt-in, may be rewritten in a day."""
        return max(48, self.posts_per_page)


def user_page(value: str) -> str:
    """Return the title of a user page as the wiki writes it; empty stays empty.

    Raises:
        ValueError: it is no title with a namespace.
    """
    title = value.replace("_", " ").strip()
    space, colon, name = title.partition(":")
    is_title = value.isprintable() and not set("#<>[]|{}") & set(value)
    if title and not (is_title and colon and space and name.strip()):
        raise ValueError("give a title such as User:You/Sidenote")
    return title
