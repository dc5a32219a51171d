"""About, contact, resources, plan sign-up, newsletter, and other spellings of paths."""

import json
import re
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import Page, Route, expect

from agency_site import clock
from agency_site.content.about import REASONS, TEAM, VALUES
from agency_site.content.brand import BRAND
from tests.e2e.conftest import PHONE, Opener, PageReader, RunningSite, hydrated, until, untouched
from tests.e2e.test_hydration import Held

SIGNUP = {
    "Full Name": "Wanjiru Kamau", "Email": "wanjiru@example.com", "Phone": "0712 345 678", "Domain Name": "wanjiru.co.ke",
}  # fmt: skip

NO_GUARD = ":not([name=remark], [name=proof], [name=stamp])"
"""The fields of a form that people fill in."""


def form(page: Page, name: str) -> Page:
    return page.get_by_role("form", name=name)  # type: ignore[return-value]


def test_s2_about_shows_story_mission_vision_values_reasons_and_eleven_people(read_page: PageReader) -> None:
    page = read_page("/about")
    assert "2016" in page.get_by_role("heading", level=1).text
    for heading in ("Our story", "Our mission", "Our vision", *(value.title for value in VALUES)):
        page.get_by_text(heading)
    for reason in REASONS:
        page.get_by_role("heading", reason.title)
    people = page.select_all("#team article")
    assert [person.get_by_role("heading").text for person in people] == [member.name for member in TEAM]
    assert len(people) == 11


@pytest.mark.thorough
def test_s4_a_team_photo_that_fails_before_hydration_shows_the_initials(open_page: Opener) -> None:
    def prepare(page: Page) -> None:
        page.route("**/team-3.svg", lambda route: route.abort())

    page = open_page("/about", prepare=prepare, ready=untouched, expect=("ERR_FAILED",))
    card = page.locator("#team article").nth(2)
    card.evaluate("card => card.scrollIntoView()")
    expect(card.locator("img")).to_be_hidden()
    expect(page.locator("html[data-hydrated]")).not_to_be_attached()


@pytest.mark.thorough
@pytest.mark.parametrize("late", [False, True])
def test_s4_a_team_photo_that_fails_is_hidden_and_the_initials_show(open_page: Opener, late: bool) -> None:
    page = open_page("/", expect=("ERR_FAILED",))
    page.route("**/team-3.svg", lambda route: route.abort())
    if late:
        page.get_by_role("link", name="About", exact=True).first.click()
    else:
        page.goto("/about")
        hydrated(page)
    card = page.locator("#team article").nth(2)
    card.scroll_into_view_if_needed()
    expect(card.get_by_text("NW", exact=True)).to_be_visible()
    expect(card.locator("img")).to_be_hidden()
    expect(page.locator("#team article").nth(1).locator("img")).to_be_visible()


def test_s2_contact_names_address_phone_email_hours_profiles_and_the_year(read_page: PageReader) -> None:
    page = read_page("/contact")
    main = page.get_by_role("main")
    assert f"{BRAND.address}, {BRAND.city}" in main.text
    assert {link["href"] for link in main.get_all_by_role("link", BRAND.phone)} == {f"tel:{BRAND.phone_e164}"}
    assert main.get_by_role("link", BRAND.email)["href"] == f"mailto:{BRAND.email}"
    hours = page.get_by_role("region", "Business hours")
    assert [line.text for line in hours.select_all("dl > div")] == [
        "Monday to Friday 8:00 AM to 5:00 PM",
        "Saturday 9:00 AM to 1:00 PM",
        "Sunday closed",
    ]
    assert str(clock.today().year) in hours.text
    profiles = page.get_by_role("region", "Social media").get_all_by_role("link")
    assert [profile["target"] for profile in profiles] == ["_blank"] * 5


@pytest.mark.thorough
@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
def test_s2_the_map_contacts_no_other_site_before_the_click(open_page: Opener, scripts: bool) -> None:
    page = open_page("/contact", scripts=scripts)
    requests: list[str] = []

    def answer(route: Route) -> None:
        requests.append(route.request.url)
        route.fulfill(status=200, content_type="text/html", body="<p>Karen</p>")

    page.route("**/*openstreetmap.org/**", answer)
    show = page.get_by_role("link", name="Show the live map")
    show.scroll_into_view_if_needed()
    expect(page.get_by_role("img", name=re.compile("^Drawn map"))).to_be_visible()
    assert requests == []
    show.click()
    expect(page.frame_locator("iframe").get_by_text("Karen")).to_be_visible()
    assert len(requests) == 1


