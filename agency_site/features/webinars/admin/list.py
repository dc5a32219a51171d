"""The list of webinar registrations."""

from collections.abc import Mapping
from typing import Any, ClassVar

import reflex as rx
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.lists.definition import (
    Action,
    Cell,
    Choice,
    Column,
    Days,
    ListDefinition,
    change_each,
    clients_in,
    moment_column,
    reference_column,
    search_in,
    state_filter,
)
from agency_site.backoffice.lists.origins import origin_columns, origin_filters
from agency_site.backoffice.lists.state import ListState
from agency_site.backoffice.lists.view import list_screen
from agency_site.backoffice.state import StaffState
from agency_site.backoffice.texts.dialog import MessageDialog, TextTarget, link_button, link_dialog
from agency_site.content.webinars import find, webinars
from agency_site.db.found_rows import find_one
from agency_site.errors import Conflict, StaleRecord
from agency_site.features.webinars.emails import build_link
from agency_site.features.webinars.rules import LINK_PURPOSE, RegistrationState
from agency_site.features.webinars.tables import WebinarRegistration
from agency_site.features.webinars.usecases import cancel_by_staff, find_registration
from agency_site.members import ByMember
from agency_site.phone_numbers import format_phone_number
from agency_site.signing import find_private_token

STATES: Mapping[RegistrationState, Cell] = ByMember(
    {
        RegistrationState.REGISTERED: Cell("Registered", "good"),
        RegistrationState.CANCELLED: Cell("Cancelled", "quiet"),
    },
    Cell,
)
"""Name and colour of each state."""
REGISTRATION_LIST_PATH = "/admin/registrations"


def _webinar_title(slug: str) -> str:
    """Return the webinar's title, or its id if content no longer has it."""
    webinar = find(slug)
    return webinar.title if webinar else slug


def _name_cell(row: WebinarRegistration) -> Cell:
    return Cell(row.fullname) if row.email else Cell("Erased", "quiet")


async def _cancel(session: AsyncSession, reference: str, who: Staff) -> None:
    registration = await find_registration(session, reference)
    if registration.state is RegistrationState.CANCELLED:
        raise Conflict("already cancelled")
    try:
        await cancel_by_staff(session, reference, registration.version, who.email)
    except StaleRecord:
        raise Conflict("changed by another member of staff") from None


REGISTRATION_LIST_DEFINITION = ListDefinition(
    name="registrations",
    title="Registrations",
    noun=("registration", "registrations"),
    path=REGISTRATION_LIST_PATH,
    permission=Permission.SEE_MESSAGES,
    rows=lambda: select(WebinarRegistration),
    identity=col(WebinarRegistration.id),
    columns=(
        reference_column(WebinarRegistration),
        moment_column("registered", "Registered", col(WebinarRegistration.created_at), sort=True),
        Column("webinar", "Webinar", lambda row: Cell(_webinar_title(row.webinar))),
        Column("name", "Name", _name_cell),
        Column("email", "E-mail", lambda row: Cell(row.email), is_shown=False),
        Column("phone", "Phone", lambda row: Cell(format_phone_number(row.phone), "whole"), is_shown=False),
        Column("state", "State", lambda row: STATES[row.state]),
        moment_column("given-back", "Cancelled on", col(WebinarRegistration.cancelled_at), is_shown=False),
        Column("given-back-by", "Cancelled by", lambda row: Cell(row.cancelled_by), is_shown=False),
        *origin_columns(WebinarRegistration),
    ),
    order="-registered",
    # A registration has no page of its own: its row shows all of it.
    href=lambda row: f"{REGISTRATION_LIST_PATH}?q={row.reference}",
    filters=(
        Choice(
            "webinar",
            "Webinar",
            lambda: [(webinar.id, webinar.title) for webinar in webinars()],
            lambda value: col(WebinarRegistration.webinar) == value,
        ),
        state_filter(col(WebinarRegistration.state), STATES),
        Days("registered", "Registered", col(WebinarRegistration.created_at)),
        *origin_filters(WebinarRegistration),
    ),
    search=search_in(WebinarRegistration),
    clients=clients_in(WebinarRegistration),
    search_hint="Reference, name, e-mail, phone",
    actions=(
        Action(
            "cancelled",
            "Cancel registration",
            Permission.WORK_MESSAGES,
            change_each(_cancel),
            "Cancel {count}? They can register again. No e-mail is sent.",
        ),
    ),
    empty="No registrations yet.",
)


class RegistrationLinks(MessageDialog, StaffState):
    """The dialog that is open for a registration."""

    WORK: ClassVar = Permission.WORK_MESSAGES

    async def _find_target(self, session: AsyncSession, _who: Staff, reference: str) -> TextTarget:
        query = select(WebinarRegistration).where(WebinarRegistration.reference == reference)
        row = await find_one(session, query, f"There is no registration {reference}.", fresh=True)
        token = find_private_token(LINK_PURPOSE, row.token_seed, row.token_hash) if row.email else None
        return TextTarget(
            "registration", row.reference, row.fullname, link=build_link(token) if token else ""
        )


def _link_of_one() -> rx.Component:
    """The link of a registration that the list shows alone: its row leads to such a list."""
    rows: Any = ListState.lines
    return rx.fragment(
        rx.cond(ListState.total == 1, link_button(RegistrationLinks, rows[0].reference)),
        link_dialog(RegistrationLinks, "registration"),
    )


REGISTRATION_LIST = list_screen(REGISTRATION_LIST_DEFINITION, _link_of_one(), icon="users")
