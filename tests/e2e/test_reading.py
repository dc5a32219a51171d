"""Blog, articles and insights, one test per paragraph of the specification."""

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from agency_site.content.article_schema import Article
from agency_site.content.articles import ARTICLES, CATEGORY_COUNTS, RECENT
from agency_site.content.brand import BRAND
from agency_site.content.insights import INSIGHTS
from tests.e2e.conftest import PHONE, Opener, PageReader, RunningSite, hydrated, until, untouched
from tests.e2e.test_hydration import Held
from tests.html_document import Element

SLUGS = [article.slug for article in ARTICLES]


READ = re.compile("^Read the article")


def posts(page: Page) -> Locator:
    return page.get_by_role("main").get_by_role("link", name=READ)


def post_targets(page: Element) -> list[str]:
    """Return the targets of the links to posts."""
    return [link["href"] for link in page.get_by_role("main").get_all_by_role("link", READ)]


def share_link(page: Element, network: str) -> Element:
    return page.get_by_role("link", re.compile(f"^Share on {network}"))


def share_query(page: Element, network: str) -> dict[str, str]:
    """Return the query of a network's share link."""
    query = parse_qs(urlsplit(share_link(page, network)["href"]).query)
    return {name: values[0] for name, values in query.items()}


def window_of(page: Page, network: str) -> tuple[Page, dict[str, int]]:
    """Click a share link while the networks are simulated here; its window, inner size and place."""
    page.context.route(
        re.compile(r"https://(twitter|www\.(facebook|pinterest|linkedin))\.com/"),
        lambda route: route.fulfill(body="shared", content_type="text/plain"),
    )
    with page.expect_popup() as opened:
        page.get_by_role("link", name=f"Share on {network}").click()
    popup = opened.value
    popup.wait_for_url(re.compile(r"^https://"))
    size = popup.evaluate("({width: innerWidth, height: innerHeight, opener: window.opener ? 1 : 0})")
    return popup, size


def test_s2_blog_lists_every_article_before_scripts(read_page: PageReader) -> None:
    assert post_targets(read_page("/blog")) == [f"/{slug}" for slug in SLUGS]


def test_s2_blog_sidebar_has_about_recent_posts_counts_tags_and_newsletter(read_page: PageReader) -> None:
    side = read_page("/blog").get_by_role("complementary", "About this blog")
    assert side.get_by_role("link", "About us")["href"] == "/about"
    (recent,) = (
        item for item in side.select_all("section") if item.get_all_by_role("heading", "Recent Posts")
    )
    assert len(recent.get_all_by_role("listitem")) == min(RECENT, len(ARTICLES))
    for shelf, count in CATEGORY_COUNTS.items():
        side.get_by_role("link", re.compile(f"^{shelf} ?{count}$"))
    side.get_by_role("heading", "Popular Tags")
    side.get_by_role("region", "Newsletter")


@pytest.mark.specification
def test_r11_a_category_filters_the_list_and_the_back_button_undoes_it(open_page: Opener) -> None:
    page = open_page("/blog")
    page.get_by_role("link", name="Email Marketing 15").click()
    expect(page).to_have_url(re.compile(r"/blog\?category=Email%20Marketing#posts$"))
    expect(posts(page)).to_have_count(1)
    expect(page.get_by_role("status").filter(has_text="Email Marketing: 1 post")).to_be_visible()
    page.get_by_role("link", name="Reels").click()
    expect(page).to_have_url(re.compile(r"tag=Reels#posts$"))
    expect(posts(page)).to_have_attribute("href", "/video-blog")
    page.go_back()
    expect(posts(page)).to_have_attribute("href", "/email-marketing-blog")
    page.get_by_role("link", name="Show all posts").click()
    expect(posts(page)).to_have_count(5)


@pytest.mark.specification
def test_r11_a_category_without_posts_says_so(read_page: PageReader) -> None:
    page = read_page("/blog?category=analytics")
    page.get_by_role("heading", "No posts in this category yet.")
    assert "This page has 5 posts, and none of them is about Analytics." in page.text
    assert post_targets(page) == []
    every_post = page.get_all_by_role("link", "Show all posts")[0]
    assert len(post_targets(read_page(every_post["href"]))) == 5


