"""Newsletter issues for tests."""

from datetime import datetime

from agency_site.db.engine import session_scope
from agency_site.features.newsletter import issues
from agency_site.features.newsletter.issues import IssueRecord
from agency_site.features.newsletter.request import read_draft

ASHA = "asha@agency.example"
TEXT = """\
## The queue

People stop where others wait. [Book an hour](/book) or read \\<b>more\\</b>.

- Stand across the street
- Count
"""


async def write_issue(title: str = "The queue is the advert", **form: str) -> IssueRecord:
    """Store a draft."""
    fields = {"title": title, "summary": "Why a stand in Ruiru moved.", "text": TEXT, **form}
    async with session_scope() as session:
        return await issues.create(session, read_draft(fields), ASHA)


async def send_issue(issue: IssueRecord) -> IssueRecord:
    """Send it at once."""
    async with session_scope() as session:
        return await issues.send_now(session, issue.reference, issue.version, ASHA)


async def schedule_issue(issue: IssueRecord, moment: datetime) -> IssueRecord:
    """Send it at that moment."""
    async with session_scope() as session:
        return await issues.schedule(session, issue.reference, issue.version, moment, ASHA)
