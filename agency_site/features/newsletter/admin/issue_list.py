"""The list of newsletter issues."""

from sqlmodel import col, select

from agency_site.auth.rules import Permission
from agency_site.backoffice.lists.definition import (
    Cell,
    Column,
    Days,
    ListDefinition,
    moment_column,
    number_cell,
    reference_column,
    search_text_in,
    state_filter,
)
from agency_site.backoffice.lists.view import list_screen, new_record_link
from agency_site.features.newsletter.admin.issue_labels import (
    ISSUE_PATH,
    ISSUES_PATH,
    STATES,
    audience_text,
)
from agency_site.features.newsletter.tables import NewsletterIssue

ISSUES = ListDefinition(
    name="newsletters",
    title="Newsletters",
    noun=("issue", "issues"),
    path=ISSUES_PATH,
    permission=Permission.WORK_SUBSCRIBERS,
    rows=lambda: select(NewsletterIssue),
    identity=col(NewsletterIssue.id),
    columns=(
        reference_column(NewsletterIssue),
        Column("title", "Title", lambda issue: Cell(issue.title)),
        Column("state", "State", lambda issue: STATES[issue.state]),
        Column("number", "Number", lambda issue: number_cell(issue.number), sort=col(NewsletterIssue.number), is_shown=False),
        moment_column("scheduled", "Scheduled for", col(NewsletterIssue.scheduled_at), sort=True, caption=True),
        moment_column("sent", "Sent", col(NewsletterIssue.sent_at), sort=True, is_shown=False),
        Column("mails", "Mails", lambda issue: number_cell(issue.mails_created if issue.started_at else None), caption=True),
        Column("audience", "Audience", lambda issue: Cell(audience_text(issue.interests)), is_shown=False),
        Column("editor", "Changed by", lambda issue: Cell(issue.editor), is_shown=False),
        moment_column("changed", "Changed", col(NewsletterIssue.updated_at), sort=True, caption=True),
    ),
    order="-changed",
    href=lambda issue: f"{ISSUE_PATH}?id={issue.reference}",
    filters=(
        state_filter(col(NewsletterIssue.state), STATES),
        Days("sent", "Sent", col(NewsletterIssue.sent_at)),
    ),
    search=search_text_in(col(NewsletterIssue.search)),
    search_hint="Title, address, reference",
    empty="No issues yet.",
)  # fmt: skip


ISSUE_LIST = list_screen(ISSUES, new_record_link("New issue", ISSUE_PATH), icon="mail")
