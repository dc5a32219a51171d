"""The file with a person's data: permissions, download, and its entry in the audit log."""

import httpx
import pytest
from sqlmodel import col, select

from agency_site.auth.rules import Role
from agency_site.auth.tables import AuditEntry
from agency_site.db.engine import read_scope
from agency_site.features.contact.request import ContactMessage
from agency_site.features.contact.usecases import receive_message
from agency_site.form_input import read_form
from tests.integration.backoffice.conftest import enter, hire
from tests.integration.backoffice.personal_data.conftest import do, table_text

PATH = "/admin/people/export"
PERSON = {"email": "Amina@Example.com", "phone": ""}
MESSAGE = {"name": "Amina Odhiambo", "email": "amina@example.com", "subject": "", "message": "Karibu."}


async def sign_in(visitor: httpx.AsyncClient, role: Role = Role.OWNER) -> None:
    await hire(f"{role}@mwanga.example", role)
    visitor.cookies.set("staff", (await enter(f"{role}@mwanga.example")).token)


async def entries() -> list[AuditEntry]:
    async with read_scope() as session:
        about = select(AuditEntry).where(AuditEntry.kind == "person").order_by(col(AuditEntry.id))
        return list((await session.exec(about)).all())


async def test_an_owner_gets_the_file_and_the_log_names_no_person(visitor: httpx.AsyncClient) -> None:
    await do(receive_message, read_form(ContactMessage, MESSAGE))
    await sign_in(visitor)
    answers = [await visitor.post(PATH, data=PERSON) for _ in range(2)]
    answer = answers[0]
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    document = answer.json()
    assert document["person"]["email"] == "amina@example.com"
    assert [record["fullname"] for record in document["records"]["Enquiries and plan sign-ups"]] == [
        "Amina Odhiambo"
    ]
    first, second = await entries()
    assert (first.actor, first.action, first.detail) == ("owner@mwanga.example", "person.exported", "")
    assert first.reference == second.reference
    assert first.reference.startswith("PN-")
    assert answer.headers["content-disposition"].startswith(f'attachment; filename="{first.reference}-')
    assert "amina" not in await table_text("audit_entries")


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.OWNER])
async def test_no_other_role_gets_the_file(visitor: httpx.AsyncClient, role: Role) -> None:
    await sign_in(visitor, role)
    assert (await visitor.post(PATH, data=PERSON)).status_code == 403
    assert await entries() == []


async def test_a_stranger_gets_nothing(visitor: httpx.AsyncClient) -> None:
    assert (await visitor.post(PATH, data=PERSON)).status_code == 401
    assert (await visitor.get(PATH)).status_code == 405


async def test_another_sites_form_gets_nothing(visitor: httpx.AsyncClient) -> None:
    await sign_in(visitor)
    answer = await visitor.post(PATH, data=PERSON, headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403
    assert await entries() == []


@pytest.mark.parametrize("form", [{}, {"email": " "}, {"email": "amina"}, {"phone": "12"}])
async def test_an_export_without_a_person_is_rejected(
    visitor: httpx.AsyncClient, form: dict[str, str]
) -> None:
    await sign_in(visitor)
    assert (await visitor.post(PATH, data=form)).status_code == 422
    assert await entries() == []
