"""Work with the field `town` of bookings that `docs/back-office-framework.md` adds to a copy of the project.

`python -m tests.integration.backoffice.town_of_bookings`, in that copy and with a database that has the column.
"""

import asyncio
import sys
from datetime import timedelta

from agency_site.backoffice.lists.definition import read_query
from agency_site.backoffice.lists.export import lines_of_export
from agency_site.backoffice.lists.query import page_of
from agency_site.backoffice.record_page import RecordState
from agency_site.clock import today
from agency_site.db.engine import dispose_engine, read_scope, session_scope
from agency_site.feature_contracts import join_features
from agency_site.features.booking import personal_data
from agency_site.features.booking.admin.bookings.new_booking import NewBooking
from agency_site.features.booking.admin.bookings.record import BOOKINGS
from tests import records
from tests.integration.backoffice.conftest import Tab, enter, hire, newest_detail, open_tab

CLIENT = ("brian@example.com", "+254733111222")
CALLER = {"fullname": "Brian Kiptoo", "phone": "0733 111 222", "email": "brian@example.com", "way": "karen"}


async def book_in_nakuru() -> str:
    """Book for a caller on the next Monday in a week or more; return the reference."""
    monday = today() + timedelta(days=14 - today().weekday())
    tab = Tab(NewBooking, (await enter()).token, "/admin/bookings/new")
    await tab.run("open_form")
    labels = [each.label for group in tab.state.form for each in group.fields]
    assert "Town" in labels, labels
    answer = await tab.run("book", form={**CALLER, "town": "Nakuru", "start": f"{monday}T09:00"})
    assert answer, tab.state.errors
    async with read_scope() as session:
        (row,) = await page_of(
            session, BOOKINGS.definition, read_query(BOOKINGS.definition, {"town": "nakuru"})
        )
    return str(row.reference)


async def work() -> None:
    """Enter the town, see it, edit it, find it in the file, and erase it."""
    join_features()
    await hire()
    reference = await book_in_nakuru()
    tab = await open_tab(RecordState, f"/admin/booking?ref={reference}")
    assert ("Town", "Nakuru") in [(line.label, line.text) for line in tab.state.details]
    await tab.run("ask", key="edit")
    await tab.run("run", key="edit", form={**tab.state.draft, "town": "Eldoret"})
    assert tab.state.lines[0].words == "Town: Nakuru → Eldoret"
    assert await newest_detail("booking.corrected") == "Town"
    query = read_query(BOOKINGS.definition, {"town": "Eldoret"})
    file = b"".join([line async for line in lines_of_export(BOOKINGS.definition, query)]).decode()
    assert ",Eldoret," in file, file
    async with session_scope() as session:
        exported = await personal_data.BOOKINGS.export(session, *CLIENT)
        assert "Eldoret" in str(exported)
        await personal_data.BOOKINGS.erase(session, *CLIENT, "amina@mwanga.example")
    assert (await records.find(BOOKINGS, reference)).town == ""
    await dispose_engine()


if __name__ == "__main__":
    asyncio.run(work())
    sys.stdout.write("The town works.\n")
