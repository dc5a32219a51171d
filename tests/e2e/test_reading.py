"""Blog, articles and insights in a real browser, one test per paragraph of the specification."""

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from agency_site.content.article_schema import Article
from agency_site.content.articles import ARTICLES
from agency_site.content.brand import BRAND
from agency_site.content.insights import INSIGHTS
from tests.e2e.conftest import PHONE, Opener, RunningSite, hydrated, untouched
from tests.e2e.test_hydration import Held

SHELVES = {
    "Digital Strategy": 12, "Content Creation": 8, "Email Marketing": 15,
    "Social Media": 22, "Video Marketing": 7, "Analytics": 9,
}  # fmt: skip
SLUGS = [article.slug for article in ARTICLES]


def posts(page: Page) -> Locator:
    return page.get_by_role("main").get_by_role("link", name=re.compile("^Read the article"))


def share(page: Page, network: str) -> dict[str, str]:
    """Return the query of a network's share link."""
    href = page.get_by_role("link", name=f"Share on {network}").get_attribute("href") or ""
    return {name: values[0] for name, values in parse_qs(urlsplit(href).query).items()}


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


def test_s2_blog_lists_the_five_articles_before_scripts(open_page: Opener) -> None:
    page = open_page("/blog", scripts=False)
    expect(posts(page)).to_have_count(5)
    assert [link.get_attribute("href") for link in posts(page).all()] == [f"/{slug}" for slug in SLUGS]


def test_s2_blog_sidebar_has_about_recent_posts_counts_tags_and_newsletter(open_page: Opener) -> None:
    side = open_page("/blog", scripts=False).get_by_role("complementary", name="About this blog")
    expect(side.get_by_role("link", name="About us")).to_have_attribute("href", "/about")
    recent = side.locator("section", has=side.page.get_by_role("heading", name="Recent Posts"))
    expect(recent.get_by_role("listitem")).to_have_count(3)
    for shelf, count in SHELVES.items():
        expect(side.get_by_role("link", name=f"{shelf} {count}", exact=True)).to_be_visible()
    expect(side.get_by_role("heading", name="Popular Tags")).to_be_visible()
    expect(side.get_by_role("region", name="Newsletter")).to_be_visible()


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


def test_r11_a_category_without_posts_says_so(open_page: Opener) -> None:
    page = open_page("/blog?category=analytics")
    expect(page.get_by_role("heading", name="No posts in this category yet.")).to_be_visible()
    expect(page.get_by_text("This page has 5 posts, and none of them is about Analytics.")).to_be_visible()
    expect(posts(page)).to_have_count(0)
    page.get_by_role("link", name="Show all posts").first.click()
    expect(posts(page)).to_have_count(5)


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


def test_s2_insights_show_one_featured_and_five_smaller_that_open(open_page: Opener) -> None:
    page = open_page("/insights", scripts=False)
    expect(page.get_by_text("Featured", exact=True)).to_have_count(1)
    reads = page.get_by_role("link", name=re.compile("^Read: "))
    assert [link.get_attribute("href") for link in reads.all()] == [insight.href for insight in INSIGHTS]
    page = open_page("/insights")
    page.get_by_role("link", name=f"Read: {INSIGHTS[3].title}").click()
    expect(page.get_by_role("heading", level=1, name=INSIGHTS[3].title)).to_be_visible()


@pytest.mark.parametrize("article", ARTICLES, ids=lambda article: article.slug)
def test_s2_every_article_has_its_parts_before_scripts(
    open_page: Opener, article: Article, site: RunningSite
) -> None:
    page = open_page(article.href, scripts=False)
    main = page.get_by_role("main")
    expect(main.get_by_role("heading", level=1)).to_have_text(article.title)
    for text in (article.date_line, article.read_time, article.author, str(article.category)):
        expect(main.get_by_text(text, exact=True).first).to_be_visible()
    # Other tests publish comments meanwhile.
    expect(main.get_by_text(re.compile("^(No|[0-9]+) Comments?$")).first).to_be_visible()
    expect(main.get_by_role("navigation", name="Breadcrumb")).to_be_visible()
    expect(main.get_by_role("heading", name="Leave a comment")).to_be_visible()
    for network, key in (("Twitter/X", "url"), ("Facebook", "u"), ("Pinterest", "url"), ("LinkedIn", "url")):
        assert share(page, network)[key] == f"{site.url}{article.href}"
        link = page.get_by_role("link", name=f"Share on {network}")
        expect(link).to_have_attribute("target", "_blank")
        expect(link).to_have_attribute("rel", re.compile("noopener"))
    closing = main.locator("section").last
    expect(closing.get_by_role("link")).to_have_attribute("href", "/contact")


