"""Drafts of staff forms, and submits that are applied once; the JavaScript is in `drafts.jsx`."""

import reflex as rx

from agency_site.backoffice.state import StaffState
from agency_site.ui.elements import Text

LIBRARY = "$/agency_site/backoffice/drafts.jsx"


_TEXTS = {
    "unsaved": "What you typed on {moment} is not saved yet.",
    "stale": "The record has changed since then. Compare before you save.",
    "discard": "Discard",
    "unanswered": "There was no answer yet. What you typed is still here and is sent again when the connection is back.",
}


class Draft(rx.Component):
    """Stores the input of the form around it under `name` for `account` until `answer` acknowledges it, or a reset."""

    library = LIBRARY
    tag = "Draft"
    name: rx.Var[str]
    account: rx.Var[str]
    answer: rx.Var[dict[str, str]]
    ready: rx.Var[bool]
    """The page is connected, so a submit without an answer is sent again."""
    texts: rx.Var[dict[str, str]] = rx.Var.create(_TEXTS)


class DraftKeeper(rx.Component):
    """Deletes obsolete drafts; once per page."""

    library = LIBRARY
    tag = "DraftKeeper"
    account: rx.Var[str]
    answer: rx.Var[dict[str, str]]


def keep_draft(form: Text, record: rx.Var[str] | str = "") -> rx.Component:
    """Part of every staff form that changes records: `form` and `record` name its draft in the browser."""
    return Draft.create(
        name=rx.Var.create(form).to(str) + ":" + rx.Var.create(record).to(str),
        account=StaffState.account,
        answer=StaffState.answer,
        ready=rx.State.is_hydrated,
    )


def draft_keeper() -> rx.Component:
    """Part of the frame around every page."""
    return DraftKeeper.create(account=StaffState.account, answer=StaffState.answer)
