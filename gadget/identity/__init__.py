"""Who a reader is: signing in under a wiki's user name, and the token that follows.

Start with `sign_ins`: by OAuth, or by an edit (`proof`). `readers` is what stands for a
person in stored data, `standing` what the wiki says of them since, `pages` what someone sees whom a wiki sent back.
"""

from gadget.identity.pages import CallbackPage
from gadget.identity.readers import IdentityKeys, Readers
from gadget.identity.sign_ins import Begun, Signed, SignInRules, SignIns
from gadget.identity.standing import Standings

__all__ = [
    "Begun",
    "CallbackPage",
    "IdentityKeys",
    "Readers",
    "SignInRules",
    "SignIns",
    "Signed",
    "Standings",
]
