"""Links that were mailed and data that was stored before the second edition keep working."""

import re
import shutil
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from alembic import command
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth import sessions
from agency_site.auth.tables import SavedView
from agency_site.backoffice.lists.definition import find_definition
from agency_site.db.engine import dispose_engine, read_scope
from agency_site.db.migrations import config_for
from agency_site.features.booking.bookings import usecases as bookings
from agency_site.features.checkout.buying.tables import IdempotencyKey
from agency_site.features.checkout.payments.tables import Payment
from agency_site.features.comments import usecases as comments
from agency_site.features.webinars import usecases as webinars
from agency_site.mail.mime import compose_message
from agency_site.mail.usecases import list_newest_messages
from agency_site.settings import settings
from agency_site.staff_application import office_screens
from tests.integration.shared_api import shared_api

HERE = Path(__file__)
DUMP = HERE.with_name("revision_0014.sql").read_text(encoding="utf-8")
KEY = "second-edition-" + "x" * 40
SESSION = "k7fW_QF6jwjmCapv1GKk-Z27EqW-GPdr9_v_8GVnjg8"
LINK = re.compile(
    r"http://localhost:3000(/(?:booking|order|registration|comment|newsletter/confirm|admin/invitation)/[\w-]+)"
)
VOID = "/newsletter/confirm/e34KVtx4jkSKqyaO1r3dSlQ_jpZg4SBl4zM6v6duKGQ"
"""Its subscriber has unsubscribed since."""
LINKS = sorted(set(LINK.findall(DUMP)))
Find = Callable[[AsyncSession, str], Awaitable[Any]]
PRIVATE: dict[str, Find] = {
    "booking": bookings.find_by_token,
    "comment": comments.find_by_token,
    "registration": webinars.find_by_token,
}


@pytest.fixture(scope="module")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of that time, migrated to the newest revision; each test gets a copy."""
    file = tmp_path_factory.mktemp("stored") / "stored.sqlite3"
    config = config_for(f"sqlite+aiosqlite:///{file}")
    command.upgrade(config, "0014")
    with sqlite3.connect(file) as connection:
        connection.executescript(DUMP)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AGENCY_SECRET_KEY", KEY)
        settings.cache_clear()
        command.upgrade(config, "head")
    settings.cache_clear()
    return file


@pytest.fixture
async def stored(
    migrated_file: Path, tmp_path: Path, configure: Callable[..., object], noon: object
) -> AsyncIterator[None]:
    """The settings point at the migrated database."""
    file = shutil.copy(migrated_file, tmp_path)
    configure(database_url=f"sqlite+aiosqlite:///{file}", secret_key=KEY)
    yield
    await dispose_engine()


@pytest.fixture
async def client(stored: None) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(shared_api(), client=("203.0.113.9", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:3000") as made:
        yield made


def test_the_dump_has_a_link_of_every_kind() -> None:
    assert {link.rsplit("/", 1)[0] for link in LINKS} == {
        "/admin/invitation", "/booking", "/comment", "/newsletter/confirm", "/order", "/registration",
    }  # fmt: skip


@pytest.mark.parametrize("link", [link for link in LINKS if link.split("/")[1] in PRIVATE])
@pytest.mark.usefixtures("stored")
async def test_a_private_page_opens(link: str) -> None:
    _, kind, token = link.split("/")
    async with read_scope() as session:
        found = await PRIVATE[kind](session, token)
    assert found.reference in DUMP


@pytest.mark.parametrize("link", [link for link in LINKS if link.startswith(("/newsletter", "/admin"))])
async def test_a_link_of_a_mail_opens(client: httpx.AsyncClient, link: str) -> None:
    answer = await client.get(link)
    if link == VOID:
        assert answer.status_code == 409
    else:
        assert (answer.status_code, "<form" in answer.text) == (200, True)


async def test_the_receipt_of_an_order_can_be_fetched_by_its_link(client: httpx.AsyncClient) -> None:
    (order,) = [link for link in LINKS if link.startswith("/order/")]
    answer = await client.get(f"/api/orders/{order.rsplit('/', 1)[1]}/receipt.pdf")
    assert answer.headers["content-type"] == "application/pdf"


@pytest.mark.usefixtures("stored")
async def test_a_session_goes_on() -> None:
    async with read_scope() as session:
        account = await sessions.find(session, SESSION, "203.0.113.9")
    assert account is not None
    assert account.email == "owner@mwanga.example"


@pytest.mark.usefixtures("stored")
async def test_a_saved_view_names_a_list_that_exists() -> None:
    assert office_screens()
    async with read_scope() as session:
        names = {view.listing for view in [await session.get_one(SavedView, number) for number in (1, 2)]}
    assert names == {"bookings", "orders"}
    assert all(find_definition(name) for name in names)


@pytest.mark.usefixtures("stored")
async def test_every_stored_mail_can_be_written_again() -> None:
    async with read_scope() as session:
        rows = await list_newest_messages(session)
        mails = [compose_message(row) for row in rows]
    assert len(mails) == 22
    assert all(mail["Subject"] for mail in mails)
    texts = "".join(row.text for row in rows)
    assert [link for link in LINKS if link not in texts] == []


def test_no_link_is_left_in_the_migrated_database(migrated_file: Path) -> None:
    with sqlite3.connect(migrated_file) as connection:
        dump = "\n".join(connection.iterdump())
    assert [link for link in LINKS if link.rsplit("/", 1)[1] in dump] == []


def test_the_encryption_can_be_taken_back(
    migrated_file: Path, tmp_path: Path, configure: Callable[..., object]
) -> None:
    configure(secret_key=KEY)
    file = shutil.copy(migrated_file, tmp_path)
    command.downgrade(config_for(f"sqlite+aiosqlite:///{file}"), "0040")
    with sqlite3.connect(file) as connection:
        dump = "\n".join(connection.iterdump())
    assert [link for link in LINKS if link not in dump] == []


@pytest.mark.usefixtures("stored")
async def test_an_idempotency_key_names_the_payment_of_its_answer() -> None:
    async with read_scope() as session:
        key = await session.get_one(IdempotencyKey, 1)
        payment = await session.get_one(Payment, key.payment_id)
    assert (key.key, payment.merchant_request_id) == ("amina-pays-once", "61ee-3a48-a675-8d9425d1e01758863")
