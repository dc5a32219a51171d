"""A certificate from attendance to the public page: issued by staff, verified, tampered with, shown without the name, revoked."""

import re
from collections.abc import Iterator
from contextlib import closing

import pytest
from playwright.sync_api import Page, expect

from agency_site.auth.rules import Role
from tests.e2e.back_office.conftest import BackOfficeOpener, audited
from tests.e2e.barriers import DESKTOP, NARROW, barriers, expect_no_barriers
from tests.e2e.conftest import Opener, RunningSite
from tests.e2e.test_learners import add_run, buy, cancel_run, find_link

pytestmark = pytest.mark.thorough

NAME = "Naliaka Barasa"


@pytest.fixture
def run(site: RunningSite) -> Iterator[str]:
    """Return the run of `add_run`."""
    reference = add_run(site)
    yield reference
    cancel_run(site, reference)


def finish(site: RunningSite, run: str) -> str:
    """Mark all sessions of the finished run as attended by its named learners; return the reference of the first."""
    run_id = "SELECT id FROM course_runs WHERE reference = ?"
    with closing(site.connect()) as connection:
        connection.execute(
            f"UPDATE course_sessions SET starts_at = datetime(starts_at, '-20 days') || '.000000' WHERE run_id = ({run_id})",
            (run,),
        )
        connection.execute(
            "UPDATE course_runs SET starts_at = datetime(starts_at, '-20 days') || '.000000',"
            " ends_at = datetime(ends_at, '-20 days') || '.000000' WHERE reference = ?",
            (run,),
        )
        connection.execute(
            "INSERT OR IGNORE INTO attendances (session_id, learner_id, at, author)"
            " SELECT s.id, l.id, s.starts_at, 'staff@example.com'"
            " FROM course_sessions s JOIN enrolments e ON e.run_id = s.run_id JOIN learners l ON l.enrolment_id = e.id"
            f" WHERE l.email != '' AND s.run_id = ({run_id})",
            (run,),
        )
    ((learner,),) = site.rows(
        "SELECT l.reference FROM learners l JOIN enrolments e ON e.id = l.enrolment_id JOIN course_runs r ON r.id = e.run_id"
        " WHERE l.email != '' AND r.reference = ? ORDER BY l.id LIMIT 1",
        run,
    )
    return str(learner)


def test_a_certificate_is_issued_checked_shown_without_the_name_and_revoked(
    site: RunningSite, back_office: BackOfficeOpener, open_page: Opener, run: str
) -> None:
    buy(site, run)
    learner = finish(site, run)
    page = back_office(f"/admin/run?ref={run}", role=Role.OWNER, viewport=DESKTOP, reduced_motion="reduce")
    issue(page)
    ((email, serial),) = site.rows(
        "SELECT l.email, c.serial FROM certificates c JOIN learners l ON l.id = c.learner_id WHERE l.reference = ?",
        learner,
    )
    learner_page = open_page(find_link(site, str(email), "learner"))
    expect_no_barriers(barriers(learner_page, "a learner's page with a certificate"))
    public = open_page(f"/certificate/{serial}", scripts=False)
    expect(public.get_by_role("heading", name="This certificate is valid")).to_be_visible()
    expect(public.get_by_text(NAME)).to_be_visible()
    expect_no_barriers(barriers(open_page(f"/certificate/{serial}"), "a certificate"))
    take_name_off(learner_page)
    public.reload()
    expect(public.get_by_text(NAME)).to_have_count(0)
    tampered = f"{str(serial)[:-1]}{'A' if str(serial)[-1] != 'A' else 'C'}"
    unknown = open_page(f"/certificate/{tampered}", scripts=False, expect=("404",))
    expect(unknown.get_by_text("It is not valid.")).to_be_visible()
    page.goto(f"/admin/learner?ref={learner}")
    revoke(page)
    public.reload()
    expect(public.get_by_role("heading", name="This certificate is not valid")).to_be_visible()
    assert audited(site, learner) == ["certificate.revoked"]


def issue(page: Page) -> None:
    page.get_by_role("button", name="Issue certificates").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("listitem")).not_to_have_count(0)
    expect_no_barriers(barriers(page, "issuing certificates", widths=[NARROW], within="dialog[open]"))
    dialog.get_by_role("button", name="Issue and send e-mails").click()
    expect(page.get_by_text(re.compile(r"certificates? issued\."))).to_be_visible()


def take_name_off(page: Page) -> None:
    page.get_by_role("button", name="Hide my name on that page").click()
    expect(page.get_by_text("no longer shows your name")).to_be_visible()


def revoke(page: Page) -> None:
    page.get_by_role("button", name="Revoke certificate").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Revoke").click()
    expect(dialog.get_by_text("Please say why.")).to_be_visible()
    dialog.get_by_label("Reason").fill("Issued by mistake")
    expect_no_barriers(barriers(page, "revoking", widths=[NARROW], within="dialog[open]"))
    dialog.get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("Certificate revoked: its page says")).to_be_visible()
