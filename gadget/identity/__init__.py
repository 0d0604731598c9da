"""Who a reader is: signing in to a wiki's name, and the token that stands for it after."""

from gadget.identity.keys import IdentityKeys
from gadget.identity.pages import CallbackPage
from gadget.identity.rules import Begun, Signed, SignInRules
from gadget.identity.sessions import Readers
from gadget.identity.sign_ins import SignIns

__all__ = [
    "Begun",
    "CallbackPage",
    "IdentityKeys",
    "Readers",
    "SignInRules",
    "SignIns",
    "Signed",
]
