"""The content and the brand as they were delivered: facts of the specification.

An owner who changes one of them changes it here too, or sets `content_as_delivered` in `pyproject.toml` to false:
then no test of this file runs.
"""

import pytest

from agency_site import brand
from agency_site.brand import contrast
from agency_site.content.about import REASONS, STORY, TEAM, VALUES
from agency_site.content.academy import ACADEMY
from agency_site.content.article_schema import Contents
from agency_site.content.articles import ARTICLES, CATEGORY_COUNTS
from agency_site.content.brand import BRAND
from agency_site.content.calls import ACADEMY_CALL, BRAND_CALL
from agency_site.content.courses import COURSES, catalogue, featured, payment_list
from agency_site.content.hero import HERO
from agency_site.content.hosting import PLANS, SSL_NOTE
from agency_site.content.hours import business_hours
from agency_site.content.impact import TAGLINE, list_shown
from agency_site.content.insights import INSIGHTS
from agency_site.content.newsletter import FACTS, INTERESTS
from agency_site.content.partners import HEADING, INTRO, PARTNERS
from agency_site.content.portfolio import PORTFOLIO
from agency_site.content.services import SERVICES
from agency_site.content.services.content_strategy import CONTENT_STRATEGY
from agency_site.content.services.digital_training import TRAINING
from agency_site.content.services.photography import PHOTOGRAPHY
from agency_site.content.services.schema import RATING
from agency_site.content.services.social_media import SOCIAL_MEDIA
from agency_site.content.teasers import smaller, teasers
from agency_site.content.testimonials import TESTIMONIALS, TRUST_LINE
from agency_site.content.webinars import WEBINARS, WebinarCategory, WebinarStatus, upcoming

pytestmark = pytest.mark.specification

CATALOGUE = [
    ("Digital Marketing for CEOs", "marketing", "6 Weeks", "Executive", 4.9, "/digital-marketing"),
    ("Email Marketing Masterclass", "marketing", "6 Weeks", "All Levels", 4.8, "/email-marketing"),
    ("Grow Your Business with Digital Skills", "business", "4 Weeks", "Beginner", 4.7, "/digital-skills"),
    ("Social Media Marketing", "marketing", "4 Weeks", "Intermediate", 4.8, "/social-media-marketing"),
    ("Google Ads Masterclass", "marketing", "4 Weeks", "All Levels", 4.9, "/google-ads"),
    (
        "Digital Marketing Masterclass", "marketing", "4 Weeks", "Advanced", 5, "/digital-marketing-masterclass",
    ),
]  # fmt: skip
FEATURED = [
    ("/digital-marketing", 4.8),
    ("/email-marketing", 4.6),
    ("/digital-skills", 4.9),
    ("/social-media-marketing", 4.7),
    ("/google-ads", 4.5),
    ("/digital-marketing-masterclass", 4.9),
    ("/meta-ads", 4.6),
    ("/canva-design", 4.7),
    ("/graphic-design", 4.8),
]
PAYMENT = [
    ("Digital Marketing For CEOs Masterclass", 30000),
    ("Social media marketing", 15000),
    ("Google Ads Masterclass", 15000),
    ("Digital Marketing Masterclass", 15000),
    ("Meta Ads Masterclass", 15000),
    ("Canva Design Masterclass", 15000),
    ("Graphic Design Masterclass", 15000),
    ("Email Marketing Masterclass", 25000),
]
DETAIL = {
    "digital-marketing": ("KES 30,000", "6 weeks, 2 hours a week", "Executive"),
    "email-marketing": ("KES 20,000", "6 weeks, 2 hours a week", "Intermediate to Advanced"),
    "digital-skills": ("FREE", "4 weeks, 2 hours a week", "Beginner to Intermediate"),
    "social-media-marketing": ("KES 15,000", "4 weeks, 2 hours a week", "Intermediate"),
    "digital-marketing-masterclass": (
        "KES 15,000", "4 weeks, 2 hours a week", "Advanced Marketing Professionals",
    ),
    "google-ads": ("KES 15,000", "4 weeks, 2 hours a week", "Beginner to Advanced"),
    "meta-ads": ("KES 15,000", "4 weeks, 2 hours a week", "Beginner to Advanced"),
    "canva-design": ("KES 15,000", "4 weeks, 2 hours a week", "Beginner to Advanced"),
    "graphic-design": ("KES 15,000", "4 weeks, 2 hours a week", "Beginner to Intermediate"),
}  # fmt: skip
PARTS = {
    "web-design": (6, 0, 0),
    "social-media": (6, 4, 4),
    "software-development": (6, 4, 4),
    "digital-advertising": (4, 0, 0),
    "content-strategy": (4, 0, 5),
    "visual-identity": (4, 0, 0),
    "digital-training": (0, 4, 4),
    "photography": (6, 0, 0),
}
"""Each service page's offers, figures and steps, in the order of the services."""
ARTICLES_BY_SLUG = {article.slug: article for article in ARTICLES}


