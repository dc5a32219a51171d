"""What staff change becomes a record by the same schema as what was delivered."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.content import entry_kinds
from agency_site.content.article_schema import Article
from agency_site.content.articles import ARTICLES, articles, find_article
from agency_site.content.course_schema import Course
from agency_site.content.courses import COURSES
from agency_site.content.entries import Kind
from agency_site.content.entry_kinds import KINDS, ORDER, EntryInvalid, KindDefinition, Overlay, lay_over
from agency_site.content.published import kept_until_changed, previewed, published, replace_published
from agency_site.content.schema import Record
from agency_site.settings import ROOT

EVERY_RECORD = [
    pytest.param(definition, record, id=f"{kind}-{definition.slug_of(record)}")
    for kind, definition in KINDS.items()
    for record in definition.delivered
]
ARTICLE = KINDS[Kind.ARTICLE]
FIELDS = ARTICLE.fields_of(ARTICLES[0])


@pytest.mark.parametrize(("definition", "record"), EVERY_RECORD)
def test_the_fields_of_a_delivered_record_make_the_same_record(
    definition: KindDefinition, record: Record
) -> None:
    built = definition.build(definition.slug_of(record), definition.fields_of(record))

    changed = {
        name
        for name in type(record).model_fields
        if getattr(record, name) != getattr(built, name) and name not in {"source", "logo"}
    }
    assert changed == set()


@pytest.mark.parametrize(("definition", "record"), EVERY_RECORD)
def test_the_pictures_of_a_delivered_record_are_files(definition: KindDefinition, record: Record) -> None:
    pictures = definition.list_pictures(definition.fields_of(record))
    assert [name for name, address in pictures if not (ROOT / "assets" / address.lstrip("/")).is_file()] == []


@pytest.mark.parametrize("definition", KINDS.values(), ids=lambda definition: definition.kind)
def test_slugs_of_a_kind_are_unique(definition: KindDefinition) -> None:
    slugs = [definition.slug_of(record) for record in definition.delivered]
    assert len(set(slugs)) == len(slugs)


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("title", " ", "Please fill in “Title”."),
        ("title", "x" * 256, "“Title” may have at most 255 characters; it has 256."),
        ("title", "\u200b \u200b", "Please fill in “Title”."),
        ("call_text", " ", "Please fill in title and text of the call, or leave all its fields empty."),
        ("description", "short", "“Description for search engines” needs at least 50 characters; it has 5."),
        ("published", "tomorrow", "Please choose a date, written as in 2026-11-24."),
        ("published", "1999-01-01", "Please choose a date from 2000 to 2199."),
        ("revised", "2020-01-01", "The revision cannot be earlier than the date of the text."),
        ("category", "Knitting", "Please choose one of the list."),
        ("shelves", "Analytics\nKnitting", "“Knitting” is not in the list."),
        ("address", "A B", "Please use small letters, digits and hyphens only."),
        ("image", "https://elsewhere.example/x.png", "Please choose a picture of the library."),
    ],
)  # fmt: skip
def test_a_field_that_makes_no_record_is_named(name: str, text: str, problem: str) -> None:
    with pytest.raises(EntryInvalid) as invalid:
        ARTICLE.build("new", {**FIELDS, name: text})
    assert invalid.value.problems == {name: problem}


def test_a_text_that_may_no_longer_be_published_stays_on_the_site() -> None:
    fields = {**FIELDS, "text": "[a](javascript:alert(1)) <!-- b --> ![c](https://x.example/a.png)"}
    assert ARTICLE.find_text_problems(fields).keys() == {"text"}
    built = ARTICLE.build("new", fields)
    assert isinstance(built, type(ARTICLES[0]))
    assert "href" not in built.html


@pytest.mark.parametrize(
    ("kind", "name", "address", "words"),
    [
        (
            Kind.ARTICLE,
            "image",
            "60x40.jpg",
            "only 60 by 40 pixels, so it would look blurred. “Cover” needs at least 800 by 400.",
        ),
        (Kind.INSIGHT, "image", "1600x20.png", "only 1,600 by 20 pixels"),
        (Kind.WEBINAR, "image", "799x600.jpg", "“Cover” needs"),
        (Kind.PROJECT, "image", "640x480.jpg", "“Picture” needs"),
        (Kind.TEAM_MEMBER, "image_url", "60x40.jpg#30,60", "“Photo” needs at least 300 by 150."),
        (Kind.TESTIMONIAL, "image", "60x40.jpg", "“Photo” needs"),
        (Kind.PARTNER, "logo", "60x40.png", "“Logo” needs at least 120 by 60."),
        (Kind.ARTICLE, "image", "800x450.jpg", ""),
        (Kind.PARTNER, "logo", "60x40.svg", ""),
        (Kind.TEAM_MEMBER, "image_url", "800x800.jpg", ""),
    ],
)
def test_a_picture_with_too_few_pixels_for_its_place_is_named(
    kind: Kind, name: str, address: str, words: str
) -> None:
    problems = KINDS[kind].find_small_pictures({name: f"/pictures/0123456789abcdef/{address}"})
    assert problems.keys() == ({name} if words else set())
    assert words in problems.get(name, "")
    assert KINDS[kind].find_small_pictures({name: "/art/a.svg"}) == {}


def test_a_long_text_of_short_words_is_an_hour_at_most() -> None:
    built = ARTICLE.build("new", {**FIELDS, "text": "a " * 29_000})
    assert isinstance(built, type(ARTICLES[0]))
    assert built.read_minutes == 60


@given(text=st.text(max_size=300))
def test_no_text_of_staff_puts_an_element_of_its_own_into_a_page(text: str) -> None:
    try:
        built = ARTICLE.build(
            "new", {**FIELDS, "text": f"<script>alert(1)</script> {text} <img src=x onerror=y>"}
        )
    except EntryInvalid:
        return
    assert isinstance(built, type(ARTICLES[0]))
    assert "<script" not in built.html
    assert "<img" not in built.html.replace('<img src="/', "")


def test_an_added_record_joins_the_delivered_ones_and_a_hidden_one_leaves() -> None:
    added = Overlay(
        Kind.ARTICLE, "new", {**FIELDS, "title": "New", "published": "2026-11-28", "address": "new"}
    )
    hidden = Overlay(Kind.ARTICLE, ARTICLES[1].slug, None)

    with previewed(lay_over([added, hidden])):
        slugs = [article.slug for article in articles()]
        article = find_article("new")

    assert set(slugs) == {"new", *(article.slug for article in ARTICLES)} - {ARTICLES[1].slug}
    assert article is not None
    assert article.href == "/new"
    assert [article.slug for article in articles()] == [article.slug for article in ARTICLES]


def test_of_several_featured_articles_the_newest_is_the_large_one() -> None:
    added = Overlay(Kind.ARTICLE, "new", {**FIELDS, "published": "2026-11-28", "featured": "yes"})

    with previewed(lay_over([added])):
        first, *others = articles()

    assert first.slug == "new"
    assert not any(article.featured for article in others)


def test_an_entry_that_no_longer_fits_leaves_what_was_delivered() -> None:
    broken = Overlay(Kind.ARTICLE, ARTICLES[0].slug, {"title": ""})

    with previewed(lay_over([broken])):
        assert articles()[0] == ARTICLES[0]


@pytest.mark.parametrize(("order", "place"), [("", 11), ("5", 0), ("15", 1), ("105", 10)])
def test_a_number_moves_a_record_in_its_list(order: str, place: int) -> None:
    team = KINDS[Kind.TEAM_MEMBER]
    fields = {"name": "Amani Odhiambo", "position": "Intern", "bio": "New.", "image_url": "", ORDER: order}

    records = lay_over([Overlay(Kind.TEAM_MEMBER, "amani", fields)])[Kind.TEAM_MEMBER]

    assert [team.slug_of(record) for record in records].index("amani") == place


def test_a_changed_address_is_that_of_the_page_and_the_former_one_is_known() -> None:
    slug = ARTICLES[0].slug
    fields = {**FIELDS, "address": "moved", "former_addresses": "was-here"}

    with previewed(lay_over([Overlay(Kind.ARTICLE, slug, fields)])):
        article = find_article(slug)

    assert article is not None
    assert article.href == "/moved"
    assert article.former_paths == (f"/{slug}", "/was-here")


def test_results_that_depend_on_content_are_computed_anew_after_a_change() -> None:
    @kept_until_changed(4)
    def count() -> int:
        return len(published(Kind.ARTICLE, ARTICLES))

    before = count()
    try:
        replace_published({Kind.ARTICLE: ARTICLES[:1]})
        assert (before, count()) == (len(ARTICLES), 1)
    finally:
        replace_published({})
    assert count() == before


def test_a_kind_without_its_own_words_takes_the_delivered_record_as_it_is() -> None:
    plan = KINDS[Kind.PLAN]
    first = plan.delivered[0]
    changed = plan.build(plan.slug_of(first), {**plan.fields_of(first), "price": "4000"})

    assert changed == first.model_copy(update={"price": 4000})
    assert replace(plan, fields=()).is_ordered is False


def test_an_uploaded_picture_in_a_text_has_its_size_and_widths() -> None:
    built = ARTICLE.build(
        "new", {**FIELDS, "text": "![A shop](/pictures/0123456789abcdef/1200x800.jpg#30,60)"}
    )

    assert isinstance(built, type(ARTICLES[0]))
    assert 'src="/pictures/0123456789abcdef/1200x800.jpg"' in built.html
    assert "/pictures/0123456789abcdef/960.webp 960w" in built.html
    assert 'width="1200" height="800" loading="lazy"' in built.html
    assert 'alt="A shop"' in built.html


def test_what_is_computed_for_a_preview_is_not_kept_for_visitors() -> None:
    @kept_until_changed(4)
    def title() -> str:
        return articles()[0].title

    first = ARTICLES[0].model_copy(update={"title": "A draft"})
    with previewed({Kind.ARTICLE: (first,)}):
        assert title() == "A draft"
    assert title() == ARTICLES[0].title
    with previewed({Kind.ARTICLE: (first,)}):
        assert title() == "A draft"


@pytest.mark.parametrize("kind", [Kind.ANNOUNCEMENT, Kind.WEBINAR])
@pytest.mark.parametrize(
    "address",
    ["https://[your-site].co.ke", "https://[2001:db8::1", "https://", "https:///path", "https://a b"],
)
def test_an_address_that_browsers_cannot_open_is_refused(kind: Kind, address: str) -> None:
    name = {Kind.ANNOUNCEMENT: "href", Kind.WEBINAR: "room"}[kind]
    (field,) = [field for field in KINDS[kind].fields if field.name == name]
    assert field.find_problem(address).startswith("Please enter")
    assert not field.find_problem("https://meet.example.co.ke:8443/a-b?c=[d]#e")


def test_an_entry_whose_record_fails_in_any_way_is_refused_and_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def make(slug: str, values: Mapping[str, str], delivered: Record | None) -> Record:
        if slug == "bad":
            raise KeyError(slug)
        return partner.make(slug, values, delivered)

    partner = KINDS[Kind.PARTNER]
    broken = replace(partner, make=make)
    monkeypatch.setattr(entry_kinds, "KINDS", {**KINDS, Kind.PARTNER: broken})
    fields = {"name": "New", "logo": "/images/partner-1.svg", "order": ""}
    with pytest.raises(EntryInvalid):
        broken.build("bad", fields)
    overlays = [Overlay(Kind.PARTNER, slug, fields) for slug in ("bad", "good")]
    slugs = [partner.slug_of(record) for record in lay_over(overlays)[Kind.PARTNER]]
    assert "good" in slugs
    assert "bad" not in slugs


@pytest.mark.parametrize("text", ["15,000", "KES 15,000", "15 000", " 15000 ", "Ksh. 15,000.00", "15000/="])
def test_a_price_is_read_as_people_write_it(text: str) -> None:
    definition, course = KINDS[Kind.COURSE], COURSES[0]
    built = definition.build(course.slug, definition.fields_of(course) | {"price": text})
    assert isinstance(built, Course)
    assert built.payment_price == 15_000


def test_staff_choose_the_cover_of_a_course() -> None:
    definition, course = KINDS[Kind.COURSE], COURSES[0]
    photograph = "/pictures/0123456789abcdef/1600x1067.jpg#30,60"
    built = definition.build(course.slug, definition.fields_of(course) | {"cover": photograph})
    assert built == course.model_copy(update={"cover": photograph})


@pytest.mark.parametrize("text", ["1,5", "-1", "15.5", "250,001", "1e3", "many"])
def test_another_price_is_refused(text: str) -> None:
    definition, course = KINDS[Kind.COURSE], COURSES[0]
    with pytest.raises(EntryInvalid) as invalid:
        definition.build(course.slug, definition.fields_of(course) | {"price": text})
    assert invalid.value.problems == {"price": "Please enter a whole number from 0 to 250,000."}


def test_forty_tags_are_not_too_long() -> None:
    tags = [f"Tag {number}" for number in range(40)]
    built = ARTICLE.build("new", {**FIELDS, "tags": "\n".join(tags)})
    assert isinstance(built, Article)
    assert built.tags == tuple(tags)


def test_no_table_of_contents_means_none() -> None:
    built = ARTICLE.build("new", {**FIELDS, "contents": ""})
    assert isinstance(built, Article)
    assert built.contents is None
