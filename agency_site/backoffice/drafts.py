"""Drafts of staff forms, and submits that are applied once; the JavaScript is in `drafts.jsx`."""

import reflex as rx

from agency_site.backoffice.state import StaffState

LIBRARY = "$/agency_site/backoffice/drafts.jsx"


class Draft(rx.Component):
    """Keeps what is typed in the form around it under `name` for `account`, and submits it again when its answer is lost."""

    library = LIBRARY
    tag = "Draft"
    name: rx.Var[str]
    account: rx.Var[str]
    answer: rx.Var[dict[str, str]]
    ready: rx.Var[bool]


class DraftKeeper(rx.Component):
    """Once per page: deletes drafts that are done with, and asks before unsaved text is left."""

    library = LIBRARY
    tag = "DraftKeeper"
    account: rx.Var[str]
    answer: rx.Var[dict[str, str]]


def keep_draft(form: str, record: rx.Var[str] | str = "") -> rx.Component:
    """Part of every staff form that changes something: `form` and `record` name its draft in the browser."""
    return Draft.create(
        name=rx.Var.create(f"{form}:") + record,  # type: ignore[operator]
        account=StaffState.account,
        answer=StaffState.answer,
        ready=rx.State.is_hydrated,
    )


def draft_keeper() -> rx.Component:
    """Part of the frame around every page."""
    return DraftKeeper.create(account=StaffState.account, answer=StaffState.answer)


DISCARDS = {"data-discard": ""}
"""Marks the button of a form that discards what is typed there."""
