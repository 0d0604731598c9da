"""Words that others wrote to become markup, a script or a request."""

import json

from tests.shared_data import shared_data


def hostile_words() -> list[str]:
    """Return some 2,900 of them, or skip the test where they are not."""
    pure = json.loads(
        (shared_data("security_corpora/dompurify") / "expect.json").read_text("utf-8")
    )
    lists = shared_data("security_corpora/payloads-all-the-things") / "XSS Injection"
    lines = {
        line
        for file in sorted((lists / "Intruders").glob("*.txt"))
        for line in file.read_text("utf-8", "replace").splitlines()
        if line.strip()
    }
    bleach = [
        file.read_text("utf-8", "replace").partition("\n--\n")[0]
        for file in sorted(shared_data("security_corpora/bleach-xss").rglob("*.test"))
    ]
    return [each["payload"] for each in pure] + sorted(lines) + bleach
