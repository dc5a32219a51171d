"""Comments below articles: in their HTML, without layout shifts, withdrawn by their authors."""

import re
import secrets

import pytest
from playwright.sync_api import Page, expect

from agency_site.ids import new_reference, token_hash
from tests.e2e.barriers import violations
from tests.e2e.conftest import (
    PHONE,
    WIDE,
    Opener,
    PageReader,
    RunningSite,
    hydrated,
    untouched,
)
from tests.example_records import ARTICLE, OTHER_ARTICLE

MOVES = """() => {
  window.moves = [];
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => window.moves.push(
    [entry.sources.map((source) => source.node?.className ?? source.node?.nodeName).join(), JSON.stringify(entry)],
  ))).observe({ type: "layout-shift" });
}"""


def store_comment(
    site: RunningSite,
    slug: str,
    text: str,
    *,
    name: str = "Amina Odhiambo",
    website: str = "",
    state: str = "approved",
) -> str:
    """Store a comment in a state and return the token of its author's link."""
    token, place = secrets.token_urlsafe(24), len(site.rows("SELECT id FROM comments"))
    row = {
        "version": 2, "created_at": f"2026-11-20 09:{place // 60:02}:{place % 60:02}.000000", "reference": new_reference("CM"),
        "article": slug, "fullname": name, "email": "amina@example.com", "search": "", "website": website, "text": text,
        "state": state, "token_seed": token, "token_hash": token_hash(token), "decided_by": "",
    }  # fmt: skip
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    with site.connect() as connection:
        connection.execute(f"INSERT INTO comments ({names}) VALUES ({marks})", tuple(row.values()))
    return token


@pytest.fixture
def no_published_comments(site: RunningSite) -> None:
    """Withdraw the comments of other tests."""
    with site.connect() as connection:
        connection.execute("UPDATE comments SET state = 'withdrawn'")


def thread(page: Page) -> Page:
    return page.locator("#comments")  # type: ignore[return-value]


pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("no_published_comments")]


def test_an_article_without_comments_has_the_label_of_the_specification(read_page: PageReader) -> None:
    page = read_page(OTHER_ARTICLE.href)
    assert len(page.get_all_by_text("No Comments")) == 2
    thread = page.select("#comments")
    assert "Yours can be the first." in thread.text
    assert thread.get_all_by_role("listitem") == []


def test_one_comment_and_several_are_counted_in_words(site: RunningSite, read_page: PageReader) -> None:
    for count in ("1 Comment", "2 Comments"):
        store_comment(site, OTHER_ARTICLE.slug, "A word.")
        page = read_page(OTHER_ARTICLE.href)
        assert len(page.get_all_by_text(count)) == 2
        assert "No Comments" not in page.text


def test_approved_comments_are_shown_oldest_first_with_name_day_and_website(
    site: RunningSite, open_page: Opener
) -> None:
    store_comment(site, OTHER_ARTICLE.slug, "First.\n\nAnd more.", website="https://www.shop.co.ke/x")
    store_comment(site, OTHER_ARTICLE.slug, "Second.", name="Brian")
    for state in ("pending", "rejected", "withdrawn"):
        store_comment(site, OTHER_ARTICLE.slug, f"Not to be seen: {state}", state=state)
    store_comment(site, ARTICLE.slug, "Elsewhere.")
    page = open_page(OTHER_ARTICLE.href)
    comments = thread(page).get_by_role("listitem")
    expect(comments).to_have_count(2)
    expect(comments.first).to_contain_text("Amina Odhiambo")
    expect(comments.first).to_contain_text("20 November 2026")
    expect(comments.last).to_contain_text("Second.")
    link = comments.first.get_by_role("link")
    expect(link).to_have_text("shop.co.ke")
    expect(link).to_have_attribute("href", "https://www.shop.co.ke/x")
    expect(link).to_have_attribute("rel", "nofollow ugc noopener")
    expect(comments.last.get_by_role("link")).to_have_count(0)
    assert "amina@example.com" not in page.content()
    assert violations(page) == []


