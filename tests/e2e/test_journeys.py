"""The main journeys in Chromium, Firefox and WebKit: public ones on a phone, the back office's on a desktop.

In Chromium also with the keyboard alone, but for those of `test_keyboard.py`, and on a slow network where
`test_first_action.py` does not come.
"""

from collections.abc import Iterator

import pytest

from tests.e2e.browser import DESKTOP, PHONE, Browser, KeyboardBrowser
from tests.e2e.conftest import RunningSite
from tests.e2e.engines import ENGINES, chromium
from tests.e2e.journeys import (
    BACK_OFFICE,
    PUBLIC,
    Journey,
    book,
    comment,
    enrol_for_free,
    register,
    sign_up,
    subscribe,
    work,
    write,
)

EACH_ENGINE = [
    pytest.param(name, marks=() if name == "chromium" else pytest.mark.thorough) for name in ENGINES
]


@pytest.fixture(scope="module", params=EACH_ENGINE)
def engine_browser(request: pytest.FixtureRequest, site: RunningSite) -> Iterator[Browser]:
    with ENGINES[request.param]() as engine:
        yield Browser(engine, site.url)


@pytest.fixture(scope="module", params=EACH_ENGINE)
def plain_browser(request: pytest.FixtureRequest, site: RunningSite) -> Iterator[Browser]:
    """A browser whose scripts are switched off."""
    with ENGINES[request.param](scripts=False) as engine:
        yield Browser(engine, site.url)


@pytest.mark.parametrize("journey", PUBLIC, ids=lambda journey: journey.__name__)
def test_a_visitor_on_a_phone_completes_every_journey(
    engine_browser: Browser, site: RunningSite, journey: Journey
) -> None:
    engine_browser.start(PHONE)
    journey(engine_browser, site)
    assert engine_browser.problems() == []


@pytest.mark.parametrize("journey", BACK_OFFICE, ids=lambda journey: journey.__name__)
def test_a_member_of_staff_at_a_desk_completes_every_journey(
    engine_browser: Browser, site: RunningSite, journey: Journey
) -> None:
    engine_browser.start(DESKTOP)
    journey(engine_browser, site)
    assert engine_browser.problems() == []


@pytest.mark.parametrize("journey", PUBLIC, ids=lambda journey: journey.__name__)
def test_a_visitor_without_scripts_completes_every_journey(
    plain_browser: Browser, site: RunningSite, journey: Journey
) -> None:
    plain_browser.start(PHONE)
    journey(plain_browser, site)
    assert plain_browser.problems() == []


@pytest.fixture(scope="module")
def keyboard(site: RunningSite) -> Iterator[Browser]:
    with chromium() as engine:
        yield KeyboardBrowser(engine, site.url)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "journey",
    [book, enrol_for_free, write, sign_up, comment, subscribe, register, work],
    ids=lambda journey: journey.__name__,
)
def test_every_journey_works_by_keyboard_alone(
    keyboard: Browser, site: RunningSite, journey: Journey
) -> None:
    keyboard.start(DESKTOP)
    journey(keyboard, site)
    assert keyboard.problems() == []


@pytest.mark.thorough
@pytest.mark.parametrize("journey", [enrol_for_free, work], ids=lambda journey: journey.__name__)
def test_a_slow_network_only_takes_longer(site: RunningSite, journey: Journey) -> None:
    with chromium() as engine:
        slow = Browser(engine, site.url)
        slow.start(DESKTOP)
        engine.slow_down()
        journey(slow, site)
        assert slow.problems() == []
