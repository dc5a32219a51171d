"""Undocumented names in the messages between a page and Reflex, which `web/middleware/socket_messages.py` checks."""

INTERNAL_ENDS = (".setvar", ".set_is_hydrated")
"""Suffixes of handlers that Reflex adds and that no page calls. They would store any value in the state."""
STORED, HASHES = "vars", "hashes"
"""Arguments of Reflex's own handlers: values of fields that the browser stores, and hashes of the compiled states."""
FORM_FIELDS = "__reflex_form_data__"
"""Key of a submitted form; its value is a list of names and values."""
REPORT_EVENT = "handle_frontend_exception"
"""Suffix of the event with which a page reports an error of its scripts."""
REPORT_KEYS = ("error_type", "substate", "message")
"""Fields of the report that a page could not apply an update (`client_error`)."""
