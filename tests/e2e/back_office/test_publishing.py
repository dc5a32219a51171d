"""Staff publish with nothing but the back office, and visitors see it: articles, photos, prices, webinars.

The site of this module is its own, because its content changes.
"""

import json
import re
import time
from collections.abc import Callable, Iterator

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from agency_site.auth.rules import Role
from agency_site.content.about import TEAM
from agency_site.content.articles import ARTICLES
from agency_site.content.courses import course_by_slug
from agency_site.content.portfolio import PORTFOLIO, PROJECTS
from agency_site.content.webinars import upcoming
from agency_site.money import kes
from tests.e2e.back_office.clipboards import CLIPBOARDS, EXCEL, PLAIN, Clipboard
from tests.e2e.back_office.conftest import (
    BackOfficeOpener,
    Member,
    click_button,
    employ,
    expect_message,
    filled,
)
from tests.e2e.barriers import expect_no_barriers, violations
from tests.e2e.conftest import PHONE, WIDE, Opener, RunningSite, served
from tests.e2e.test_webinar_seats import reserve
from tests.pictures import photo

pytestmark = pytest.mark.thorough
SECONDS = 20.0
"""The longest wait for a change on a busy machine. A quiet one shows it within two seconds."""
JOB_SECONDS = 120.0
"""The longest wait for a job that runs twice a minute, and waits for half a minute without a change."""
DESCRIPTION = "How a kiosk in Kawangware sells more bread with one sign, one photo and one number to call."
COURSE = "digital-marketing"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    with served(tmp_path_factory.mktemp("publishing"), AGENCY_FORM_MINIMUM_SECONDS="0") as server:
        yield server


@pytest.fixture
def editor(site: RunningSite) -> Member:
    return employ(site, Role.EDITOR)


def read(site: RunningSite, path: str) -> str:
    return httpx.get(site.url + path, follow_redirects=True).text


def wait_for(condition: Callable[[], bool], what: str, seconds: float = SECONDS) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not seen: {what}"


def content_form(page: Page) -> Locator:
    return page.get_by_role("form", name="Content")


def publish(page: Page) -> None:
    content_form(page).get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("Published", exact=True).first).to_be_visible()


def upload(page: Page, group: Locator, name: str, body: bytes) -> None:
    with page.expect_file_chooser() as chooser:
        group.get_by_role("button", name="Upload a picture").click()
    chooser.value.set_files({"name": name, "mimeType": "image/jpeg", "buffer": body})
    expect(group.get_by_role("status")).to_have_text("The picture is in the library.")


