"""Header, footer, focus and error pages: what every page shares."""

import re
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import Locator, Page, expect

from agency_site import clock
from tests.e2e.conftest import PHONE, Opener, PageReader, RunningSite, reach, untouched
from tests.e2e.test_hydration import Held


def resources(page: Page) -> Locator:
    """The list under the desktop's Resources button."""
    return page.locator("#resources-menu")


def resources_button(page: Page) -> Locator:
    """Return the control that opens the menu."""
    return page.locator(".dropdown > summary")


def test_resources_opens_on_hover_and_closes_on_leave(open_page: Opener) -> None:
    page = open_page("/book")
    expect(resources(page)).to_be_hidden()
    resources_button(page).hover()
    expect(resources(page)).to_be_visible()
    page.get_by_role("heading", level=1).hover()
    expect(resources(page)).to_be_hidden()


def test_resources_opens_by_keyboard_and_closes_on_escape(open_page: Opener) -> None:
    page = open_page("/book", ready=untouched)
    page.get_by_role("link", name="Academy").first.focus()
    page.keyboard.press("Tab")
    expect(resources_button(page)).to_be_focused()
    page.keyboard.press("Enter")
    expect(resources(page)).to_be_visible()
    page.keyboard.press("Tab")
    expect(resources(page).get_by_role("link", name="All resources")).to_be_focused()
    page.keyboard.press("Escape")
    expect(resources(page)).to_be_hidden()
    expect(resources_button(page)).to_be_focused()


def test_resources_opens_on_click_and_closes_on_link_click(open_page: Opener) -> None:
    page = open_page("/book")
    resources_button(page).click()
    expect(resources(page)).to_be_visible()
    channel = resources(page).get_by_role("link", name=re.compile("Video channel"))
    expect(channel).to_have_attribute("target", "_blank")
    page.evaluate(
        "document.querySelector('#resources-menu a').addEventListener('click', e => e.preventDefault())"
    )
    resources(page).get_by_role("link", name="All resources").click()
    expect(resources(page)).to_be_hidden()


def test_menus_work_without_scripts(open_page: Opener) -> None:
    page = open_page("/book", scripts=False)
    resources_button(page).click()
    expect(resources(page)).to_be_visible()
    phone = open_page("/book", scripts=False, viewport=PHONE)
    phone.locator(".menu > summary").click()
    expect(phone.get_by_role("link", name="Book a Session")).to_be_visible()


def test_the_mobile_menu_folds_its_submenu_when_opened_and_closes_on_a_link(open_page: Opener) -> None:
    page = open_page("/book", viewport=PHONE)
    toggle = page.locator(".menu > summary")
    menu = page.get_by_role("navigation", name="Menu")
    toggle.click()
    for name in ("LinkedIn", "Instagram", "Facebook", "X", "YouTube"):
        expect(menu.get_by_role("link", name=re.compile(f"^{name} "))).to_be_visible()
    submenu = menu.locator("details")
    submenu.locator("summary").click()
    expect(menu.get_by_role("link", name="All resources")).to_be_visible()
    toggle.click()
    toggle.click()
    expect(menu.get_by_role("link", name="All resources")).to_be_hidden()
    menu.get_by_role("link", name="Home").click()
    expect(page).to_have_url(re.compile("/$"))
    expect(page.get_by_role("navigation", name="Menu")).to_be_hidden()


@pytest.mark.thorough
def test_the_mobile_menu_opened_before_hydration_stays_open(open_page: Opener) -> None:
    held = Held()
    page = open_page("/about", viewport=PHONE, prepare=held.hold, ready=untouched)
    reach(page)
    page.locator(".menu > summary").click()
    held.release()
    expect(page.locator("html[data-hydrated]")).to_be_attached()
    expect(page.get_by_role("link", name="Book a Session")).to_be_visible()
    page.get_by_role("navigation", name="Menu").get_by_role("link", name="Academy", exact=True).click()
    expect(page).to_have_url(re.compile("/academy$"))
    expect(page.get_by_role("navigation", name="Menu")).to_be_hidden()


