"""Enquiries for tests, and what is stored_enquiries of them."""

from sqlmodel import col, select

from agency_site.backoffice import records as framework
from agency_site.db.engine import read_scope, session_scope
from agency_site.db.event_log import LoggedEvent
from agency_site.features.contact.admin.enquiries import ENQUIRIES
from agency_site.features.contact.request import ContactMessage, PlanSignup
from agency_site.features.contact.tables import Enquiry
from agency_site.features.contact.usecases import receive_message, receive_signup
from agency_site.form_input import read_form
from tests import records

MESSAGE = {"name": "Amina", "email": "amina@shop.example", "subject": "A stall", "message": "Karibu."}
SIGNUP = {
    "fullName": "Amina Odhiambo", "email": "amina@shop.example", "phone": "0712 345 678",
    "domainType": "new", "domainName": "mamamboga.co.ke", "plan": "Growth",
}  # fmt: skip
ASHA, BEN = "asha@agency.example", "ben@agency.example"


async def write(**changes: str) -> bool:
    async with session_scope() as session:
        return await receive_message(session, read_form(ContactMessage, MESSAGE | changes))


async def sign_up(**changes: str) -> None:
    async with session_scope() as session:
        await receive_signup(session, read_form(PlanSignup, SIGNUP | changes))


async def stored_enquiries() -> list[Enquiry]:
    async with read_scope() as session:
        return list((await session.exec(select(Enquiry).order_by(col(Enquiry.id)))).all())


async def only_enquiry() -> Enquiry:
    (row,) = await stored_enquiries()
    return row


async def change(key: str, reference: str, version: int | None = None, actor: str = ASHA) -> Enquiry:
    """Run an action without fields."""
    enquiry: Enquiry = await records.act(ENQUIRIES, key, reference, actor, version=version)
    return enquiry


async def reply(
    reference: str, version: int | None = None, text: str = "Karibu too.", actor: str = ASHA
) -> Enquiry:
    enquiry: Enquiry = await records.act(
        ENQUIRIES, "reply", reference, actor, {"reply": text}, version=version
    )
    return enquiry


async def add_note(reference: str, text: str) -> None:
    async with session_scope() as session:
        await framework.add_note(session, ENQUIRIES, reference, text, records.member(ASHA))


async def log_entries(reference: str) -> list[LoggedEvent]:
    return await records.list_record_events(ENQUIRIES, reference)


async def history_of(reference: str) -> list[str]:
    """Return the kinds of the log entries."""
    return [str(line.what) for line in await log_entries(reference)]