def test_an_article_with_photos_is_written_on_a_phone_and_appears_at_its_time(
    site: RunningSite, back_office: BackOfficeOpener, editor: Member, open_page: Opener
) -> None:
    page = back_office("/admin/content", member=editor, viewport=PHONE)
    page.get_by_role("link", name="New article").click()
    form = content_form(page)
    form.get_by_label("Title", exact=True).fill("One sign, one photo")
    form.get_by_label("Address").fill("one-sign")
    form.get_by_label("Excerpt").fill("The bread did not change. The sign did.")
    tools = page.get_by_role("group", name="Tools for the text")
    text = form.get_by_label("Text", exact=True)
    text.fill("A kiosk, a **sign**.\n\n## The photo\n\nTake it in the morning.")
    upload(page, tools, "kiosk.jpg", photo((2400, 1600), orientation=6))
    page.keyboard.type("The kiosk at seven")
    expect(text).to_have_value(re.compile(r"!\[The kiosk at seven\]\(/pictures/[0-9a-f]{16}/\d+x\d+\.jpg\)"))
    cover = page.locator(".entries-picture")
    upload(page, cover, "cover.jpg", photo((1800, 1000)))
    form.get_by_label("Author").fill("Content desk")
    form.get_by_label("Date", exact=True).fill("2026-11-28")
    form.get_by_label("Description for search engines").fill(DESCRIPTION)
    form.get_by_label("Category", exact=True).select_option("Content Creation")
    form.get_by_label("Analytics").check()
    form.get_by_label("Tags").fill("Kiosks\nPhotos")
    click_button(form, "Save draft")
    expect_message(page, re.compile("Saved|Draft"))
    assert read(site, "/one-sign").find("<title>One sign") < 0

    preview = open_page(
        page.get_by_role("link", name="Open the preview").get_attribute("href") or "", viewport=WIDE
    )
    for title in ("Phone, 390 pixels", "Computer, 1280 pixels"):
        frame = preview.frame_locator(f'iframe[title="{title}"]')
        expect(frame.get_by_role("heading", level=1, name="One sign, one photo")).to_be_visible()
        expect(frame.get_by_role("img", name="The kiosk at seven")).to_be_visible()

    page.get_by_label("Day and time in Nairobi").fill("2031-01-07T08:00")
    click_button(page, "Schedule")
    expect(
        page.get_by_text("Tuesday 7 January 2031, 08:00").or_(page.get_by_text("7 Jan 2031, 08:00")).first
    ).to_be_visible()
    places = ("/blog", "/", "/feed.xml", "/sitemap-pages.xml")
    assert not any("one-sign" in read(site, place) for place in places)

    with site.connect() as connection:
        connection.execute(
            "UPDATE content_entries SET publish_at = '2026-11-01 05:00:00' WHERE state = 'scheduled'"
        )
    wait_for(lambda: "One sign, one photo" in read(site, "/one-sign"), "the page of the article")
    for place in ("/blog", "/feed.xml", "/sitemap-pages.xml"):
        assert "one-sign" in read(site, place), place
    for viewport in (PHONE, WIDE):
        article = open_page("/one-sign", viewport=viewport)
        picture = article.get_by_role("img", name="The kiosk at seven")
        picture.scroll_into_view_if_needed()
        expect(picture).to_have_js_property("complete", True)
        assert picture.evaluate("(image) => image.naturalHeight > image.naturalWidth"), "turned upright"
        expect_no_barriers(violations(article))
    assert "/share.jpg" in read(site, "/one-sign")


PASTE = """(field, { kind, html, plain, picture }) => {
    const data = new DataTransfer();
    if (html) data.setData("text/html", html);
    if (plain) data.setData("text/plain", plain);
    if (picture) data.items.add(new File([new Uint8Array([1])], "selection.png", { type: "image/png" }));
    const names = { paste: ["ClipboardEvent", "clipboardData"], drop: ["DragEvent", "dataTransfer"] };
    const [name, part] = names[kind];
    field.value = "";
    field.focus();
    field.dispatchEvent(new window[name](kind, { [part]: data, bubbles: true, cancelable: true }));
    return field.value;
}"""


def test_what_programs_copy_keeps_its_structure_and_text_wins_over_a_picture_of_it(
    back_office: BackOfficeOpener, editor: Member
) -> None:
    page = back_office("/admin/entry?kind=article", member=editor)
    field = content_form(page).get_by_label("Text", exact=True)

    def paste(kind: str, clipboard: Clipboard, *, picture: bool = False) -> str:
        facts = {"kind": kind, "html": clipboard.html, "plain": clipboard.plain, "picture": picture}
        return str(field.evaluate(PASTE, facts))

    assert {name: paste("paste", clipboard) for name, clipboard in CLIPBOARDS.items()} == {
        name: clipboard.markdown for name, clipboard in CLIPBOARDS.items()
    }
    for kind in ("paste", "drop"):
        assert paste(kind, EXCEL, picture=True) == EXCEL.markdown
        assert paste(kind, PLAIN, picture=True) == PLAIN.markdown
    field.dispatch_event("keydown", {"key": "V", "ctrlKey": True, "shiftKey": True})
    assert paste("paste", EXCEL) == ""
    assert paste("paste", EXCEL) == EXCEL.markdown


