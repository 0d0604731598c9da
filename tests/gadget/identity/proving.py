"""A wiki with people on it, and a backend that they sign in to by an edit."""

from dataclasses import dataclass, field

from bot.records.accounts import Device, SignInWay
from bot.store import Store
from bot.wiki.lists import WikiLists
from bot.wiki.oauth import WikiOAuth
from gadget.identity import Begun, IdentityKeys, SignInRules, SignIns
from gadget.identity.readers import sha256_of
from tests.bot.writing.people import Person
from tests.gadget.identity.place import AGENT, HELD, Clock


@dataclass
class Place:
    """The wiki, its people, and a backend of it."""

    host: str
    store: Store
    admin: Person
    alice: Person
    bob: Person
    clock: Clock = field(default_factory=Clock)

    @property
    def sign_ins(self) -> SignIns:
        """Return sign-ins that ask the wiki each time."""
        lists = WikiLists(self.host, user_agent=AGENT)
        return SignIns(
            self.store,
            IdentityKeys("of-the-operator-long-enough"),
            SignInRules(
                "https://panel.example/oauth/callback",
                proof_wikis=frozenset({self.host}),
            ),
            oauth=_no_oauth,
            pages=lambda _: lists,
            now=self.clock,
        )

    async def begin(
        self,
        user: str,
        secret_sha256: str = sha256_of(HELD),
        device: Device = Device(),  # noqa: B008 - frozen
    ) -> Begun:
        return await self.sign_ins.begin(
            self.host, SignInWay.PROOF, secret_sha256, user, device
        )

    def save(self, person: Person, sign_in: Begun, **changes: str) -> None:
        parameters = {"title": sign_in.page or "", "text": sign_in.text or ""} | changes
        person.edit(**parameters, summary=sign_in.summary or "")


def _no_oauth(wiki: str) -> WikiOAuth:
    raise AssertionError(f"{wiki} is not asked by OAuth")
