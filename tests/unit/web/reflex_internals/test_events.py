"""Contract of `events.py`."""

import inspect

from tests.unit.web.reflex_internals.contract import contract, parameters


def test_the_event_that_is_handled_is_known_by_its_context() -> None:
    with contract("each event has a context with its id, its parent's and its router data"):
        from reflex_base.event.context import EventContext

        from agency_site.web.reflex_internals.events import handled_event

        assert handled_event() is None
        assert {"txid", "parent_txid", "router_data"} <= {*parameters(EventContext)}


def test_events_that_have_begun_can_be_waited_for() -> None:
    with contract("the processor of events stops after a time that is given"):
        import reflex as rx
        from reflex_base.event.processor import EventProcessor

        assert "event_processor" in dir(rx.App)
        assert "graceful_shutdown_timeout" in parameters(EventProcessor.stop)


def test_patterns_in_reports_are_one_list() -> None:
    with contract("the report of a broken script reads `auto_reload_on_errors`"):
        from reflex.state import FrontendEventExceptionState

        from agency_site.web.reflex_internals.events import ignore_patterns_in_reports

        handler = FrontendEventExceptionState.event_handlers["handle_frontend_exception"].fn
        assert "auto_reload_on_errors" in inspect.getsource(handler)
        ignore_patterns_in_reports()
        assert FrontendEventExceptionState.auto_reload_on_errors == []
