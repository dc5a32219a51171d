"""The list of comments."""

from collections.abc import Sequence

from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from agency_site.auth.rules import Permission, Staff
from agency_site.backoffice.lists.definition import (
    Action,
    ActionOptions,
    Cell,
    Choice,
    Column,
    Days,
    ListDefinition,
    Outcome,
    clients_in,
    excerpt,
    moment_cell,
    outcomes,
    search_in,
    state_filter,
)
from agency_site.backoffice.lists.view import list_screen
from agency_site.content.articles import articles
from agency_site.features.comments.admin.labels import (
    COMMENT,
    COMMENTS,
    ERASED,
    STATES,
    article_title,
)
from agency_site.features.comments.rules import DECISIONS, CommentState
from agency_site.features.comments.staff_usecases import set_state_of_many
from agency_site.features.comments.tables import Comment

EXCERPT = 72


def _decision_action(state: CommentState, label: str, question: str) -> Action:
    async def run(
        session: AsyncSession,
        references: Sequence[str],
        who: Staff,
        options: ActionOptions,
    ) -> Sequence[Outcome]:
        changed = await set_state_of_many(session, references, state, who.email)
        why_not = f"it is {DECISIONS[state]} already, or its author has withdrawn it"
        return outcomes(references, changed, why_not)

    return Action(DECISIONS[state].value, label, Permission.WORK_COMMENTS, run, question)


COMMENT_LIST_DEFINITION = ListDefinition(
    name="comments",
    title="Comments",
    noun=("comment", "comments"),
    path=COMMENTS,
    permission=Permission.SEE_COMMENTS,
    rows=lambda: select(Comment),
    identity=col(Comment.id),
    columns=(
        Column("reference", "Reference", lambda comment: Cell(comment.reference, "strong"), sort=col(Comment.reference)),
        Column("received", "Received", lambda row: moment_cell(row.created_at), unit="Nairobi", sort=col(Comment.created_at)),
        Column("name", "Name", lambda comment: Cell(comment.fullname) if comment.email else Cell(ERASED, "quiet")),
        Column("comment", "Comment", lambda comment: Cell(excerpt(comment.text, EXCERPT))),
        Column("article", "Article", lambda comment: Cell(article_title(comment.article))),
        Column("state", "State", lambda comment: STATES[comment.state]),
        Column("email", "E-mail", lambda comment: Cell(comment.email), is_shown=False),
        Column("website", "Website", lambda comment: Cell(comment.website), is_shown=False),
        Column("decided", "Decided", lambda comment: moment_cell(comment.decided_at), unit="Nairobi", is_shown=False),
        Column("decided-by", "Decided by", lambda comment: Cell(comment.decided_by), is_shown=False),
    ),
    order="-received",
    href=lambda comment: f"{COMMENT}?ref={comment.reference}",
    filters=(
        state_filter(col(Comment.state), STATES),
        Choice(
            "article",
            "Article",
            lambda: [(article.slug, article.title) for article in articles()],
            lambda value: col(Comment.article) == value,
        ),
        Days("received", "Received", col(Comment.created_at)),
    ),
    search=search_in(Comment),
    clients=clients_in(Comment),
    search_hint="Reference, name, e-mail, article",
    actions=(
        _decision_action(CommentState.APPROVED, "Approve", "Approve {count}? They will be published."),
        _decision_action(CommentState.REJECTED, "Reject", "Reject {count}? Their authors are not notified."),
    ),
    empty="No comments yet.",
    attention=("state", CommentState.PENDING.value),
)  # fmt: skip

COMMENT_LIST = list_screen(COMMENT_LIST_DEFINITION, icon="social")
