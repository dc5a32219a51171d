"""Writing the counted views."""

from agency_site.db.due_work import handle_each
from agency_site.db.engine import session_scope
from agency_site.db.outages import is_outage
from agency_site.visits.counter import VIEWS, Tallies
from agency_site.visits.usecases import add_views


async def write_views() -> int:
    """Write what this process has counted since the last round. If that fails, the next round writes it too.

    A process that is killed loses the views of a minute at most. The result is always 0: with another one the next round
    would not wait for its minute.
    """
    tallies = VIEWS.take()
    try:
        await _write(tallies)
    except BaseException as error:
        if not isinstance(error, Exception) or is_outage(error):
            VIEWS.put_back(tallies)
            raise
        # Figures that the database refuses must not keep all others from being written.
        single = [{key: tally} for key, tally in tallies.items()]
        await handle_each(single, _write, lambda tally: f"figures of views {next(iter(tally))}", _put_back)
    return 0


async def _put_back(tallies: Tallies) -> None:
    VIEWS.put_back(tallies)


async def _write(tallies: Tallies) -> None:
    async with session_scope() as session:
        await add_views(session, tallies)
