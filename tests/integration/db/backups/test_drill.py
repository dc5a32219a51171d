"""The drill: a site that was used is backed up, destroyed, and restored in an empty place; nothing of it is missing."""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url

from agency_site.auth import sessions
from agency_site.auth.accounts import invite
from agency_site.auth.rules import Role
from agency_site.db.backups.usecases import FinishedBackup, FinishedRestore, back_up, restore
from agency_site.db.engine import dispose_engine, read_scope
from agency_site.features.checkout.orders.rules import OrderState
from agency_site.features.checkout.reconciliation.report import ReconciliationReport, reconciliation_report
from agency_site.features.editing.pictures.processing import process_picture
from agency_site.features.editing.pictures.rules import digest_of
from agency_site.features.editing.pictures.staff_request import PictureUpload
from agency_site.features.editing.pictures.usecases import store_picture
from agency_site.features.newsletter import usecases as newsletter
from agency_site.features.newsletter.request import ConsentedSubscription
from agency_site.form_input import read_form
from agency_site.settings import Settings
from tests.http_clients import ADDRESS, client_of
from tests.integration.backoffice.personal_data.conftest import do, leave_traces, whole_database
from tests.integration.db.backups.keys import make_key
from tests.integration.features.academy.runs import open_run
from tests.integration.features.checkout.conftest import Shop, orders, shop
from tests.integration.features.checkout.orders import FRIDAY, refund
from tests.integration.mail.outbox import list_rows
from tests.integration.shared_api import shared_api
from tests.integration.staff_sessions import OWNER, session_header
from tests.pictures import photo
from tests.servers import psycopg_address

pytestmark = pytest.mark.thorough

__all__ = ["shop"]

_LINK = re.compile(r"http://localhost:3000(/[a-z/-]+/[\w-]{20,}[\w/.-]*)")


async def private_links() -> list[str]:
    """Return every link with a token in a mail."""
    return sorted({link for row in await list_rows() for link in _LINK.findall(row.text)})


async def open_links(links: list[str]) -> dict[str, int]:
    """Return the status of the response to each link."""
    async with client_of(shared_api()) as client:
        return {link: (await client.get(link)).status_code for link in links}


async def report() -> ReconciliationReport:
    return await reconciliation_report(read_scope, FRIDAY, FRIDAY + timedelta(days=3))


def destroy(url: str) -> None:
    """Lose the machine: a new one has an empty database."""
    address = make_url(url)
    if address.drivername.startswith("sqlite"):
        for file in Path(str(address.database)).parent.glob("test.sqlite3*"):
            file.unlink()
        return
    with psycopg.connect(psycopg_address(url, "postgres"), autocommit=True) as connection:
        connection.execute(f'DROP DATABASE "{address.database}"')
        connection.execute(f'CREATE DATABASE "{address.database}"')


@pytest.fixture
async def used_site(shop: Shop) -> Shop:
    """A site with bookings, orders, payments, a refund, learners, an open prompt, mail, a picture, and texts."""
    await leave_traces(shop)
    run = await open_run()
    await shop.paid("112", run=run.reference)
    await shop.paid("113")
    await refund(number=2, amount="5000")
    await shop.pay("700")
    subscription = read_form(ConsentedSubscription, {"email": "otieno@example.com", "consent": "on"})
    await do(newsletter.subscribe, subscription, "newsletter")
    picture = photo((300, 200))
    processed = await process_picture(picture, digest_of(picture))
    await do(store_picture, processed, PictureUpload(name="team.jpg"), OWNER.email)
    await do(invite, "new@mwanga.example", "Salim Hassan", Role.EDITOR, OWNER)
    return shop


async def test_rows_links_reports_and_sessions_are_the_same_after_a_restore_on_an_empty_machine(
    used_site: Shop, database: str, configure: Callable[..., Settings], tmp_path: Path
) -> None:
    recipient, key = make_key(tmp_path)
    configure(backup_folder=str(tmp_path / "backups"), backup_recipient=recipient)
    journal = tmp_path / "journal"
    journal.mkdir(exist_ok=True)
    (journal / "20261120T090000.000000-00c0ffee.json").write_text('{"kind": "callback", "values": {}}')
    cookie = (await session_header(Role.OWNER))["Cookie"].partition("=")[2]
    links = await private_links()
    answers, books, content = await open_links(links), await report(), await whole_database()
    assert {link.rsplit("/", 1)[0] for link, status in answers.items() if status == 200} >= {
        "/admin/invitation", "/booking", "/comment", "/learner", "/newsletter/confirm", "/order", "/registration", "/waiting",
    }  # fmt: skip
    await dispose_engine()

    backup: FinishedBackup = back_up()
    destroy(database)
    for entry in journal.iterdir():
        entry.unlink()
    restored: FinishedRestore = restore(backup.path, key)

    assert (restored.former, restored.same_key) == ("", True)
    assert await whole_database() == content
    assert await open_links(links) == answers
    assert await report() == books
    assert books.refunded == 5000
    assert [entry.name for entry in journal.iterdir()] == ["20261120T090000.000000-00c0ffee.json"]
    async with read_scope() as session:
        account = await sessions.find(session, cookie, ADDRESS)
    assert account is not None
    # The prompt that was open is still settled by its callback.
    await used_site.control.post("advance", seconds=60)
    await used_site.control.settled()
    await used_site.paid("114")
    assert (await orders())[-1].state is OrderState.PAID
