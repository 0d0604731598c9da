# Pywikibot's account file. Everything comes from the environment, so this file
# holds no secret; it must not be writable by others, or Pywikibot skips it.
import os

family = os.environ.get("SIDENOTE_WIKI_FAMILY", "wikipedia")
mylang = os.environ.get("SIDENOTE_WIKI_LANGUAGE", "en")
_account = os.environ.get("SIDENOTE_BOT_ACCOUNT")
if _account:
    usernames[family][mylang] = _account

# An owner-only OAuth 1 consumer: its token and secret, the access token and secret,
# with spaces between. It signs the requests of an account without a password.
_oauth = tuple(os.environ.get("SIDENOTE_OAUTH", "").split())
if _oauth:
    _wiki = os.environ.get("SIDENOTE_WIKI") or f"{mylang}.{family}.org"
    _host = _wiki.partition("://")[2] or _wiki
    authenticate[_host.partition("/")[0]] = _oauth
    authenticate[f"*.{family}.org"] = _oauth
