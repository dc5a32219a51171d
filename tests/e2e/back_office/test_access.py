"""Every screen of the back office is accessible: each as an owner opens it, at 320 px and at desktop width.

Panels, dialogs and error messages are covered by the tests of each screen.
"""

from contextlib import closing

import httpx
import pytest
from playwright.sync_api import expect

from agency_site import clock
from agency_site.auth.rules import Role
from agency_site.content.articles import ARTICLES
from agency_site.features.editing.pictures.api import PICTURE_UPLOAD
from agency_site.features.editing.pictures.rules import PICTURE_FIELD
from agency_site.ids import new_reference
from agency_site.web.serving.edge import BACK_OFFICE, Site
from tests.e2e.back_office.buyers import buyer, imported, pay_by_hand, stored_coupon
from tests.e2e.back_office.clients import client
from tests.e2e.back_office.conftest import COOKIE, BackOfficeOpener, Member, employ, filled
from tests.e2e.back_office.senders import commented, moment, registered, signed_up, subscribed, wrote
from tests.e2e.back_office.test_course_runs import planned
from tests.e2e.back_office.test_newsletters import reference_of, saved, title
from tests.e2e.barriers import DESKTOP, barriers, expect_no_barriers, unseen_focus
from tests.e2e.conftest import RunningSite
from tests.pictures import photo

pytestmark = pytest.mark.thorough


def waiting(site: RunningSite) -> None:
    """Put a person on the waiting list of a course run."""
    reference, run = new_reference("WL"), planned(site)
    with closing(site.connect()) as connection:
        connection.execute(
            "INSERT INTO waiting_list_entries (version, reference, run_id, state, places, fullname, email, token_seed,"
            " token_hash, search, created_at, updated_at) SELECT 1, ?, id, 'waiting', 1, 'Otieno Wafula', 'waits@example.com',"
            " '', ?, '', ?, ? FROM course_runs WHERE reference = ?",
            (reference, reference, moment(), moment(), run),
        )


def texted(site: RunningSite) -> int:
    """Store a text message that failed; return its id."""
    with closing(site.connect()) as connection:
        stored = connection.execute(
            'INSERT INTO sms_messages (kind, "to", text, parts, purpose, about, requested_by, search, state, attempts,'
            " last_error, cost, currency, created_at) VALUES ('from-staff', '+254712345678', '\"Karibu.\"', 1, 'staff',"
            " 'BK-7F3K9Q', 'staff@example.com', '0712345678', 'failed', 1, 'Absent subscriber', 8000, 'KES', ?)",
            (moment(),),
        ).lastrowid
    assert stored is not None
    return stored


def viewed(site: RunningSite) -> None:
    """Count views of two pages from a campaign."""
    with closing(site.connect()) as connection:
        connection.executemany(
            "INSERT OR IGNORE INTO page_views (date, page, source, medium, campaign, views, visits)"
            " VALUES (?, ?, 'google', 'cpc', 'ads-november', 120, 80)",
            [(clock.today().isoformat(), "/"), (clock.today().isoformat(), "/book")],
        )


def employed(site: RunningSite) -> str:
    """Store a consultant who takes no new bookings, so that other tests book seats without a person; return the page."""
    reference = new_reference("CO")
    with closing(site.connect()) as connection:
        connection.execute(
            "INSERT INTO consultants (version, reference, name, email, seat, is_active, hours, ways, video_link, author,"
            " updated_at) SELECT 1, ?, 'Wanjiru Kamau', '', coalesce(max(seat) + 1, 0), 0, ?, 'karen video', '', 'tests', ?"
            " FROM consultants",
            (reference, '{"0": "09:00-13:00"}', moment()),
        )
    return f"/admin/consultant?ref={reference}"


def uploaded(site: RunningSite, cookie: str) -> str:
    """Upload a picture; return the address of its page."""
    headers = {"Cookie": cookie, "Origin": site.url, "Accept": "application/json"}
    answer = httpx.post(
        f"{site.url}{PICTURE_UPLOAD}", files={PICTURE_FIELD: ("a.jpg", photo())}, headers=headers
    )
    return f"/admin/picture?id={answer.json()['id']}"


def records(site: RunningSite, member: Member) -> dict[str, str]:
    """Put a row into every list; return the addresses of the pages of records."""
    signed_up(site)
    registered(site)
    with closing(site.connect()) as connection:
        connection.execute(
            "INSERT INTO audit_entries (at, actor, address, action, kind, reference, detail)"
            " VALUES (?, ?, '', 'staff.signed_in', 'staff', ?, '')",
            (moment(), member.email, member.email),
        )
    waiting(site)
    viewed(site)
    paying = buyer(site)
    ((learner,),) = site.rows("SELECT reference FROM learners WHERE email = ?", paying.email)
    ((mail,), *_) = site.rows('SELECT id FROM outbox_messages WHERE "to" = ?', paying.email)
    booked = client(site)
    return {
        "/admin/booking": booked.file,
        "/admin/consultant": employed(site),
        "/admin/client": f"/admin/client?list=bookings&ref={booked.reference}",
        "/admin/order": paying.file,
        "/admin/comment": f"/admin/comment?ref={commented(site).reference}",
        "/admin/subscriber": f"/admin/subscriber?ref={subscribed(site).reference}",
        "/admin/enquiry": f"/admin/enquiry?ref={wrote(site).reference}",
        "/admin/message": f"/admin/message?id={mail}",
        "/admin/text": f"/admin/text?id={texted(site)}",
        "/admin/staff/person": f"/admin/staff/person?id={member.account_id}",
        "/admin/search": "/admin/search?q=example",
        "/admin/learner": f"/admin/learner?ref={learner}",
        "/admin/run": f"/admin/run?ref={planned(site)}",
        "/admin/transaction": f"/admin/transaction?ref={pay_by_hand(site, 'RENT', 1_500)}",
        "/admin/coupon": f"/admin/coupon?ref={stored_coupon(site)}",
        "/admin/statements": imported(site, f"{COOKIE}={member.token}"),
        "/admin/entry": f"/admin/entry?kind=article&slug={ARTICLES[0].slug}",
        "/admin/picture": uploaded(site, f"{COOKIE}={member.token}"),
    }


def test_every_screen_is_accessible(
    site: RunningSite, back_office: BackOfficeOpener, published: Site
) -> None:
    member, named = employ(site, Role.OWNER), title()
    page, findings = saved(back_office, named, member=member, viewport=DESKTOP, reduced_motion="reduce"), []
    files = records(site, member) | {"/admin/newsletter": f"/admin/newsletter?id={reference_of(site, named)}"}
    screens = [path for path in sorted(published.pages) if BACK_OFFICE.match(path)]
    assert set(files) < set(screens)
    for path in screens:
        page.goto(files.get(path, path))
        filled(page)
        expect(page.locator(".office-empty")).to_have_count(0)
        findings += barriers(page)
        findings += [f"{path} focus: {complaint}" for complaint in unseen_focus(page)]
    expect_no_barriers(findings)
