"""Says at the top of a run which wiki the tests on a real one are run on."""

from bot.loopback.wiki.code import installed_code


def pytest_report_header() -> str:
    found = [f"{code.version} ({code.folder})" for code in installed_code()]
    return f"MediaWiki: {', then '.join(found) or 'none'}"