@pytest.mark.parametrize("path", ["/blog", "/webinar", "/resources"])
def test_r11_the_newsletter_boxes_of_pages_subscribe(site: RunningSite, open_page: Opener, path: str) -> None:
    page = open_page(path)
    address = f"reader-of-{path[1:]}@example.com"
    box = page.get_by_role("main").get_by_role("region", name="Newsletter", exact=True)
    field = box.get_by_label("Where shall we send it?")
    field.fill(address)
    box.get_by_role("button", name="Subscribe").click()
    expect(box.get_by_text("Thank you for subscribing!")).to_be_visible()
    expect(field).to_have_value("")
    assert site.rows("SELECT email, source FROM subscribers WHERE email = ?", address) == [(address, "box")]


def test_s2_insights_show_one_featured_and_smaller_ones_that_open(read_page: PageReader) -> None:
    page = read_page("/insights")
    page.get_by_text("Featured")
    links = page.get_all_by_role("link", re.compile("^Read: "))
    assert [link["href"] for link in links] == [insight.href for insight in INSIGHTS]
    for link, insight in zip(links, INSIGHTS, strict=True):
        assert link.name == f"Read: {insight.title}"
        read_page(link["href"]).get_by_role("heading", insight.title, level=1)


@pytest.mark.parametrize("article", ARTICLES, ids=lambda article: article.slug)
def test_s2_every_article_has_its_parts_before_scripts(
    read_page: PageReader, article: Article, site: RunningSite
) -> None:
    page = read_page(article.href)
    main = page.get_by_role("main")
    assert main.get_by_role("heading", level=1).text == article.title
    for text in (article.date_line, article.read_time, article.author, str(article.category)):
        assert main.get_all_by_text(text), text
    # Other tests publish comments meanwhile.
    assert main.get_all_by_text(re.compile("^(No|[0-9]+) Comments?$"))
    main.get_by_role("navigation", "Breadcrumb")
    main.get_by_role("heading", "Leave a comment")
    for network, key in (("Twitter/X", "url"), ("Facebook", "u"), ("Pinterest", "url"), ("LinkedIn", "url")):
        assert share_query(page, network)[key] == f"{site.url}{article.href}"
        link = share_link(page, network)
        assert link["target"] == "_blank"
        assert "noopener" in link["rel"]
    assert main.select_all("section")[-1].get_by_role("link")["href"] == "/contact"


@pytest.mark.specification
def test_s2_email_article_has_static_contents_and_its_closing_box(read_page: PageReader) -> None:
    page = read_page("/email-marketing-blog")
    contents = page.get_by_role("navigation", "Table of Contents")
    assert len(contents.get_all_by_role("listitem")) == 6
    assert contents.get_all_by_role("link") == []
    page.get_by_role("heading", "So, What's Next?")
    page.get_by_text("April 26, 2025")


def count_scroll_steps(page: Page) -> None:
    """Count the events by which the page scrolls in `window.steps`: a jump is one."""
    page.add_init_script("window.steps = 0; addEventListener('scroll', () => { window.steps += 1; });")


@pytest.mark.specification
def test_s4_video_contents_fold_scroll_and_close(open_page: Opener) -> None:
    page = open_page("/video-blog", viewport=PHONE, ready=untouched, prepare=count_scroll_steps)
    entry = page.get_by_role("link", name="Write for the Silent Viewer")
    expect(entry).to_be_hidden()
    header = page.get_by_role("main").locator("summary", has_text="Table of Contents")
    header.click()
    expect(entry).to_be_visible()
    header.click()
    expect(entry).to_be_hidden()
    header.click()
    page.evaluate("window.steps = 0")
    entry.click()
    expect(entry).to_be_hidden()
    section = page.locator("#write-for-the-silent-viewer")
    expect(section).to_be_in_viewport()
    until(page, "window.steps > 3")
    expect(page).to_have_url(re.compile("#write-for-the-silent-viewer$"))


