"""Where the guidelines stand that findings name: on the English Wikipedia. Pure."""

from urllib.parse import quote

GUIDELINES = "en.wikipedia.org"


def address_of(guideline: str) -> str:
    """Return the address of a page such as "MOS:LEAD" or "WP:V#Burden"."""
    title = "_".join(guideline.split())
    return f"https://{GUIDELINES}/wiki/{quote(title, safe=':/#(),')}"
