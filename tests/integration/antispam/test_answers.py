"""Every response to a protected form is counted, refusals included, because the page waits for it."""

import inspect
from typing import Any

import pytest
import reflex as rx
from reflex.state import BaseState

import agency_site.agency_site  # noqa: F401 - declares all states
from agency_site.ui.form_guard import GuardedForm
from agency_site.ui.server_html import new_state

pytestmark = pytest.mark.usefixtures("database")


def _guarded(state: type[BaseState] = rx.State) -> list[type[GuardedForm]]:
    deeper = [handler for below in state.get_substates() for handler in _guarded(below)]
    return [state, *deeper] if issubclass(state, GuardedForm) else deeper


FORMS = sorted(_guarded(), key=lambda state: state.__name__)


async def send_nothing(state: GuardedForm) -> None:
    handled: Any = type(state).event_handlers["submit"].fn(state, {})
    if not inspect.isasyncgen(handled):
        await handled
        return
    async for _ in handled:
        pass


def test_every_protected_form_is_known() -> None:
    assert [form.__name__ for form in FORMS] == [
        "BookingForm", "BoxNewsletter", "CommentForm", "ContactForm", "FooterNewsletter", "NewsletterForm",
        "PaymentPageState", "RegistrationForm", "SignupForm",
    ]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
async def test_a_refused_submit_is_acknowledged_with_its_message(form: type[GuardedForm]) -> None:
    state = new_state(form)
    await send_nothing(state)
    await send_nothing(state)
    assert state.answers == 2