@pytest.mark.thorough
def test_resources_stay_closed_under_a_pointer_that_rests_after_a_navigation(open_page: Opener) -> None:
    page = open_page("/about")
    resources_button(page).hover()
    resources(page).get_by_role("link", name="All resources").click()
    expect(page).to_have_url(re.compile("/resources$"))
    expect(resources(page)).to_be_hidden()


def test_s2_header_links_and_buttons_are_as_specified(read_page: PageReader) -> None:
    page = read_page("/")
    links = page.select_all('nav[aria-label="Main"] > a')
    assert [link["href"] for link in links] == [
        "/",
        "/about",
        "/services",
        "/academy",
        "/contact",
        "/blog",
    ]
    assert page.get_by_role("banner").get_by_role("link", "Book a Consultation")["href"] == "/book"


def test_s2_the_footer_has_links_contact_newsletter_and_year(read_page: PageReader) -> None:
    footer = read_page("/").get_by_role("contentinfo")
    links = footer.get_by_role("navigation", "Quick links").get_all_by_role("link")
    assert [link["href"] for link in links] == ["/about", "/services", "/portfolio", "/academy", "/insights"]
    assert "Karen" in footer.text
    footer.get_by_label("Where shall we send it?")
    assert f"© {clock.today().year}" in footer.text


@pytest.mark.thorough
def test_s4_the_footer_newsletter_thanks_for_five_seconds_and_clears(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page("/book")
    page.clock.install()
    page.reload()
    reach(page)
    expect(page.locator("html[data-connected]")).to_be_attached()
    field = page.get_by_label("Where shall we send it?")
    field.fill("   ")
    page.get_by_role("button", name="Subscribe").click()
    field.fill("letters@example.com")
    page.get_by_role("button", name="Subscribe").click()
    thanks = page.get_by_text("Thank you for subscribing!")
    expect(thanks).to_be_visible()
    expect(field).to_have_value("")
    # The clock goes on by itself too, and longer on a busy machine.
    page.clock.fast_forward(2500)
    expect(thanks).to_be_visible()
    page.clock.fast_forward(3000)
    expect(thanks).to_be_hidden()
    assert site.rows("SELECT email FROM subscribers WHERE email LIKE 'letters%'") == [
        ("letters@example.com",)
    ]


def test_the_skip_link_leads_to_the_content(open_page: Opener) -> None:
    page = open_page("/book")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()


def test_s8_an_unmatched_path_answers_404_with_a_way_on(read_page: PageReader) -> None:
    main = read_page("/no-such-page", status=404).get_by_role("main")
    main.get_by_role("heading", "Unexpected Application Error!", level=1)
    assert "404 Not Found" in main.text
    assert "This page is not here." in main.text
    assert [link["href"] for link in main.get_all_by_role("link")] == ["/", "/services", "/academy"]


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/web-design", "/services/web-design"),
        ("/Book", "/book"),
        ("/book/", "/book"),
        ("/BOOK/?a=1", "/book?a=1"),
        ("/Visual-blog", "/visual-blog"),
    ],
)
def test_other_spellings_lead_to_the_registered_path_for_good(
    site: RunningSite, path: str, target: str
) -> None:
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: object) -> None:
            return None

    with pytest.raises(urllib.error.HTTPError) as answer:
        urllib.request.build_opener(Stay).open(f"{site.url}{path}")
    assert (answer.value.code, answer.value.headers["Location"]) == (308, target)
    answer.value.close()


def test_the_home_page_leads_to_booking_and_payment(read_page: PageReader) -> None:
    targets = [link["href"] for link in read_page("/").get_by_role("main").get_all_by_role("link")]
    assert "/book" in targets
    assert any(target.startswith("/payment") for target in targets)


@pytest.mark.thorough
@pytest.mark.parametrize("path", ["/about", "/contact", "/order/unknown"])
def test_a_server_that_runs_since_last_year_shows_the_new_year(open_page: Opener, path: str) -> None:
    page = open_page(
        path, prepare=lambda page: page.clock.set_system_time("2031-01-02T08:00:00Z"), expect=("404",)
    )
    expect(page.get_by_role("contentinfo")).to_contain_text("© 2031")
    assert set(page.locator(".this-year").all_inner_texts()) == {"2031"}
