"""Every form keeps its input if the connection is lost at any moment, and sends it once."""

import secrets
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from agency_site.content.webinars import upcoming
from tests.e2e.conftest import Opener, RunningSite, hydrated
from tests.e2e.wire import BROKEN, Wire
from tests.waiting import wait_until

pytestmark = pytest.mark.thorough


@dataclass(frozen=True)
class Form:
    """One public form: where it is, what is typed, and how success is shown."""

    path: str
    name: str
    fields: tuple[tuple[str, str], ...]
    """Label and value; `{mark}` becomes a word of this test alone."""
    button: str
    thanks: str
    stored: str
    """Query for the number of rows with the address."""
    mails: tuple[str, ...]
    """Kinds that go to the address."""

    def box(self, page: Page, label: str) -> Locator:
        return page.get_by_role("main").get_by_role("form", name=self.name).get_by_label(label, exact=True)


FORMS = (
    Form(
        "/contact", "Write to us",
        (("Name", "Wanjiru"), ("Email", "{mark}@example.com"), ("Message", "About {mark}.")),
        "Send message", "Thank you for your message, Wanjiru!",
        "SELECT count(*) FROM enquiries WHERE email = ?", ("message-received",),
    ),
    Form(
        "/signup/growth", "Your details",
        (
            ("Full Name", "Wanjiru Kamau"), ("Email", "{mark}@example.com"), ("Phone", "0712 345 678"),
            ("Domain Name", "{mark}.co.ke"),
        ),
        "Sign up", "Thank you for choosing our Growth plan!",
        "SELECT count(*) FROM enquiries WHERE email = ?", ("signup-received",),
    ),
    Form(
        "/email-marketing-blog", "Leave a comment",
        (("Comment *", "About {mark}."), ("Full Name *", "Wanjiru Kamau"), ("Email *", "{mark}@example.com")),
        "Post comment", "Thank you for your comment!",
        "SELECT count(*) FROM comments WHERE email = ?", ("comment-received",),
    ),
    Form(
        upcoming()[-1].href, "Reserve a seat",
        (("Full Name", "Wanjiru Kamau"), ("Email", "{mark}@example.com")),
        "Reserve a seat", "Your seat is reserved, Wanjiru Kamau.",
        "SELECT count(*) FROM webinar_registrations WHERE email = ?", ("registration-confirmed",),
    ),
)  # fmt: skip
EVERY_FORM = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.path.split("/")[1])


SHOWN_MS, LONGEST_MS = 1_000, 15_000
"""When a form that waits for its answer shows it, and when it waits no longer (`ui/form_guard.jsx`)."""


@pytest.fixture
def mark() -> str:
    """A word that no other test types."""
    return f"w{secrets.token_hex(4)}"


def visit(open_page: Opener, wire: Wire, form: Form) -> Page:
    """The form's page, its socket open."""
    page = open_page(wire.url + form.path, expect=BROKEN)
    page.wait_for_load_state("networkidle")
    return page


def fill(page: Page, form: Form, mark: str, fields: tuple[tuple[str, str], ...] | None = None) -> None:
    for label, text in form.fields if fields is None else fields:
        form.box(page, label).fill(text.format(mark=mark))


def submit(page: Page, form: Form) -> None:
    # By the keyboard, which reaches a form that is being sent, too.
    page.get_by_role("main").get_by_role("form", name=form.name).get_by_role(
        "button", name=form.button
    ).press("Enter")


def expect_typed(page: Page, form: Form, mark: str) -> None:
    for label, text in form.fields:
        expect(form.box(page, label)).to_have_value(text.format(mark=mark))


def expect_sent_once(site: RunningSite, page: Page, form: Form, mark: str) -> None:
    expect(page.get_by_role("alert").filter(has_text=form.thanks)).to_be_visible()
    expect(form.box(page, "Email *" if form.button == "Post comment" else "Email")).to_have_value("")
    address = f"{mark}@example.com"
    assert site.rows(form.stored, address) == [(1,)]
    assert tuple(kind for kind, _, _ in site.mails(address)) == form.mails


