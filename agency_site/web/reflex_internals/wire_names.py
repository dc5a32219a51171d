"""Names in the messages between a page and Reflex, which `web/middleware/socket_messages.py` checks. Reflex documents none."""

INTERNAL_ENDS = (".setvar", ".set_is_hydrated")
"""Ends of the names of handlers that Reflex adds and no page calls. They would store any value in the state."""
STORED, HASHES = "vars", "hashes"
"""Arguments of Reflex's own handlers: what the browser stores for fields of states, and digests of the compiled states."""
FORM_FIELDS = "__reflex_form_data__"
"""The key of a submitted form: its value is a list of names and values."""
REPORT_EVENT = "handle_frontend_exception"
"""The end of the name of the event with which a page reports a script that broke."""
REPORT_KEYS = ("error_type", "substate", "message")
"""Fields of the report of a page that could not apply an update (`client_error`)."""
