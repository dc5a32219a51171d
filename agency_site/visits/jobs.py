"""Writing the counted views."""

from agency_site.db.engine import session_scope
from agency_site.visits.counter import VIEWS
from agency_site.visits.usecases import add_views


async def write_views() -> int:
    """Write what this process has counted since the last round. If that fails, the next round writes it too.

    A process that is killed loses the views of a minute at most. The result is always 0: with another one the next round
    would not wait for its minute.
    """
    if tallies := VIEWS.take():
        try:
            async with session_scope() as session:
                await add_views(session, tallies)
        except BaseException:
            VIEWS.put_back(tallies)
            raise
    return 0