def calm(page: Page) -> Locator:
    return page.get_by_role("status").filter(has_text="No connection to our desk just now.")


@EVERY_FORM
def test_what_is_typed_survives_a_cut_and_goes_out_once_when_sent_meanwhile(
    site: RunningSite, open_page: Opener, wire: Wire, mark: str, form: Form
) -> None:
    page = visit(open_page, wire, form)
    fill(page, form, mark, form.fields[:1])
    wire.cut()
    expect(calm(page)).to_be_visible()
    fill(page, form, mark, form.fields[1:])
    submit(page, form)
    reassurance = (
        "There is no connection. What you typed is still here, and is sent when the connection is back."
    )
    expect(page.get_by_role("main").get_by_text(reassurance)).to_be_visible()
    expect_typed(page, form, mark)
    assert site.rows(form.stored, f"{mark}@example.com") == [(0,)]
    wire.mend()
    expect_sent_once(site, page, form, mark)
    expect(calm(page)).to_have_count(0)


@EVERY_FORM
def test_what_was_typed_around_a_cut_is_still_there_to_be_sent(
    site: RunningSite, open_page: Opener, wire: Wire, mark: str, form: Form
) -> None:
    page = visit(open_page, wire, form)
    fill(page, form, mark)
    wire.cut()
    expect(calm(page)).to_be_visible()
    wire.mend()
    expect(calm(page)).to_have_count(0)
    expect_typed(page, form, mark)
    submit(page, form)
    expect_sent_once(site, page, form, mark)


@EVERY_FORM
@pytest.mark.parametrize("submits", [1, 3])
def test_a_lost_response_is_shown_after_the_cut_and_nothing_is_sent_twice(
    site: RunningSite, open_page: Opener, wire: Wire, mark: str, form: Form, submits: int
) -> None:
    page = visit(open_page, wire, form)
    fill(page, form, mark)
    wire.lose_answers()
    for _ in range(submits):
        submit(page, form)
    wait_until(lambda: site.rows(form.stored, f"{mark}@example.com") == [(1,)])
    expect_typed(page, form, mark)
    wire.mend()
    expect_sent_once(site, page, form, mark)


@EVERY_FORM
def test_a_form_that_gets_no_answer_says_so_and_can_be_sent_again(
    site: RunningSite, open_page: Opener, wire: Wire, mark: str, form: Form
) -> None:
    page = visit(open_page, wire, form)
    fill(page, form, mark)
    page.clock.install()
    wire.lose_answers()
    submit(page, form)
    wait_until(lambda: site.rows(form.stored, f"{mark}@example.com") == [(1,)])
    main = page.get_by_role("main")
    page.clock.fast_forward(SHOWN_MS)
    expect(main.get_by_text("Sending …")).to_be_visible()
    page.clock.fast_forward(LONGEST_MS)
    unanswered = main.get_by_text(
        "There was no answer yet. What you typed is still here. Please send it again."
    )
    expect(unanswered).to_be_visible()
    expect_typed(page, form, mark)
    submit(page, form)
    expect(unanswered).to_have_count(0)
    wire.mend()
    expect_sent_once(site, page, form, mark)
    expect(main.get_by_text("Sending …")).to_have_count(0)


@EVERY_FORM
def test_a_double_click_sends_once(site: RunningSite, open_page: Opener, mark: str, form: Form) -> None:
    page = open_page(form.path)
    fill(page, form, mark)
    page.get_by_role("main").get_by_role("form", name=form.name).get_by_role(
        "button", name=form.button
    ).dblclick()
    expect_sent_once(site, page, form, mark)


@EVERY_FORM
def test_a_form_without_anything_names_its_fields_and_stores_nothing(
    site: RunningSite, open_page: Opener, form: Form
) -> None:
    page = open_page(form.path)
    hydrated(page)
    submit(page, form)
    expect(page.get_by_text("Please enter your e-mail address.")).to_be_visible()
    expect(page.get_by_role("alert").filter(has_text="Please check the marked fields.")).to_be_visible()
    assert site.rows(form.stored, "") == [(0,)]
