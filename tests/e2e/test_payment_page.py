"""What the payment page shows and says, apart from how payments end."""

import re

import pytest
from playwright.sync_api import Locator, expect

from agency_site.content.courses import COURSES
from agency_site.money import kes
from tests.e2e.back_office.buyers import stored_coupon
from tests.e2e.barriers import barriers, expect_no_barriers
from tests.e2e.conftest import PHONE, Opener, RunningSite, hydrated, until
from tests.e2e.test_payment import (
    PATIENCE,
    PAY_FIRST,
    PAY_FIRST_PATH,
    alert,
    answer_prompt,
    fill,
    leave_next_prompt_open,
    modal,
    start,
)
from tests.example_records import DEAR_COURSE, OTHER_COURSE, PAID_COURSE

pytestmark = pytest.mark.thorough


def left_of(first: Locator, other: Locator) -> bool:
    """Return whether `first` ends before `other` begins, side by side."""
    here, there = first.bounding_box(), other.bounding_box()
    assert here
    assert there
    return here["x"] + here["width"] <= there["x"]


def test_s2_the_left_panel_names_the_course_and_says_what_it_is_about(open_page: Opener) -> None:
    course = PAID_COURSE
    page = open_page(f"/payment?course={PAID_COURSE.slug}")
    panel = page.get_by_role("region", name="What you are enrolling in")
    expect(panel.get_by_role("heading", name=course.payment_name)).to_be_visible()
    expect(panel.get_by_text(course.summary, exact=True)).to_be_visible()
    expect(panel.get_by_text("Certification of Completion")).to_be_visible()
    form = page.get_by_role("form", name="Enrol and pay")
    assert left_of(panel, form)
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert not left_of(panel, form)


@pytest.mark.parametrize("scripts", [True, False])
def test_without_a_course_the_page_asks_which_and_names_no_price_as_due(
    open_page: Opener, scripts: bool
) -> None:
    page = open_page("/payment", scripts=scripts)
    for course in COURSES:
        price = "Free" if course.free else kes(course.payment_price)
        item = page.get_by_role("region", name="Courses and their prices").get_by_role("listitem")
        expect(item.filter(has_text=course.payment_name)).to_contain_text(price)
    expect(page.get_by_text("You are enrolling in")).to_have_count(0)
    expect(page.get_by_role("button", name=re.compile("^Pay"))).to_have_count(0)
    page.get_by_role("link", name=DEAR_COURSE.payment_name).click()
    expect(
        page.get_by_role("button", name=f"Pay {kes(DEAR_COURSE.payment_price)}", exact=True)
    ).to_be_visible()


def test_r8_another_course_of_the_list_changes_name_and_total(open_page: Opener) -> None:
    page = open_page("/payment")
    selector = page.get_by_label("Course", exact=True)
    offered = [option.inner_text() for option in selector.get_by_role("option").all()]
    assert offered == ["Choose a course", *(course.payment_name for course in COURSES)]
    selector.select_option(label=DEAR_COURSE.payment_name)
    panel = page.get_by_role("region", name="What you are enrolling in")
    expect(panel.get_by_role("heading", level=2)).to_have_text(DEAR_COURSE.payment_name)
    expect(
        page.get_by_role("button", name=f"Pay {kes(DEAR_COURSE.payment_price)}", exact=True)
    ).to_be_visible()
    page.get_by_role("button", name="One place more").click()
    expect(
        page.get_by_role("button", name=f"Pay {kes(2 * DEAR_COURSE.payment_price)}", exact=True)
    ).to_be_visible()
    fill(page, "chooser@example.com")
    page.get_by_role("button", name=f"Pay {kes(2 * DEAR_COURSE.payment_price)}", exact=True).click()
    expect(modal(page)).to_contain_text(f"{DEAR_COURSE.payment_name} · {kes(2 * DEAR_COURSE.payment_price)}")


def test_s2_the_modal_shows_the_fixed_prefix_before_the_number(open_page: Opener) -> None:
    page = open_page(PAY_FIRST_PATH)
    fill(page, "prefix@example.com")
    page.get_by_role("button", name=PAY_FIRST, exact=True).click()
    prefix = modal(page).get_by_text("+254", exact=True)
    expect(prefix).to_be_visible()
    number = modal(page).get_by_label("M-Pesa number")
    assert left_of(prefix, number)
    # What was typed a moment ago is not asked for again.
    expect(number).to_have_value("712 345 678")
    expect(number).to_be_focused()
    assert prefix.evaluate("e => !e.isContentEditable && e.tagName !== 'INPUT'")