def test_s3_the_catalogue_holds_the_six_courses_with_their_facts() -> None:
    cards = [(course, course.catalogue) for course in catalogue() if course.catalogue]
    results = [(c.title, c.category.value, c.duration, c.level, c.rating, course.path) for course, c in cards]

    assert results == CATALOGUE


def test_s2_the_academy_features_nine_courses_with_their_ratings() -> None:
    assert [(course.path, course.featured.rating) for course in featured()] == FEATURED


def test_s2_the_academy_shows_the_five_figures() -> None:
    assert [(figure.figure, figure.label) for figure in ACADEMY.figures] == [
        ("92%", "job placement"),
        ("1000+", "students trained"),
        ("120+", "industry experts"),
        ("98%", "satisfaction"),
        ("10", "certification programs"),
    ]


def test_s3_the_payment_list_keeps_names_prices_and_order() -> None:
    assert [(course.payment_name, course.payment_price) for course in payment_list()] == PAYMENT


def test_s9_price_duration_level_and_certificate_of_the_detail_page() -> None:
    assert {
        course.slug: (course.shown_price, course.duration, course.detail.level) for course in COURSES
    } == DETAIL
    for course in COURSES:
        assert course.detail.certificate == "Certification of Completion"
        assert "nline" in course.detail.format
        assert "hands-on projects" in course.detail.format


def test_only_email_marketing_has_two_prices() -> None:
    assert [course.slug for course in COURSES if course.detail_price != course.payment_price] == [
        "email-marketing"
    ]


def test_the_blog_holds_the_five_articles_of_the_specification_featured_first() -> None:
    assert [article.href for article in ARTICLES] == [
        "/digitalmarketing-blog", "/visual-blog", "/email-marketing-blog", "/video-blog", "/authenticity-blog",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("slug", "line", "minutes", "category"),
    [
        ("email-marketing-blog", "April 26, 2025", "4 min read", "Email Marketing"),
        ("video-blog", "March 20, 2025", "3 min read", "Video Marketing"),
        ("authenticity-blog", "February 26, 2025", "4 min read", "Storytelling"),
    ],
)
def test_dates_read_times_and_categories_are_the_specifications(
    slug: str, line: str, minutes: str, category: str
) -> None:
    article = ARTICLES_BY_SLUG[slug]
    assert (article.date_line, article.read_time, article.category) == (line, minutes, category)


def test_two_articles_are_by_admin() -> None:
    assert [article.slug for article in ARTICLES if article.author == "admin"] == [
        "video-blog", "authenticity-blog",
    ]  # fmt: skip


def test_the_sidebar_counts_are_the_specifications() -> None:
    assert {str(category): count for category, count in CATEGORY_COUNTS.items()} == {
        "Digital Strategy": 12, "Content Creation": 8, "Email Marketing": 15,
        "Social Media": 22, "Video Marketing": 7, "Analytics": 9,
    }  # fmt: skip