def test_comments_are_plain_text_and_links_in_them_cannot_be_clicked(
    site: RunningSite, open_page: Opener
) -> None:
    text = '<img src=x onerror="alert(1)"><a href="https://a.example">a</a> https://b.example [c](https://c.example)'
    store_comment(site, OTHER_ARTICLE.slug, text, name="<b>Eve</b>")
    page = open_page(OTHER_ARTICLE.href)
    comment = thread(page).get_by_role("listitem")
    expect(comment.get_by_text(text, exact=True)).to_be_visible()
    expect(comment.get_by_text("<b>Eve</b>", exact=True)).to_be_visible()
    assert comment.locator("a, img, b").count() == 0


def test_a_long_word_makes_no_page_scroll_sideways(site: RunningSite, open_page: Opener) -> None:
    store_comment(
        site, OTHER_ARTICLE.slug, "w" * 900, name="n" * 120, website=f"https://{'h' * 60}.{'o' * 60}.example"
    )
    page = open_page(OTHER_ARTICLE.href, viewport={"width": 320, "height": 700})
    expect(thread(page).get_by_role("listitem")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["1280", "390"])
def test_comments_are_in_the_page_and_nothing_moves_when_it_hydrates(
    site: RunningSite, open_page: Opener, viewport: dict[str, int]
) -> None:
    for number in range(12):
        store_comment(site, OTHER_ARTICLE.slug, f"Number {number}. " + "A word. " * 40)
    page = open_page(OTHER_ARTICLE.href, viewport=viewport, ready=untouched)
    expect(page.get_by_text("12 Comments", exact=True)).to_have_count(2)
    page.evaluate(MOVES)
    hydrated(page)
    expect(thread(page).get_by_role("listitem")).to_have_count(12)
    assert page.evaluate("window.moves") == []


def test_show_more_adds_comments_until_all_are_shown(site: RunningSite, open_page: Opener) -> None:
    for number in range(45):
        store_comment(site, OTHER_ARTICLE.slug, f"Number {number}")
    page = open_page(OTHER_ARTICLE.href)
    comments, more = thread(page).get_by_role("listitem"), page.get_by_role("link", name="Show more")
    expect(page.get_by_text("45 Comments", exact=True)).to_have_count(2)
    expect(comments).to_have_count(20)
    more.click()
    expect(comments).to_have_count(40)
    more.click()
    expect(comments).to_have_count(45)
    expect(more).to_have_count(0)
    expect(comments.locator(".comment-text")).to_have_text([f"Number {number}" for number in range(45)])


def test_another_article_shows_its_own_comments_after_a_walk_through_the_site(
    site: RunningSite, open_page: Opener
) -> None:
    store_comment(site, OTHER_ARTICLE.slug, "On the other one.")
    store_comment(site, ARTICLE.slug, "On this one.")
    page = open_page(OTHER_ARTICLE.href)
    expect(thread(page).get_by_text("On the other one.")).to_be_attached()
    page.get_by_role("link", name="Blog", exact=True).first.click()
    page.get_by_role("main").locator(f'a[href="/{ARTICLE.slug}"]').first.click()
    expect(thread(page).get_by_text("On this one.")).to_be_attached()
    expect(page.get_by_text("On the other one.")).to_have_count(0)


def send(page: Page, email: str) -> None:
    page.get_by_label("Comment *").fill("We tried this in our shop.")
    page.get_by_label("Full Name *").fill("Amina Odhiambo")
    page.get_by_label("Email *").fill(email)
    page.get_by_role("button", name="Post comment").click()
    expect(page.get_by_role("alert").filter(has_text="Thank you for your comment!")).to_be_visible()