def test_a_corrected_title_is_everywhere_within_seconds_and_the_old_one_comes_back(
    site: RunningSite, back_office: BackOfficeOpener, editor: Member, open_page: Opener
) -> None:
    article = ARTICLES[1]
    page = back_office(f"/admin/entry?kind=article&slug={article.slug}", member=editor)
    content_form(page).get_by_label("Title", exact=True).fill("Show it, then say it")
    publish(page)
    wait_for(lambda: "Show it, then say it" in read(site, article.href), "the corrected title")
    visitor = open_page("/blog", viewport=PHONE)
    expect(visitor.get_by_role("link", name="Show it, then say it", exact=True).first).to_be_visible()
    visitor.get_by_role("link", name="Show it, then say it", exact=True).first.click()
    expect(visitor.get_by_role("heading", level=1)).to_have_text("Show it, then say it")

    click_button(page, "Return to the delivered text")
    click_button(page.get_by_role("dialog"), "Return to the delivered text")
    wait_for(lambda: article.title in read(site, article.href), "the delivered title")


def test_a_new_price_is_shown_and_charged_from_now_on(
    site: RunningSite, back_office: BackOfficeOpener, open_page: Opener
) -> None:
    course = course_by_slug(COURSE)
    assert course is not None
    page = back_office(f"/admin/entry?kind=course&slug={COURSE}", role=Role.FINANCE)
    content_form(page).get_by_label("Price in KES").fill(str(course.payment_price + 1_500))
    publish(page)
    price = kes(course.payment_price + 1_500)
    wait_for(lambda: price in read(site, course.path), "the new price")
    visitor = open_page(f"/payment?course={COURSE}", viewport=PHONE)
    expect(visitor.get_by_text(price).first).to_be_visible()
    expect(visitor.get_by_text(kes(course.payment_price))).to_have_count(0)
    detail = open_page(course.path)
    expect(detail.get_by_text(price).first).to_be_visible()


def test_an_editor_cannot_change_a_price_nor_finance_an_article(back_office: BackOfficeOpener) -> None:
    for role, address in (
        (Role.EDITOR, f"/admin/entry?kind=course&slug={COURSE}"),
        (Role.FINANCE, f"/admin/entry?kind=article&slug={ARTICLES[0].slug}"),
    ):
        page = back_office(address, role=role)
        expect(page.get_by_text("Your role can read this, but not change it.")).to_be_visible()
        expect(page.get_by_role("button", name="Publish", exact=True)).to_have_count(0)


def test_a_photo_replaces_a_drawing_of_the_team(
    site: RunningSite, back_office: BackOfficeOpener, editor: Member, open_page: Opener
) -> None:
    member = TEAM[0]
    page = back_office(f"/admin/entry?kind=team_member&slug={member.id}", member=editor)
    upload(page, page.locator(".entries-picture"), "wanjiku.jpg", photo((1000, 1000)))
    publish(page)
    wait_for(lambda: member.image_url not in read(site, "/about"), "the photo")
    for viewport in (PHONE, WIDE):
        about = open_page("/about", viewport=viewport)
        portrait = about.get_by_role("img", name=f"Portrait of {member.name}")
        portrait.scroll_into_view_if_needed()
        assert "/pictures/" in (portrait.get_attribute("src") or "")
        assert portrait.evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 0


def test_a_project_with_a_photo_and_new_words_is_the_same_on_every_page_that_names_it(
    site: RunningSite, back_office: BackOfficeOpener, editor: Member, open_page: Opener
) -> None:
    project = PROJECTS[0]
    group = next(group for group in PORTFOLIO if group.id == project.group)
    description, outcome = "The shop on a counter in Limuru.", "Every crate is sold before it is picked."
    page = back_office(f"/admin/entry?kind=project&slug={project.id}", member=editor)
    upload(page, page.locator(".entries-picture").first, "counter.jpg", photo((1600, 1200)))
    content_form(page).get_by_label("Description of the picture", exact=True).fill(description)
    content_form(page).get_by_label("What came of it").fill(outcome)
    publish(page)
    wait_for(lambda: outcome in read(site, project.href), "what came of it")
    assert re.search(r"/pictures/[0-9a-f]{16}/share.jpg", read(site, project.href))
    for path in (project.href, "/", "/portfolio", group.service.href):
        visitor = open_page(path, viewport=PHONE)
        picture = visitor.get_by_role("img", name=description).first
        picture.scroll_into_view_if_needed()
        assert "/pictures/" in (picture.get_attribute("src") or "")
        assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 0


