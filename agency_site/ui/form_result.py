"""The result of a submitted form: errors beside its fields, or thanks that take the focus."""

from collections.abc import Iterator
from contextlib import contextmanager

import reflex as rx

from agency_site.errors import InputRejected, SiteError
from agency_site.ui.behaviours import FocusWhen
from agency_site.ui.elements import notice
from agency_site.ui.form_guard import GuardedForm
from agency_site.ui.values import cond


class FormResult(GuardedForm, mixin=True):
    """The result of the last submission of a form."""

    errors: dict[str, str] = {}
    """A message for each invalid field."""
    failure: rx.Field[str] = rx.field("")
    answer: rx.Field[str] = rx.field("")
    """The text of thanks."""
    note: rx.Field[str] = rx.field("")
    """A text below the thanks."""
    round: rx.Field[int] = rx.field(0)
    """Number of accepted submissions: the form is emptied after each."""

    def _clear(self) -> None:
        self.errors, self.failure, self.answer, self.note = {}, "", "", ""

    @contextmanager
    def _showing_errors(self) -> Iterator[None]:
        """Show why the submission is rejected; the input stays."""
        try:
            yield
        except InputRejected as rejected:
            self._show_errors(rejected)

    def _show_errors(self, refused: SiteError) -> None:
        self._clear()
        self.failure = refused.message
        if isinstance(refused, InputRejected):
            self.errors = refused.by_field()

    def _show_thanks(self, text: str, note: str = "") -> None:
        self._clear()
        self.answer, self.note = text, note
        self.round += 1


def refusal(state: FormResult | type[FormResult], **props: object) -> rx.Component:
    """The reason why the last submission was refused."""
    reason = notice(rx.el.p(state.failure, class_name="font-semibold"), tone="error", **props)
    return cond(state.failure != "", reason, rx.fragment())  # type: ignore[no-any-return]


def form_result(state: FormResult | type[FormResult], target: str, *below: rx.Component) -> rx.Component:
    """The reason why the last submission was refused, or thanks in an alert with the id `target`."""
    return rx.el.div(
        refusal(state, id=f"{target}-not"),
        cond(
            state.answer != "",
            notice(
                rx.el.p(state.answer, class_name="font-semibold"),
                cond(state.note != "", rx.el.p(state.note, class_name="mt-2")),
                *below,
                tone="success",
                role="alert",
                id=target,
            ),
        ),
        # Not the text, which may be the same twice.
        FocusWhen.create(when=cond(state.answer != "", state.round, 0), target=target),
        class_name="mt-5 empty:hidden",
    )
