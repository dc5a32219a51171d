"""The comment form's state."""

from typing import Any

import reflex as rx

from agency_site.comments.usecases import receive
from agency_site.db.engine import session_scope
from agency_site.errors import InputRejected
from agency_site.ui.forms import submitted


class CommentDesk(rx.State):
    """Thanks or errors of the last comment, and the article whose form they belong to."""

    article: rx.Field[str] = rx.field("")
    errors: dict[str, str] = {}
    failure: rx.Field[str] = rx.field("")
    thanked: rx.Field[bool] = rx.field(False)
    accepted: rx.Field[int] = rx.field(0)
    """Counts accepted comments: the form clears after each."""
    refused: rx.Field[int] = rx.field(0)
    """Counts refused ones: the first marked field gets the focus."""

    @rx.event
    def begin(self) -> None:
        """Forget the last answer: an article was opened."""
        self.article, self.errors, self.failure, self.thanked = "", {}, "", False

    @rx.event
    async def submit(self, form: dict[str, Any]) -> None:
        """Send the comment to the editors; what was typed stays unless it was accepted."""
        fields = submitted(form)
        self.article = fields.get("article", "")[:80]
        self.errors, self.failure, self.thanked = {}, "", False
        try:
            async with session_scope() as session:
                await receive(session, fields)
        except InputRejected as rejected:
            self.errors, self.failure = rejected.by_field(), rejected.message
            self.refused += 1
            return
        self.thanked = True
        self.accepted += 1