def test_registered_people_get_a_mail_about_a_cancelled_webinar(
    site: RunningSite, back_office: BackOfficeOpener, editor: Member, open_page: Opener
) -> None:
    webinar = upcoming()[0]
    people = [f"guest{number}@example.com" for number in range(3)]
    for person in people:
        reserve(open_page(webinar.href, scripts=False), person)
        wait_for(lambda person=person: bool(site.mails(person)), "the confirmation")  # type: ignore[misc]
    page = back_office(f"/admin/entry?kind=webinar&slug={webinar.id}", member=editor)
    content_form(page).get_by_label("Cancelled").check()
    publish(page)
    wait_for(lambda: "EventCancelled" in read(site, webinar.href), "the cancelled webinar")
    for person in people:
        wait_for(lambda person=person: len(site.mails(person)) >= 2, f"the mail to {person}", JOB_SECONDS)  # type: ignore[misc]
        assert webinar.title in " ".join(site.mails(person)[-1][1:])
    visitor = open_page(webinar.href, viewport=PHONE)
    expect(visitor.get_by_role("button", name="Reserve a seat")).to_have_count(0)
    expect(visitor.get_by_text(re.compile("cancelled", re.IGNORECASE)).first).to_be_visible()


def test_of_two_editors_the_second_sees_what_the_first_has_changed(
    site: RunningSite, back_office: BackOfficeOpener
) -> None:
    address = f"/admin/entry?kind=article&slug={ARTICLES[3].slug}"
    first, second = (back_office(address, role=Role.EDITOR) for _ in range(2))
    content_form(second).get_by_label("Title", exact=True).fill("From the second")
    content_form(first).get_by_label("Title", exact=True).fill("From the first")
    content_form(first).get_by_role("button", name="Save draft").click()
    expect(first.get_by_text("Unpublished changes").first).to_be_visible()
    content_form(second).get_by_role("button", name="Save draft").click()
    expect(second.get_by_text("From the first").first).to_be_visible()
    expect(content_form(second).get_by_label("Title", exact=True)).to_have_value("From the second")
    rows = site.rows("SELECT document FROM content_entries WHERE slug = ?", ARTICLES[3].slug)
    assert json.loads(str(rows[0][0]))["title"] == "From the first"


def test_a_hidden_article_leaves_and_an_earlier_version_comes_back(
    site: RunningSite, back_office: BackOfficeOpener, editor: Member
) -> None:
    article = ARTICLES[4]
    page = back_office(f"/admin/entry?kind=article&slug={article.slug}", member=editor)
    content_form(page).get_by_label("Title", exact=True).fill("A second thought")
    publish(page)
    wait_for(lambda: "A second thought" in read(site, article.href), "the change")
    content_form(page).get_by_label("Title", exact=True).fill("A third thought")
    publish(page)
    wait_for(lambda: "A third thought" in read(site, article.href), "the next change")
    page.get_by_role("button", name=re.compile("Compare and restore")).nth(2).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("A second thought")).to_be_visible()
    click_button(dialog, "Restore")
    expect(content_form(page).get_by_label("Title", exact=True)).to_have_value("A second thought")
    publish(page)
    wait_for(lambda: "A second thought" in read(site, article.href), "the restored title")

    click_button(page, "Hide")
    click_button(page.get_by_role("dialog"), "Hide")
    wait_for(lambda: httpx.get(site.url + article.href).status_code == 404, "the page is gone")
    assert article.href not in read(site, "/blog")
    click_button(page, "Show again")
    wait_for(lambda: httpx.get(site.url + article.href).status_code == 200, "the page is back")


@pytest.mark.parametrize("path", ["/admin/content", "/admin/entry?kind=article", "/admin/pictures"])
@pytest.mark.parametrize("viewport", [{"width": 320, "height": 700}, WIDE], ids=["320", "1280"])
def test_the_screens_of_content_have_no_barriers(
    back_office: BackOfficeOpener, path: str, viewport: dict[str, int]
) -> None:
    page = filled(back_office(path, viewport=viewport))
    expect_no_barriers(violations(page))