def test_an_article_jumps_to_the_section_that_it_is_opened_at(open_page: Opener) -> None:
    page = open_page(
        "/video-blog#measure-what-matters", viewport=PHONE, ready=untouched, prepare=count_scroll_steps
    )
    expect(page.locator("#measure-what-matters")).to_be_in_viewport()
    assert page.evaluate("window.steps") <= 2


def test_contents_jump_with_reduced_motion(open_page: Opener) -> None:
    page = open_page(
        "/video-blog", viewport=PHONE, ready=untouched, prepare=count_scroll_steps, reduced_motion="reduce"
    )
    page.get_by_role("main").locator("summary", has_text="Table of Contents").click()
    page.evaluate("window.steps = 0")
    page.get_by_role("link", name="Measure What Matters").click()
    expect(page.locator("#measure-what-matters")).to_be_in_viewport()
    assert page.evaluate("window.steps") <= 2


@pytest.mark.specification
def test_s4_video_contents_are_plain_anchors_without_scripts(open_page: Opener) -> None:
    page = open_page("/video-blog", viewport=PHONE, scripts=False)
    page.get_by_role("main").locator("summary", has_text="Table of Contents").click()
    page.get_by_role("link", name="Measure What Matters").click()
    expect(page.locator("#measure-what-matters")).to_be_in_viewport()


@pytest.mark.specification
def test_s2_authenticity_article_has_contents_and_hashtag_chips(read_page: PageReader) -> None:
    page = read_page("/authenticity-blog")
    chips = page.get_by_role("list", "Hashtags").get_all_by_role("listitem")
    assert [chip.text.split(" ")[0] for chip in chips] == [
        "#AuthenticMarketing", "#BrandStorytelling", "#BehindTheScenesMarketing", "#EmotionalConnectionMarketing",
        "#UserGeneratedContent", "#MwangaDigital",
    ]  # fmt: skip
    page.get_by_role("navigation", "Table of Contents")
    pin = share_query(page, "Pinterest")
    assert pin["media"].endswith("/share/authenticity-blog.png")
    assert pin["description"].startswith("Authenticity and storytelling:")


@pytest.mark.specification
@pytest.mark.parametrize(
    ("path", "network", "width", "height"),
    [
        ("/visual-blog", "Facebook", 600, 400),
        ("/email-marketing-blog", "Twitter/X", 550, 420),
        ("/email-marketing-blog", "LinkedIn", 600, 500),
        ("/email-marketing-blog", "Pinterest", 750, 600),
        ("/video-blog", "Twitter/X", 626, 436),
    ],
)
def test_s7_share_windows_have_their_sizes(
    open_page: Opener, path: str, network: str, width: int, height: int
) -> None:
    page = open_page(path)
    popup, size = window_of(page, network)
    assert size == {"width": width, "height": height, "opener": 0}
    assert path.strip("/") in popup.url


@pytest.mark.specification
def test_s7_a_share_link_clicked_before_hydration_opens_its_window(open_page: Opener) -> None:
    page = open_page("/video-blog", prepare=Held().hold, ready=untouched)
    popup, size = window_of(page, "Facebook")
    assert size == {"width": 626, "height": 436, "opener": 0}
    assert "video-blog" in popup.url
    expect(page.locator("html[data-hydrated]")).not_to_be_attached()


@pytest.mark.specification
@pytest.mark.parametrize("hydrate", [hydrated, untouched], ids=["hydrated", "not hydrated"])
def test_links_inside_an_article_keep_a_comment_that_is_being_written(
    open_page: Opener, hydrate: Callable[[Page], None]
) -> None:
    page = open_page("/authenticity-blog", ready=hydrate)
    page.evaluate("window.opened = true")
    page.get_by_label("Comment *").fill("Half a thought")
    page.get_by_role("link", name="Keep the Promise").click()
    expect(page.locator("#keep-the-promise")).to_be_in_viewport()
    page.get_by_role("link", name="No Comments").click()
    expect(page).to_have_url(re.compile("/authenticity-blog#comments$"))
    expect(page.locator("#comments")).to_be_in_viewport()
    expect(page.get_by_label("Comment *")).to_have_value("Half a thought")
    assert page.evaluate("window.opened") is True


