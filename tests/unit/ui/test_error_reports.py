"""A failed event is reported once; a failed report is not reported again."""

import logging
from typing import Any

import pytest
from reflex.event import Event, EventSpec
from reflex.istate.manager.memory import StateManagerMemory
from reflex_base.constants import Env
from reflex_base.event.processor.base_state_processor import BaseStateEventProcessor

from agency_site.ui import error_reports
from agency_site.ui.error_reports import ErrorReport, report_browser_error, report_handler_error
from agency_site.ui.server_html import new_state

TOO_MANY = 10
DISMISS = f"{ErrorReport.get_full_name()}.dismiss"


class NoStates:
    """States cannot be loaded, as while Redis is away."""

    def modify_state_with_links(self, *_: object, **__: object) -> Any:
        """Fail like a client of Redis."""
        raise ConnectionError("Error 111 connecting to redis:6379.")


def memory() -> Any:
    """States as one process keeps them."""
    state_manager: Any = StateManagerMemory
    return state_manager()


async def reports_of(states: Any, event: Event) -> list[Exception]:
    """Return the reports of `event`, handled twice with these states; a loop is ended after `TOO_MANY`."""
    errors: list[Exception] = []

    def report(exception: Exception) -> EventSpec | None:
        errors.append(exception)
        return report_handler_error(exception) if len(errors) < TOO_MANY else None

    processor = BaseStateEventProcessor(backend_exception_handler=report)
    processor.configure(state_manager=states)
    async with processor:
        for _ in range(2):
            await processor.enqueue("a-tab", event)
        await processor.stop(graceful_shutdown_timeout=5)
    return errors


@pytest.mark.parametrize(
    "router_data", [{"asPath": "http://[", "pathname": "/"}, {"asPath": 1, "headers": {}}]
)
async def test_an_event_whose_address_cannot_be_read_is_reported_without_a_loop(
    router_data: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        errors = await reports_of(memory(), Event(name=DISMISS, router_data=router_data))
    assert 2 <= len(errors) <= 4
    assert sum(record.exc_info is not None for record in caplog.records) == 2


async def test_while_states_cannot_be_loaded_every_event_is_reported_once() -> None:
    errors = await reports_of(NoStates(), Event(name=DISMISS))
    assert [type(error) for error in errors] == [ConnectionError] * 4


def test_a_script_that_broke_is_logged_with_its_place_and_without_what_was_typed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    report = (
        "TypeError: hunter2 is no function\n    at submit (https://agency.example/assets/form-a1B2.js:12:345)"
    )
    report_browser_error(Exception(report))
    report_browser_error(Exception("hunter2"))
    assert [record.getMessage() for record in caplog.records] == [
        "a script failed in a browser: TypeError /assets/form-a1B2.js:12:345",
        "a script failed in a browser: unknown",
    ]


@pytest.mark.parametrize(("mode", "is_shown"), [(Env.DEV, True), (Env.PROD, False)])
async def test_only_development_shows_the_traceback(
    mode: Env, is_shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFLEX_ENV_MODE", mode.value)
    error_reports._tracebacks.clear()
    try:
        raise LookupError("no such course")
    except LookupError as error:
        report_handler_error(error)
    report = new_state(ErrorReport)
    report.show()  # type: ignore[operator]
    assert report.is_shown
    assert report.traceback.startswith("LookupError: no such course\n") is is_shown
    error_reports._tracebacks.clear()