def test_share_windows_hashtags_and_contents_differ_as_specified() -> None:
    email, video, honest = (
        ARTICLES_BY_SLUG[f"{name}-blog"] for name in ("email-marketing", "video", "authenticity")
    )
    assert set(email.share.popups.values()) == {"550x420", "600x500", "750x600"}
    assert email.next is not None
    assert email.next.title == "So, What's Next?"
    assert email.contents is Contents.LISTED
    assert video.share.popup == "626x436+100+100"
    assert video.share.hashtags == ("VideoMarketing", "ShortFormVideo", "DigitalMarketing")
    assert video.contents is Contents.FOLDING
    assert honest.share.popup == "600x400"
    assert honest.share.pin_description
    assert honest.hashtags == (
        "AuthenticMarketing", "BrandStorytelling", "BehindTheScenesMarketing", "EmotionalConnectionMarketing",
        "UserGeneratedContent", BRAND.name.replace(" ", ""),
    )  # fmt: skip


def test_six_insights_of_which_the_first_is_featured() -> None:
    assert [insight.featured for insight in INSIGHTS] == [True, *[False] * 5]


def test_s2_teasers_of_the_home_page_have_the_given_links_categories_and_read_times() -> None:
    assert len(smaller()) == 3
    assert [(teaser.href, teaser.category) for teaser in teasers()] == [
        ("/digitalmarketing-blog", "Digital Marketing"),
        ("/Visual-blog", "Content Creation"),
        ("/email-marketing-blog", "Email Marketing"),
        ("/video-blog", "Video Marketing"),
    ]
    assert {teaser.read_time for teaser in teasers()} == {"3 min read", "4 min read"}


def test_s9_an_article_is_read_in_three_to_four_minutes() -> None:
    assert {article.read_minutes for article in ARTICLES} == {3, 4}


def test_s4_the_carousel_has_two_slides() -> None:
    assert len(HERO) == 2


def test_s2_there_are_two_testimonials() -> None:
    assert TRUST_LINE == "Trusted by 500+ Kenyan brands, entrepreneurs & tech leaders"
    assert len(TESTIMONIALS) == 2


def test_s2_the_portfolio_has_four_categories() -> None:
    assert [(group.category, len(group.images)) for group in PORTFOLIO] == [
        ("Web design & development", 6),
        ("Social media management/marketing", 3),
        ("Software Development", 6),
        ("Visual Identity & Branding", 4),
    ]


def test_s2_the_four_figures_of_the_impact_banner() -> None:
    assert [(stat.figure, stat.target) for stat in list_shown()] == [
        ("250", 250),
        ("3,000", 3000),
        ("90", 90),
        ("10", 10),
    ]
    assert "meaningful results and lasting partnerships" in TAGLINE


def test_s2_twenty_two_partners_with_a_logo_each() -> None:
    assert HEADING == "Our Esteemed Clients"
    assert "collaborating with industry leaders" in INTRO
    assert [partner.name for partner in PARTNERS] == [f"Partner {number}" for number in range(1, 23)]


def test_s2_the_two_calls_lead_where_the_specification_says() -> None:
    assert BRAND_CALL.link.href == "/services/content-strategy"
    assert ACADEMY_CALL.title == "Eyeing that career in the digital space?"
    assert ACADEMY_CALL.link.href == "/academy"


def test_the_eight_services_are_in_the_order_of_their_targets() -> None:
    assert [service.path for service in SERVICES] == [f"/services/{slug}" for slug in PARTS]
    assert RATING == "5.0"


def test_each_service_page_has_exactly_its_parts() -> None:
    assert {
        service.slug: (len(service.offers), len(service.figures), len(service.steps)) for service in SERVICES
    } == PARTS


def test_calls_to_action_of_services_lead_where_the_specification_says() -> None:
    targets = {service.slug: service.closing.link.href for service in SERVICES}

    assert {slug for slug, href in targets.items() if href == "/contact"} == {
        "social-media",
        "digital-training",
        "photography",
    }
    assert set(targets.values()) == {"/contact", "/book"}
    assert PHOTOGRAPHY.closing.link.label == "Discuss Your Project"


def test_steps_four_and_five_of_content_strategy_are_both_numbered_four() -> None:
    assert [step.number for step in CONTENT_STRATEGY.steps] == ["1", "2", "3", "4", "4"]