def test_s4_the_close_button_dismisses_the_modal_and_keeps_what_was_typed(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page(PAY_FIRST_PATH)
    fill(page, "closer@example.com")
    page.get_by_role("button", name=PAY_FIRST, exact=True).click()
    modal(page).get_by_role("button", name="Close").click()
    expect(modal(page)).to_be_hidden()
    expect(page.get_by_label("First Name")).to_have_value("Amina")
    expect(page.get_by_role("button", name=PAY_FIRST, exact=True)).to_be_focused()
    assert site.rows("SELECT count(*) FROM orders WHERE email = 'closer@example.com'") == [(0,)]


def test_s4_the_pay_button_says_processing_and_rests_while_busy(site: RunningSite, open_page: Opener) -> None:
    page = open_page(f"/payment?course={OTHER_COURSE.slug}")
    with site.occupied():
        dialog = start(page, "processing@example.com", "712345114")
        expect(dialog.get_by_role("button", name="Processing...", exact=True)).to_be_disabled()
    expect(alert(dialog, "payment valid")).to_be_visible(timeout=PATIENCE)


def test_s8_the_prompt_is_announced_in_mpesas_own_words(site: RunningSite, open_page: Opener) -> None:
    page = open_page(f"/payment?course={OTHER_COURSE.slug}")
    leave_next_prompt_open(site)
    dialog = start(page, "announced@example.com", "712357111")
    expect(alert(dialog, "Success. Request accepted for processing")).to_be_visible()
    expect(alert(dialog, "payment valid")).to_have_count(0)
    answer_prompt(site, "254712357111")


def test_s4_the_page_polls_ten_times_and_no_more(site: RunningSite, open_page: Opener) -> None:
    page = open_page("/about")
    looks: list[str] = []

    def note(frame: str | bytes) -> None:
        if "payment_page_state.poll" in str(frame):
            looks.append(str(frame))

    page.on("websocket", lambda socket: socket.on("framesent", note))
    page.goto(f"/payment?course={OTHER_COURSE.slug}")
    hydrated(page)
    page.clock.install()
    leave_next_prompt_open(site)
    dialog = start(page, "patience@example.com", "712358111")
    expect(alert(dialog, "payment not found")).to_be_visible(timeout=PATIENCE)
    # The page does not wait for the answer to one poll before it sends the next: those in transit are ignored.
    count = len(looks)
    assert count >= 10
    page.clock.fast_forward("01:00")
    until(page, "true")
    assert len(looks) == count
    answer_prompt(site, "254712358111")


def test_a_coupon_is_named_at_its_field_or_taken_off_before_paying(
    site: RunningSite, open_page: Opener
) -> None:
    code = stored_coupon(site)
    page = open_page(f"/payment?course={PAID_COURSE.slug}", reduced_motion="reduce")
    fill(page, "coupon@example.com")
    coupon = page.get_by_label("Coupon code")
    coupon.fill("NO-SUCH")
    page.get_by_role("button", name=f"Pay {kes(PAID_COURSE.payment_price)}", exact=True).click()
    expect(page.get_by_text("We have no coupon with this code for this course.").first).to_be_visible()
    expect(coupon).to_have_attribute("aria-invalid", "true")
    expect(coupon).to_have_value("NO-SUCH")
    expect(page.get_by_label("First Name")).to_have_value("Amina")
    expect_no_barriers(barriers(page))
    coupon.fill(code.lower())
    page.get_by_role("button", name=f"Pay {kes(PAID_COURSE.payment_price)}", exact=True).click()
    expect(modal(page)).to_contain_text(
        f"{kes(PAID_COURSE.payment_price)} less {kes(PAID_COURSE.payment_price // 10)} with {code}"
    )
    expect_no_barriers(barriers(page))
    page.get_by_label("M-Pesa number").fill("712351111")
    modal(page).get_by_role("button", name="Pay KES 13,500", exact=True).click()
    expect(alert(modal(page), "payment valid")).to_be_visible(timeout=PATIENCE)
    charged = "SELECT amount, discount, coupon_code FROM orders WHERE email = 'coupon@example.com'"
    assert site.rows(charged) == [(13_500, 1_500, code)]
