"""Contract of `event_traces.py`; what it records: `tests/integration/web/test_tracing.py`."""

import inspect

from tests.unit.web.reflex_internals.contract import contract, parameters


def test_each_event_is_handled_by_one_method() -> None:
    with contract("an event's handler runs in the processor's method _execute_event"):
        from reflex_base.event.processor import BaseStateEventProcessor, EventProcessor

        assert parameters(BaseStateEventProcessor._execute_event) == ["self", "entry", "registered_handler"]
        assert "._execute_event(" in inspect.getsource(EventProcessor._process_event_queue_entry)
