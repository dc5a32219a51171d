"""A slow phone on a slow network, in Chromium."""

from playwright.sync_api import Page

NETWORK = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
"""Milliseconds and bytes a second: 400 ms, 400 kbit/s."""
SLOWER = 4
"""The processor."""
SLOW_PHONE = {
    "Network.enable": {},
    "Network.emulateNetworkConditions": NETWORK,
    "Emulation.setCPUThrottlingRate": {"rate": SLOWER},
}
"""Commands of Chromium's own protocol."""


def slow_down(page: Page) -> None:
    """Give the page that network and processor."""
    session = page.context.new_cdp_session(page)
    for method, parameters in SLOW_PHONE.items():
        session.send(method, parameters)