def test_the_author_opens_the_comment_by_the_mailed_link_and_withdraws_it(
    site: RunningSite, open_page: Opener
) -> None:
    address = f"author-{secrets.token_hex(3)}@example.com"
    page = open_page(OTHER_ARTICLE.href)
    send(page, address)
    ((kind, subject, words),) = site.mails(address)
    assert (kind, subject.startswith("We have your comment")) == ("comment-received", True)
    link = re.search(r"/comment/[\w=-]+", words)
    assert link is not None
    page.goto(link.group())
    expect(page.get_by_role("heading", level=1, name="Your comment")).to_be_visible()
    expect(page.get_by_text("Waiting for one of our editors")).to_be_visible()
    expect(page.get_by_text("We tried this in our shop.")).to_be_visible()
    assert site.rows("SELECT state, version FROM comments WHERE email = ?", address) == [("pending", 1)]
    assert violations(page) == []
    page.get_by_role("button", name="Withdraw my comment").click()
    expect(page.get_by_text("You have withdrawn your comment.")).to_be_visible()
    expect(page.get_by_role("button", name="Withdraw my comment")).to_have_count(0)
    assert site.rows("SELECT state, version FROM comments WHERE email = ?", address) == [("withdrawn", 2)]


def test_a_withdrawn_comment_leaves_its_article(site: RunningSite, open_page: Opener) -> None:
    token = store_comment(site, OTHER_ARTICLE.slug, "For a while.")
    page = open_page(OTHER_ARTICLE.href)
    expect(page.get_by_text("1 Comment", exact=True)).to_have_count(2)
    page.goto(f"/comment/{token}")
    page.get_by_role("button", name="Withdraw my comment").click()
    expect(page.get_by_text("You have withdrawn your comment.")).to_be_visible()
    page.goto(OTHER_ARTICLE.href)
    hydrated(page)
    expect(page.get_by_text("No Comments", exact=True)).to_have_count(2)


def test_a_wrong_link_shows_that_there_is_no_comment(open_page: Opener) -> None:
    page = open_page("/comment/wrong", expect=("404",))
    expect(page.get_by_role("heading", level=1, name="There is no comment at this link.")).to_be_visible()
    assert violations(page) == []


def test_comments_are_read_written_and_withdrawn_without_scripts(
    site: RunningSite, open_page: Opener
) -> None:
    for number in range(25):
        store_comment(site, OTHER_ARTICLE.slug, f"Number {number}")
    address = f"author-{secrets.token_hex(3)}@example.com"
    page = open_page(OTHER_ARTICLE.href, scripts=False, expect=("422",))
    expect(page.get_by_text("25 Comments", exact=True)).to_have_count(2)
    comments = thread(page).get_by_role("listitem")
    expect(comments).to_have_count(20)
    page.get_by_role("link", name="Show more").click()
    expect(comments).to_have_count(25)
    # Typed with pauses, because the server rejects a form that is sent within its first moments.
    page.get_by_label("Comment *").press_sequentially("We tried this in our shop.", delay=15)
    page.get_by_label("Email *").fill(address)
    page.get_by_role("button", name="Post comment").click()
    expect(page.get_by_text("Please enter your full name.")).to_be_visible()
    expect(page.get_by_label("Comment *")).to_have_value("We tried this in our shop.")
    page.get_by_label("Full Name *").fill("Amina Odhiambo")
    page.get_by_role("button", name="Post comment").click()
    expect(page.get_by_text("Thank you for your comment!")).to_be_visible()
    expect(page.get_by_role("heading", level=1, name="Your comment")).to_be_visible()
    page.get_by_role("button", name="Withdraw my comment").click()
    expect(page.get_by_text("You have withdrawn your comment.")).to_be_visible()
    assert site.rows("SELECT state FROM comments WHERE email = ?", address) == [("withdrawn",)]


def test_a_longer_list_of_comments_stays_when_the_page_hydrates(site: RunningSite, open_page: Opener) -> None:
    for number in range(25):
        store_comment(site, OTHER_ARTICLE.slug, f"Number {number}")
    page = open_page(f"/{OTHER_ARTICLE.slug}?comments=40#comments", ready=untouched)
    page.evaluate(MOVES)
    hydrated(page)
    expect(thread(page).get_by_role("listitem")).to_have_count(25)
    expect(page.get_by_text("25 Comments", exact=True)).to_have_count(2)
    assert page.evaluate("window.moves") == []