def test_s2_email_article_has_static_contents_and_its_closing_box(open_page: Opener) -> None:
    page = open_page("/email-marketing-blog", scripts=False)
    contents = page.get_by_role("navigation", name="Table of Contents")
    expect(contents.get_by_role("listitem")).to_have_count(6)
    expect(contents.get_by_role("link")).to_have_count(0)
    expect(page.get_by_role("heading", name="So, What's Next?")).to_be_visible()
    expect(page.get_by_text("April 26, 2025", exact=True)).to_be_visible()


def test_s4_video_contents_fold_scroll_and_close(open_page: Opener) -> None:
    page = open_page("/video-blog", viewport=PHONE)
    entry = page.get_by_role("link", name="Write for the Silent Viewer")
    expect(entry).to_be_hidden()
    header = page.get_by_role("main").locator("summary", has_text="Table of Contents")
    header.click()
    expect(entry).to_be_visible()
    header.click()
    expect(entry).to_be_hidden()
    header.click()
    entry.click()
    expect(entry).to_be_hidden()
    section = page.locator("#write-for-the-silent-viewer")
    expect(section).to_be_in_viewport()
    expect(page).to_have_url(re.compile("#write-for-the-silent-viewer$"))


def test_s4_video_contents_are_plain_anchors_without_scripts(open_page: Opener) -> None:
    page = open_page("/video-blog", viewport=PHONE, scripts=False)
    page.get_by_role("main").locator("summary", has_text="Table of Contents").click()
    page.get_by_role("link", name="Measure What Matters").click()
    expect(page.locator("#measure-what-matters")).to_be_in_viewport()


def test_s2_authenticity_article_has_contents_and_hashtag_chips(open_page: Opener) -> None:
    page = open_page("/authenticity-blog", scripts=False)
    chips = page.get_by_role("list", name="Hashtags").get_by_role("listitem")
    assert [chip.inner_text().split("\n")[0].split(" ")[0] for chip in chips.all()] == [
        "#AuthenticMarketing", "#BrandStorytelling", "#BehindTheScenesMarketing", "#EmotionalConnectionMarketing",
        "#UserGeneratedContent", "#MwangaDigital",
    ]  # fmt: skip
    expect(page.get_by_role("navigation", name="Table of Contents")).to_be_visible()
    pin = share(page, "Pinterest")
    assert pin["media"].endswith("/share/authenticity-blog.png")
    assert pin["description"].startswith("Authenticity and storytelling:")


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


def test_s7_a_share_link_clicked_before_hydration_opens_its_window(open_page: Opener) -> None:
    page = open_page("/video-blog", prepare=Held().hold, ready=untouched)
    popup, size = window_of(page, "Facebook")
    assert size == {"width": 626, "height": 436, "opener": 0}
    assert "video-blog" in popup.url
    expect(page.locator("html[data-hydrated]")).not_to_be_attached()


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


def test_s7_the_video_article_passes_hashtags_and_places_its_window(open_page: Opener) -> None:
    page = open_page("/video-blog")
    assert share(page, "Twitter/X")["hashtags"] == "VideoMarketing,ShortFormVideo,DigitalMarketing"
    expect(page.get_by_role("link", name="Share on Facebook")).to_have_attribute(
        "data-window", "popup,width=626,height=436,top=100,left=100"
    )


def comment(page: Page, *, email: str = "amina@example.com", website: str = "", keep: bool = False) -> None:
    page.get_by_label("Comment *").fill("We tried this in our shop.")
    page.get_by_label("Full Name *").fill("Amina Odhiambo")
    page.get_by_label("Email *").fill(email)
    page.get_by_label("Website (optional)").fill(website)
    page.get_by_label("Save my name, email, and website").set_checked(keep)
    page.get_by_role("button", name="Post comment").click()


def test_s5_comment_form_has_its_texts_and_marks(open_page: Opener) -> None:
    page = open_page("/visual-blog", scripts=False)
    expect(
        page.get_by_text("Your email address will not be published. Required fields are marked *", exact=True)
    ).to_be_visible()
    expect(
        page.get_by_label(
            "Save my name, email, and website in this browser for the next time I comment", exact=True
        )
    ).not_to_be_checked()
    expect(page.get_by_label("Comment *")).to_have_attribute("rows", "6")
    expect(page.get_by_label("Email *")).to_have_attribute("type", "email")
    expect(page.get_by_label("Website (optional)")).to_have_attribute("type", "url")


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
    page = open_page("/email-marketing-blog")
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
    page = open_page("/video-blog")
    comment(page, website="https://example.co.ke", keep=True)
    expect(page.get_by_text("Thank you for your comment!")).to_be_visible()
    page.goto("/visual-blog")
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
