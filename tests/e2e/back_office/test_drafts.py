"""Unsaved input of staff is kept until it is saved or discarded, and a submit is applied once on any connection."""

import re
import secrets
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from agency_site.auth.rules import Role
from tests.e2e.back_office.clients import client
from tests.e2e.back_office.conftest import BackOfficeOpener, audited, employ, filled, follow_entry
from tests.e2e.back_office.senders import wrote
from tests.e2e.conftest import Opener, RunningSite
from tests.e2e.wire import BROKEN, Wire
from tests.waiting import wait_until

pytestmark = pytest.mark.thorough

STORED = "Object.keys(localStorage).filter((key) => key.startsWith('agency-office-draft:'))"
NOTE = "For staff only"
ASKS = '!dispatchEvent(new Event("beforeunload", { cancelable: true }))'
"""Whether the browser would ask before it leaves the page: a listener prevents the event."""


def drafts(page: Page) -> list[str]:
    """Return the keys of the drafts in the browser."""
    stored_drafts: list[str] = page.evaluate(STORED)
    return stored_drafts


def leave(page: Page, name: str = "Bookings") -> None:
    """Go to another screen."""
    follow_entry(page, name)
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()


def is_back(page: Page, label: str, words: str) -> None:
    expect(page.get_by_label(label, exact=True)).to_have_value(words)
    expect(page.get_by_text("is not saved yet")).to_be_visible()


def test_a_draft_is_back_after_leaving_and_a_reload_until_it_is_saved(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site)
    page = back_office(booking.file)
    page.get_by_label(NOTE, exact=True).fill("She calls back")
    leave(page)
    page.go_back()
    is_back(page, NOTE, "She calls back")
    # The answer for the list that was left may still come and empty the page for a moment.
    expect(page.locator("html[data-connected] form[data-unsaved]")).to_be_visible()
    assert page.evaluate(ASKS)
    expect(page.locator("html[data-connected]")).to_be_attached()
    loaded_again = page.context.new_page()
    loaded_again.goto(page.url)
    is_back(loaded_again, NOTE, "She calls back")
    loaded_again.close()
    page.get_by_role("button", name="Save note").click()
    expect(page.get_by_text("Note saved.")).to_be_visible()
    expect(page.get_by_label(NOTE, exact=True)).to_have_value("")
    assert drafts(page) == []
    leave(page)
    assert audited(site, booking.reference) == ["booking.noted"]


def test_a_draft_can_be_discarded_when_it_is_back(site: RunningSite, back_office: BackOfficeOpener) -> None:
    sender = wrote(site)
    page = back_office(f"/admin/enquiry?ref={sender.reference}")
    page.get_by_label("Your reply").fill("Dear")
    leave(page, "Enquiries")
    page.go_back()
    is_back(page, "Your reply", "Dear")
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_label("Your reply")).to_have_value("")
    assert drafts(page) == []


def test_an_issue_that_is_being_written_survives_leaving_and_a_reload(back_office: BackOfficeOpener) -> None:
    page = back_office("/admin/newsletter", role=Role.EDITOR)
    page.get_by_label("Title", exact=True).fill("The queue")
    page.get_by_label("Text", exact=True).fill("People stop where others wait.")
    page.get_by_role("checkbox").first.check()
    leave(page, "Comments")
    page.go_back()
    is_back(page, "Text", "People stop where others wait.")
    expect(page.get_by_role("checkbox").first).to_be_checked()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page).to_have_url(re.compile("id=IS-"))
    expect(page.get_by_text("Not saved yet")).to_be_hidden()
    assert drafts(page) == []


def test_typing_goes_on_while_a_new_issue_is_saved(back_office: BackOfficeOpener) -> None:
    """The first save gives the page an address: that is not leaving, and later input belongs to the issue."""
    sockets: list[WebSocketRoute] = []
    held_answers: list[str | bytes] = []
    is_holding = False

    def hold_answers(route: WebSocketRoute) -> None:
        sockets.append(route)
        server = route.connect_to_server()
        server.on_message(lambda answer: held_answers.append(answer) if is_holding else route.send(answer))

    page = back_office(
        "/admin/newsletter",
        role=Role.EDITOR,
        prepare=lambda page: page.route_web_socket("**/_event/**", hold_answers),
    )
    page.get_by_label("Title", exact=True).fill(f"The queue {secrets.token_hex(4)}")
    page.get_by_label("Text", exact=True).fill("People stop where others wait.")
    is_holding = True
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_label("Summary").fill("Typed on")
    is_holding = False
    for answer in held_answers:
        sockets[-1].send(answer)
    expect(page).to_have_url(re.compile("id=IS-"))
    is_back(page, "Summary (optional)", "Typed on")
    expect(page.get_by_text("The record has changed")).to_have_count(0)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Not saved yet", exact=True)).to_be_hidden()
    expect(page.get_by_label("Summary")).to_have_value("Typed on")
    assert drafts(page) == []


