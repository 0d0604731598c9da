"""What browsers say of themselves, brought down to what a person knows theirs by."""

import pytest

from bot.records.accounts import Browser, Device, System
from gadget.api.sign_in import device_of

_MOZILLA = "Mozilla/5.0"
_WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("user_agent", "device"),
    [
        (
            f"{_MOZILLA} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            Device(Browser.FIREFOX, System.LINUX),
        ),
        (
            f"{_MOZILLA} (Windows NT 10.0; Win64; x64) {_WEBKIT} Chrome/140.0.0.0"
            " Safari/537.36 Edg/140.0.0.0",
            Device(Browser.EDGE, System.WINDOWS),
        ),
        (
            f"{_MOZILLA} (Linux; Android 10; K) {_WEBKIT} Chrome/140.0.0.0 Mobile"
            " Safari/537.36",
            Device(Browser.CHROME, System.ANDROID),
        ),
        (
            f"{_MOZILLA} (iPhone; CPU iPhone OS 18_5 like Mac OS X)"
            " AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148"
            " Safari/604.1",
            Device(Browser.SAFARI, System.IOS),
        ),
        (
            f"{_MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) {_WEBKIT}"
            " Chrome/140.0.0.0 Safari/537.36 OPR/120.0.0.0",
            Device(Browser.OPERA, System.MACOS),
        ),
        ("curl/8.0", Device()),
        ("", Device()),
    ],
)
def test_a_browser_and_its_system(user_agent: str, device: Device) -> None:
    assert device_of(user_agent) == device