def test_s5_the_contact_form_has_an_email_type_and_no_required_boxes(read_page: PageReader) -> None:
    contact = read_page("/contact").get_by_role("form", "Write to us")
    boxes = contact.select_all(f":is(input, textarea){NO_GUARD}")
    assert [box["name"] for box in boxes] == ["name", "email", "subject", "message"]
    assert [box["name"] for box in boxes if "type" in box] == ["email"]
    assert contact.get_by_label("Email")["type"] == "email"
    assert [box["name"] for box in boxes if "required" in box] == []


def test_r11_the_contact_form_sends_and_loses_nothing_on_an_error(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page("/contact?subject=Hello%20there")
    fields = form(page, "Write to us")
    expect(fields.get_by_label("Subject")).to_have_value("Hello there")
    fields.get_by_label("Name").fill("Wanjiru")
    fields.get_by_label("Email").fill("wanjiru at example")
    fields.get_by_role("button", name="Send message").click()
    expect(fields.get_by_text("Please enter a valid e-mail address")).to_be_visible()
    expect(fields.get_by_text("Please write your message.")).to_be_visible()
    expect(fields.get_by_label("Email")).to_have_value("wanjiru at example")
    fields.get_by_label("Email").fill("wanjiru@example.com")
    fields.get_by_label("Message").fill("We open a second branch in March.")
    fields.get_by_role("button", name="Send message").click()
    expect(page.get_by_role("alert")).to_contain_text("Thank you for your message, Wanjiru!")
    for label in ("Name", "Email", "Subject", "Message"):
        expect(fields.get_by_label(label)).to_have_value("")
    notices = [text for kind, _, text in site.mails(BRAND.staff_email) if kind == "staff-message"]
    assert sum("We open a second branch in March." in text for text in notices) == 1
    assert "message-received" in [kind for kind, _, _ in site.mails("wanjiru@example.com")]


@pytest.mark.specification
@pytest.mark.parametrize(("slug", "plan"), [("starter", "Starter"), ("growth", "Growth"), ("pro", "Pro")])
def test_s4_the_plan_of_the_route_is_capitalised_into_the_form(
    read_page: PageReader, slug: str, plan: str
) -> None:
    main = read_page(f"/signup/{slug}").get_by_role("main")
    assert main.get_by_label("Plan").select("option[selected]")["value"] == plan
    assert main.get_all_by_role("status") == []


def test_heading_and_summary_follow_the_plan_that_is_chosen_in_the_form(open_page: Opener) -> None:
    page = open_page("/signup/growth")
    heading, glance = page.get_by_role("heading", level=1), page.get_by_role("heading", name="at a glance")
    expect(heading).to_have_text("Sign up for Growth")
    page.get_by_label("Plan").select_option("Pro")
    expect(heading).to_have_text("Sign up for Pro")
    expect(glance).to_have_text("Pro at a glance")
    expect(page.get_by_text("7,500 ksh")).to_be_visible()
    expect(page.get_by_text("5,500 ksh")).to_be_hidden()
    page.goto("/signup/starter")
    hydrated(page)
    expect(heading).to_have_text("Sign up for Starter")


def test_a_plan_chosen_before_hydration_stays_with_its_heading(open_page: Opener) -> None:
    held = Held()
    page = open_page("/signup/growth", prepare=held.hold, ready=untouched)
    page.get_by_label("Plan").select_option("Pro")
    held.release()
    hydrated(page)
    expect(page.get_by_label("Plan")).to_have_value("Pro")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign up for Pro")


def test_s8_signing_up_thanks_with_the_exact_text(site: RunningSite, open_page: Opener) -> None:
    page = open_page("/signup/growth", viewport=PHONE)
    sign_up = form(page, "Your details")
    for label, value in SIGNUP.items():
        sign_up.get_by_label(label, exact=True).fill(value)
    sign_up.get_by_label("I have an existing domain").check()
    sign_up.get_by_label("Plan").select_option("Pro")
    sign_up.get_by_role("button", name="Sign up").click()
    thanks = "Thank you for choosing our Pro plan! We’ll contact you shortly."  # noqa: RUF001 - the specification's text
    expect(page.get_by_role("alert")).to_have_text(thanks)
    expect(page.get_by_role("alert")).to_be_focused()
    expect(sign_up.get_by_label("Full Name")).to_have_value("")
    expect(sign_up.get_by_label("Plan")).to_have_value("Growth")
    subjects = [subject for kind, subject, _ in site.mails(BRAND.staff_email) if kind == "staff-signup"]
    assert subjects.count("Plan sign-up: Pro, Wanjiru Kamau") == 1
    assert "signup-received" in [kind for kind, _, _ in site.mails("wanjiru@example.com")]


def test_s5_every_field_of_the_plan_form_is_required(open_page: Opener) -> None:
    page = open_page("/signup/starter")
    sign_up = form(page, "Your details")
    boxes = sign_up.locator(f":is(input, select){NO_GUARD}")
    assert {box.get_attribute("name") for box in boxes.all()} == {
        "fullName", "email", "phone", "domainType", "domainName", "plan",
    }  # fmt: skip
    fields = sign_up.locator(f"input{NO_GUARD}")
    assert all(box.get_attribute("required") is not None for box in fields.all())
    # HTML takes `required` on a list only with an empty option; here one plan is always chosen.
    expect(sign_up.get_by_label("Plan")).to_have_value("Starter")
    sign_up.get_by_role("button", name="Sign up").click()
    expect(sign_up.locator(".field-error:visible")).to_have_count(4)
    expect(sign_up.get_by_text("Please enter the domain name.")).to_be_visible()


def test_r4_an_unknown_plan_falls_back_to_starter_with_a_note(site: RunningSite, open_page: Opener) -> None:
    with urllib.request.urlopen(f"{site.url}/signup/gold") as answered:
        assert answered.status == 200
    page = open_page("/signup/gold")
    expect(page.get_by_text("We have no plan of that name")).to_be_visible()
    expect(page.get_by_label("Plan")).to_have_value("Starter")
    page.get_by_label("Plan").select_option("Pro")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign up for Pro")


def test_r2_resources_lead_to_blog_video_channel_webinars_and_newsletter(read_page: PageReader) -> None:
    main = read_page("/resources").get_by_role("main")
    for href in ("/blog", "/webinar", "/newsletter", "/insights"):
        main.select(f'a[href="{href}"]')
    assert main.select(f'a[href="{BRAND.video_channel}"]')["target"] == "_blank"
    main.get_by_role("region", "Newsletter")


def test_s4_the_newsletter_page_thanks_with_the_address_and_lets_one_subscribe_again(
    site: RunningSite, open_page: Opener
) -> None:
    page = open_page("/newsletter")
    fields = form(page, "Subscribe to the newsletter")
    ticked = {
        name: fields.get_by_label(name, exact=True).is_checked()
        for name in ("Marketing", "SEO", "Social media", "Analytics")
    }
    assert ticked == {"Marketing": True, "SEO": False, "Social media": False, "Analytics": False}
    expect(fields.get_by_label("Email marketing")).not_to_be_checked()
    fields.get_by_role("button", name="Subscribe").click()
    expect(fields.get_by_text("Please enter your e-mail address.")).to_be_visible()
    expect(fields.get_by_text("Please tick this box")).to_be_visible()
    fields.get_by_label("Email", exact=True).fill("Letter@Example.com")
    fields.get_by_label("Email marketing").check()
    fields.get_by_label("I agree").check()
    fields.get_by_role("button", name="Subscribe").click()
    expect(page.get_by_role("heading", name="Thank you for subscribing!")).to_be_focused()
    expect(page.get_by_role("main")).to_contain_text("letter@example.com")
    [(interests, consent)] = site.rows(
        "SELECT interests, consented_at FROM subscribers WHERE email = ?", "letter@example.com"
    )
    assert json.loads(str(interests)) == ["marketing", "email"]
    assert consent is not None
    page.get_by_role("button", name="Subscribe Again").click()
    expect(fields.get_by_label("Email", exact=True)).to_have_value("")
    expect(fields.get_by_label("Email marketing")).not_to_be_checked()


@pytest.mark.specification
def test_s2_newsletter_has_benefits_recent_issues_and_questions(read_page: PageReader) -> None:
    page = read_page("/newsletter")
    for heading in ("Why four minutes on a Wednesday pay", "Recent issues", "Questions, answered"):
        page.get_by_role("heading", heading)
    disclosures = [item.text for item in page.select_all("main details")]
    for summary, text in (
        ("How do I unsubscribe?", "Every issue has an unsubscribe link"),
        ("Your till number is a headline", "read your own poster from four metres"),
    ):
        assert [text in disclosure for disclosure in disclosures if summary in disclosure] == [True]


def test_r2_spellings_are_permanent_redirects_over_http(site: RunningSite) -> None:
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_anything: object) -> None:
            return None

    opener = urllib.request.build_opener(Stay)
    for spelling, registered in (("/About/", "/about"), ("/web-design", "/services/web-design")):
        with pytest.raises(urllib.error.HTTPError) as answered:
            opener.open(site.url + spelling)
        with answered.value as answer:
            assert (answer.code, answer.headers["Location"]) == (308, registered)


def follow(page: Page, href: str) -> None:
    """Go to `href` as a link of the page would, without loading the page anew."""
    page.evaluate(
        "href => { window.stayed = true; history.pushState(null, '', href); dispatchEvent(new PopStateEvent('popstate')); }",
        href,
    )
    until(page, "window.stayed === true")