def test_what_is_typed_while_an_answer_is_lost_stays_unsaved(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    """The connection is lost with the answer; the page learns of the outcome when it is connected again."""
    booking = client(site)
    sockets: list[WebSocketRoute] = []
    is_holding = False

    def drop_answers(route: WebSocketRoute) -> None:
        sockets.append(route)
        server = route.connect_to_server()
        server.on_message(lambda answer: None if is_holding else route.send(answer))

    page = back_office(booking.file, prepare=lambda page: page.route_web_socket("**/_event/**", drop_answers))
    page.get_by_label(NOTE, exact=True).fill("She calls back")
    is_holding = True
    page.get_by_role("button", name="Save note").click()
    wait_until(lambda: audited(site, booking.reference) == ["booking.noted"])
    page.get_by_label(NOTE, exact=True).fill("She calls back on Friday")
    is_holding = False
    sockets[-1].close()
    expect(page.locator("form[data-busy]")).to_have_count(0)
    expect(page.get_by_label(NOTE, exact=True)).to_have_value("She calls back on Friday")
    assert drafts(page) != []
    assert audited(site, booking.reference) == ["booking.noted"]


def test_drafts_belong_to_their_record(site: RunningSite, back_office: BackOfficeOpener) -> None:
    first, second = client(site), client(site)
    page = back_office(first.file)
    page.get_by_label(NOTE, exact=True).fill("Of the first")
    page.get_by_role("searchbox", name="Search").fill(second.reference)
    page.get_by_role("searchbox", name="Search").press("Enter")
    page.get_by_role("main").get_by_role("link", name=second.reference).first.click()
    expect(page.get_by_text(second.reference).first).to_be_visible()
    expect(page.get_by_label(NOTE, exact=True)).to_have_value("")


def test_signing_out_deletes_the_drafts(site: RunningSite, back_office: BackOfficeOpener) -> None:
    page = back_office(client(site).file)
    page.get_by_label(NOTE, exact=True).fill("Mine alone")
    leave(page)
    assert len(drafts(page)) == 1
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()
    assert drafts(page) == []


def test_the_next_account_on_the_browser_finds_no_draft(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    booking = client(site)
    page = back_office(booking.file)
    page.get_by_label(NOTE, exact=True).fill("Mine alone")
    leave(page)
    page.context.add_cookies([employ(site, Role.FRONT_DESK).cookie(site)])  # type: ignore[list-item]
    page.goto(booking.file)
    filled(page)
    expect(page.get_by_label(NOTE, exact=True)).to_have_value("")
    wait_until(lambda: drafts(page) == [])


def _type_note(page: Page) -> None:
    page.get_by_label(NOTE, exact=True).fill("She calls back")


def _type_name(page: Page) -> None:
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_label("Name", exact=True).fill("Njeri wa Thuo")


Form = tuple[Callable[[Page], None], str, str, str]
NOTES: Form = (_type_note, "Save note", "Note saved.", "booking.noted")
DETAILS: Form = (_type_name, "Save", "Details saved.", "booking.corrected")
EACH_FORM = pytest.mark.parametrize("form", [NOTES, DETAILS], ids=["note", "details"])


@EACH_FORM
@pytest.mark.parametrize("lost", ["connection", "answer"])
def test_a_submit_around_a_cut_is_applied_once(
    site: RunningSite, open_page: Opener, wire: Wire, form: Form, lost: str
) -> None:
    booking, member = client(site), employ(site, Role.FRONT_DESK)
    page = filled(open_page(wire.url + booking.file, cookies=[member.cookie(site)], expect=BROKEN))
    fill, button, _, action = form
    fill(page)
    if lost == "connection":
        wire.cut()
        expect(page.get_by_text("No connection to the server.")).to_be_visible()
        page.get_by_role("button", name=button, exact=True).click()
    else:
        wire.lose_answers()
        page.get_by_role("button", name=button, exact=True).click()
        wait_until(lambda: audited(site, booking.reference) == [action])
    wire.mend()
    wait_until(lambda: drafts(page) == [], 40)
    assert audited(site, booking.reference) == [action]


@EACH_FORM
def test_a_submit_that_the_server_never_got_is_sent_again(
    site: RunningSite, back_office: BackOfficeOpener, form: Form
) -> None:
    booking = client(site)
    dropped: list[str] = []

    def lose_the_first(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def send(message: str | bytes) -> None:
            if not dropped and "submission" in str(message):
                dropped.append(str(message))
                # The connection is lost with the messages in transit.
                server.close()
                route.close()
                return
            server.send(message)

        route.on_message(send)

    page = back_office(
        booking.file,
        prepare=lambda page: page.route_web_socket("**/_event/**", lose_the_first),
        expect=BROKEN,
    )
    fill, button, said, action = form
    fill(page)
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.get_by_text(said)).to_be_visible(timeout=30_000)
    assert len(dropped) == 1
    assert audited(site, booking.reference) == [action]
    assert drafts(page) == []
