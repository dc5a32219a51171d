"""Enquiries for tests, and looks at what became of them."""

from sqlmodel import col, select

from agency_site.db.engine import read_scope, session_scope
from agency_site.features.contact.event_log import history
from agency_site.features.contact.records import EnquiryLine, EnquiryRecord
from agency_site.features.contact.tables import Enquiry
from agency_site.features.contact.usecases import take_message, take_signup

MESSAGE = {"name": "Amina", "email": "amina@shop.example", "subject": "A stall", "message": "Karibu."}
SIGNUP = {
    "fullName": "Amina Odhiambo", "email": "amina@shop.example", "phone": "0712 345 678",
    "domainType": "new", "domainName": "mamamboga.co.ke", "plan": "Growth",
}  # fmt: skip
ASHA, BEN = "asha@agency.example", "ben@agency.example"


async def write(**changes: str) -> None:
    async with session_scope() as session:
        await take_message(session, MESSAGE | changes)


async def sign_up(**changes: str) -> None:
    async with session_scope() as session:
        await take_signup(session, SIGNUP | changes)


async def stored() -> list[Enquiry]:
    async with read_scope() as session:
        return list((await session.exec(select(Enquiry).order_by(col(Enquiry.id)))).all())


async def only() -> EnquiryRecord:
    (row,) = await stored()
    return EnquiryRecord.of(row)


async def lines(reference: str) -> tuple[EnquiryLine, ...]:
    async with read_scope() as session:
        return await history(session, reference)


async def told(reference: str) -> list[str]:
    """What the history says, in short."""
    return [line.what.value for line in await lines(reference)]
