"""Reading a row that must exist."""

import pytest
from sqlmodel import col, select, update

from agency_site.clock import now
from agency_site.db.engine import session_scope
from agency_site.db.found_rows import find_one
from agency_site.sms.tables import SmsNumber

NUMBER = "+254712345678"

pytestmark = pytest.mark.usefixtures("database")


@pytest.mark.parametrize("fresh", [True, False])
async def test_a_statement_that_asks_for_the_stored_row_gets_it_although_the_session_has_read_it_before(
    fresh: bool,
) -> None:
    wanted = select(SmsNumber).where(SmsNumber.number == NUMBER)
    async with session_scope() as session:
        session.add(SmsNumber(number=NUMBER, updated_at=now()))
        await session.flush()
        before = await find_one(session, wanted, "")
        await session.exec(
            update(SmsNumber)
            .where(col(SmsNumber.number) == NUMBER)
            .values(failure="changed")
            .execution_options(synchronize_session=False)
        )
        assert (await find_one(session, wanted, "")).failure == ""
        statement = wanted if fresh else wanted.execution_options(populate_existing=True)
        again = await find_one(session, statement, "", fresh=fresh)
        assert (again is before, again.failure) == (True, "changed")
