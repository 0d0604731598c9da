"""Who a reader is: signing in to a wiki's name, and the token that stands for it after."""

from gadget.identity.pages import CallbackPage
from gadget.identity.readers import IdentityKeys, Readers
from gadget.identity.sign_ins import Begun, Signed, SignInRules, SignIns

__all__ = [
    "Begun",
    "CallbackPage",
    "IdentityKeys",
    "Readers",
    "SignInRules",
    "SignIns",
    "Signed",
]
