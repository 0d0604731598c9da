# Pywikibot's account file. Everything comes from the environment, so this file
# holds no secret; it must not be writable by others, or Pywikibot skips it.
import os

family = os.environ.get("SIDENOTE_WIKI_FAMILY", "wikipedia")
mylang = os.environ.get("SIDENOTE_WIKI_LANGUAGE", "en")
_account = os.environ.get("SIDENOTE_BOT_ACCOUNT")
if _account:
    usernames[family][mylang] = _account
