"""No screen of the back office keeps anybody out: each as an owner opens it, at 320 px and at desktop width.

Panels, dialogs and faults stand beside what they do, in the tests of each screen.
"""

from agency_site.staff.screens import screens
from tests.e2e.barriers import DESKTOP, NARROW, clear, violations
from tests.e2e.conftest import RunningSite
from tests.e2e.office.buyers import buyer
from tests.e2e.office.clients import client
from tests.e2e.office.conftest import OfficeOpener, filled
from tests.e2e.office.letters import commented, subscribed, wrote


def test_no_screen_keeps_anybody_out(site: RunningSite, office: OfficeOpener) -> None:
    files = {
        "/admin/booking": client(site).file,
        "/admin/order": buyer(site).file,
        "/admin/comment": f"/admin/comment?ref={commented(site).reference}",
        "/admin/subscriber": f"/admin/subscriber?ref={subscribed(site).reference}",
        "/admin/enquiry": f"/admin/enquiry?ref={wrote(site).reference}",
        "/admin/search": "/admin/search?q=example",
    }
    page, found = office("/admin", viewport=DESKTOP, reduced_motion="reduce"), []
    for screen in screens():
        page.goto(files.get(screen.path, screen.path))
        filled(page)
        for viewport in (DESKTOP, NARROW):
            page.set_viewport_size(viewport)  # type: ignore[arg-type]
            found += [f"{page.url} at {viewport['width']}: {one}" for one in violations(page)]
    clear(found)