@pytest.mark.specification
def test_s7_the_video_article_passes_hashtags_and_places_its_window(read_page: PageReader) -> None:
    page = read_page("/video-blog")
    assert share_query(page, "Twitter/X")["hashtags"] == "VideoMarketing,ShortFormVideo,DigitalMarketing"
    assert share_link(page, "Facebook")["data-window"] == "popup,width=626,height=436,top=100,left=100"


def comment(page: Page, *, email: str = "amina@example.com", website: str = "", keep: bool = False) -> None:
    page.get_by_label("Comment *").fill("We tried this in our shop.")
    page.get_by_label("Full Name *").fill("Amina Odhiambo")
    page.get_by_label("Email *").fill(email)
    page.get_by_label("Website (optional)").fill(website)
    page.get_by_label("Save my name, email, and website").set_checked(keep)
    page.get_by_role("button", name="Post comment").click()


def test_s5_comment_form_has_its_texts_and_marks(read_page: PageReader) -> None:
    page = read_page(ARTICLES[0].href)
    page.get_by_text("Your email address will not be published. Required fields are marked *")
    saving = "Save my name, email, and website in this browser for the next time I comment"
    assert "checked" not in page.get_by_label(saving)
    assert page.get_by_label("Comment *")["rows"] == "6"
    assert page.get_by_label("Email *")["type"] == "email"
    assert page.get_by_label("Website (optional)")["type"] == "url"


@pytest.mark.parametrize("slug", SLUGS)
def test_s8_a_comment_is_thanked_for_and_the_form_clears(
    site: RunningSite, open_page: Opener, slug: str
) -> None:
    page = open_page(f"/{slug}")
    comment(page, website="https://example.co.ke", keep=True)
    thanks = page.get_by_role("alert").filter(has_text="Thank you for your comment!")
    expect(thanks).to_be_visible()
    expect(thanks).to_be_focused()
    for label in ("Comment *", "Full Name *", "Email *", "Website (optional)"):
        expect(page.get_by_label(label)).to_have_value("")
    expect(page.get_by_label("Save my name, email, and website")).not_to_be_checked()
    title = next(article.title for article in ARTICLES if article.slug == slug)
    mails = [(kind, subject) for kind, subject, _ in site.mails(BRAND.staff_email)]
    assert ("staff-comment", f"Comment: {title}, Amina Odhiambo") in mails


def test_s5_a_comment_with_errors_keeps_what_was_typed(open_page: Opener) -> None:
    page = open_page(ARTICLES[0].href)
    comment(page, email="amina@", website="shop")
    expect(
        page.get_by_text("Please enter a valid e-mail address, such as amina@example.com.")
    ).to_be_visible()
    expect(page.get_by_text("Please enter a web address, such as https://example.co.ke.")).to_be_visible()
    expect(page.get_by_label("Email *")).to_be_focused()
    expect(page.get_by_label("Comment *")).to_have_value("We tried this in our shop.")
    expect(page.get_by_text("Thank you for your comment!")).to_have_count(0)
    page.get_by_label("Email *").fill("amina@example.com")
    page.get_by_label("Website (optional)").fill("example.co.ke")
    page.get_by_role("button", name="Post comment").click()
    expect(page.get_by_role("alert").filter(has_text="Thank you for your comment!")).to_be_visible()


def test_s3_save_info_remembers_the_author_in_this_browser_until_unticked(open_page: Opener) -> None:
    page = open_page(ARTICLES[0].href)
    comment(page, website="https://example.co.ke", keep=True)
    expect(page.get_by_text("Thank you for your comment!")).to_be_visible()
    page.goto(ARTICLES[1].href)
    hydrated(page)
    expect(page.get_by_label("Full Name *")).to_have_value("Amina Odhiambo")
    expect(page.get_by_label("Email *")).to_have_value("amina@example.com")
    expect(page.get_by_label("Website (optional)")).to_have_value("https://example.co.ke")
    expect(page.get_by_label("Comment *")).to_have_value("")
    expect(page.get_by_label("Save my name, email, and website")).to_be_checked()
    comment(page, keep=False)
    expect(page.get_by_text("Thank you for your comment!")).to_be_visible()
    page.reload()
    hydrated(page)
    expect(page.get_by_label("Full Name *")).to_have_value("")
