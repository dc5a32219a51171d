"""What a submitted form shows: errors beside its fields, or thanks that take the focus."""

from collections.abc import Iterator
from contextlib import contextmanager

import reflex as rx

from agency_site.errors import InputRejected, SiteError
from agency_site.ui.behaviours import FocusWhen
from agency_site.ui.elements import notice
from agency_site.ui.form_guard import GuardedForm
from agency_site.ui.values import choose


class FormResult(GuardedForm, mixin=True):
    """The result of the last submission of a form."""

    errors: dict[str, str] = {}
    """One message per field."""
    failure: rx.Field[str] = rx.field("")
    answer: rx.Field[str] = rx.field("")
    """The thanks."""
    note: rx.Field[str] = rx.field("")
    """What is said beneath them."""
    round: rx.Field[int] = rx.field(0)
    """Counts accepted submissions: the form is emptied after each."""

    @rx.event
    def begin(self) -> None:
        """Clear the last result when the form is opened.

        This is no `on_load` event: a reconnecting page loads again, and may bring the result that was lost with the
        connection before.
        """
        self._clear()

    def _clear(self) -> None:
        self.errors, self.failure, self.answer, self.note = {}, "", "", ""

    @contextmanager
    def _showing_errors(self) -> Iterator[None]:
        """Show why the submission is rejected; what was typed stays."""
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


def form_result(state: FormResult | type[FormResult], target: str, *below: rx.Component) -> rx.Component:
    """Why the last submission was refused, or thanks in an alert whose id is `target`."""
    return rx.el.div(
        choose(state.failure != "", notice(rx.el.p(state.failure, class_name="font-semibold"), tone="error")),
        choose(
            state.answer != "",
            notice(
                rx.el.p(state.answer, class_name="font-semibold"),
                choose(state.note != "", rx.el.p(state.note, class_name="mt-2")),
                *below,
                tone="success",
                role="alert",
                id=target,
            ),
        ),
        FocusWhen.create(when=state.answer, target=target),
        class_name="mt-5 empty:hidden",
    )