def test_five_programmes_lead_to_six_courses() -> None:
    assert len(TRAINING.programs) == 5
    assert [slug for program in TRAINING.programs for slug in program.courses] == [
        "digital-marketing",
        "email-marketing",
        "digital-skills",
        "social-media-marketing",
        "digital-marketing-masterclass",
        "google-ads",
    ]


def test_claims_are_as_the_specification_gives_them() -> None:
    assert {figure.figure for figure in SOCIAL_MEDIA.figures} == {"87%", "3.2x", "250%", "42%"}
    assert [(figure.figure, figure.label) for figure in TRAINING.figures] == [
        ("92%", "job placement"),
        ("85K", "average salary"),
        ("250+", "hiring partners"),
        ("98%", "satisfaction"),
    ]


def test_media_cards_carry_the_given_names() -> None:
    assert [offer.title for offer in PHOTOGRAPHY.offers] == [
        "Professional Photography",
        "Cinematic Videography",
        "Live Streaming",
        "Post-Production",
        "Product Photography",
        "Event Coverage",
    ]


def test_hosting_plans_have_the_given_prices_and_parts() -> None:
    assert [(plan.slug, plan.name, plan.price_text, plan.popular) for plan in PLANS] == [
        ("starter", "Starter", "3,300 ksh", False),
        ("growth", "Growth", "5,500 ksh", True),
        ("pro", "Pro", "7,500 ksh", False),
    ]
    assert PLANS[0].storage == "20 GB SSD"
    assert PLANS[1].storage.startswith("30 GB")
    assert PLANS[2].storage.startswith("50 GB")
    assert [plan.features for plan in PLANS] == [
        (),
        ("Email support", "Weekly backups"),
        ("24/7 premium support", "Email support", "Weekly backup"),
    ]
    assert SSL_NOTE == "SSL certificate paid separately on all plans"


def test_the_team_has_eleven_members() -> None:
    assert len(TEAM) == 11


def test_there_are_four_values_and_six_reasons() -> None:
    assert [value.title for value in VALUES] == ["Integrity", "Collaboration", "Innovation", "Excellence"]
    assert len(REASONS) == 6


def test_the_story_begins_in_2016() -> None:
    assert STORY[0].year == BRAND.since == 2016


def test_five_webinars_are_to_come_and_one_is_past() -> None:
    assert len(WEBINARS) == 6
    assert len(upcoming()) == 5
    assert {webinar.category for webinar in WEBINARS} == set(WebinarCategory)
    assert [bool(webinar.recording) for webinar in WEBINARS if webinar.status is WebinarStatus.PAST] == [True]


def test_business_hours_read_as_the_specification_writes_them() -> None:
    assert business_hours() == (
        ("Monday to Friday", "8:00 AM to 5:00 PM"), ("Saturday", "9:00 AM to 1:00 PM"), ("Sunday", "closed"),
    )  # fmt: skip


def test_of_the_interests_marketing_alone_is_chosen() -> None:
    assert [interest.name for interest in INTERESTS if interest.chosen] == ["marketing"]


def test_the_newsletter_is_weekly_on_wednesdays_free_and_easy_to_leave() -> None:
    said = " ".join(f"{fact} {text}" for fact, text in FACTS)
    assert all(word in said for word in ("Wednesdays", "weekly", "Free", "unsubscribe link in each issue"))


def test_s1_the_brand_colour_is_the_specifications() -> None:
    assert brand.BRAND == "#C24435"


def test_white_reads_on_the_brand_colour_as_the_design_measured() -> None:
    assert contrast(brand.WHITE, brand.BRAND) == pytest.approx(5.03, abs=0.01)


def test_the_relatives_of_the_brand_colour_are_those_of_the_design() -> None:
    assert (brand.DEEP, brand.BLUSH) == ("#7E2A20", "#F3C9BC")


def test_the_fonts_are_those_of_the_design() -> None:
    assert (brand.DISPLAY_FONT, brand.TEXT_FONT) == ("Bricolage Grotesque", "Figtree")
