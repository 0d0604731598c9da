"""What somebody signs in with, in words that they know it by. Pure.

Only the families are kept: they are no use for following anybody, and enough to see
that a sign-in was begun with something that one does not have.
"""

from bot.readers import Browser, Device, System

# The first that is found counts: most browsers claim to be several others, too.
_BROWSERS = (
    ("Edg", Browser.EDGE),
    ("OPR/", Browser.OPERA),
    ("Firefox/", Browser.FIREFOX),
    ("FxiOS/", Browser.FIREFOX),
    ("Chrome/", Browser.CHROME),
    ("CriOS/", Browser.CHROME),
    ("Safari/", Browser.SAFARI),
)
_SYSTEMS = (
    ("Android", System.ANDROID),
    ("iPhone", System.IOS),
    ("iPad", System.IOS),
    ("Windows", System.WINDOWS),
    ("Macintosh", System.MACOS),
    ("Linux", System.LINUX),
)


def device_of(user_agent: str) -> Device:
    """Return what a browser says that it is, as far as it is known here."""
    return Device(
        browser=next((one for word, one in _BROWSERS if word in user_agent), None),
        system=next((one for word, one in _SYSTEMS if word in user_agent), None),
    )
