"""The academy's courses, in the order of the payment list; the free one comes last.

Email Marketing costs 20,000 on its detail page and 25,000 in the payment list; both stand as the specification
writes them (readings, 6) until the owner decides.
"""

from agency_site.content.schema import Course, Slug

COURSES: tuple[Course, ...] = (
    Course(
        slug="digital-marketing",
        title="Digital Marketing for CEOs",
        payment_name="Digital Marketing For CEOs Masterclass",
        detail_price=30_000,
        payment_price=30_000,
        weeks=6,
        summary="Read the numbers, brief the team and spend with a reason. Made for people who sign the budget.",
    ),
    Course(
        slug="social-media-marketing",
        title="Social Media Marketing",
        payment_name="Social media marketing",
        detail_price=15_000,
        payment_price=15_000,
        weeks=4,
        summary="Plan, film and publish a month of posts that start conversations, then answer them well.",
    ),
    Course(
        slug="google-ads",
        title="Google Ads Masterclass",
        payment_name="Google Ads Masterclass",
        detail_price=15_000,
        payment_price=15_000,
        weeks=4,
        summary="Set up, read and improve campaigns that pay for themselves, with your own account open.",
    ),
    Course(
        slug="digital-marketing-masterclass",
        title="Digital Marketing Masterclass",
        payment_name="Digital Marketing Masterclass",
        detail_price=15_000,
        payment_price=15_000,
        weeks=4,
        summary="For marketers who know the basics: one plan across search, social and mail, measured end to end.",
    ),
    Course(
        slug="meta-ads",
        title="Meta Ads Masterclass",
        payment_name="Meta Ads Masterclass",
        detail_price=15_000,
        payment_price=15_000,
        weeks=4,
        summary="Facebook and Instagram campaigns from the first audience to the report, on a shop's real budget.",
    ),
    Course(
        slug="canva-design",
        title="Canva Design Masterclass",
        payment_name="Canva Design Masterclass",
        detail_price=15_000,
        payment_price=15_000,
        weeks=4,
        summary="Posters, menus and a month of posts that look like one brand, made on the laptop you have.",
    ),
    Course(
        slug="graphic-design",
        title="Graphic Design Masterclass",
        payment_name="Graphic Design Masterclass",
        detail_price=15_000,
        payment_price=15_000,
        weeks=4,
        summary="Type, colour and layout by making things: a logo, a label, a poster and the file the printer wants.",
    ),
    Course(
        slug="email-marketing",
        title="Email Marketing Masterclass",
        payment_name="Email Marketing Masterclass",
        detail_price=20_000,
        payment_price=25_000,
        weeks=6,
        summary="A list people stay on, and messages that earn their place in the inbox.",
    ),
    Course(
        slug="digital-skills",
        title="Grow Your Business with Digital Skills",
        payment_name="Grow Your Business with Digital Skills",
        detail_price=0,
        payment_price=0,
        weeks=4,
        summary="From WhatsApp orders to a shop that sells while you sleep. Free, for owners who start from zero.",
    ),
)


def payment_list() -> tuple[Course, ...]:
    """Courses that cost money, in the order in which the payment page lists them."""
    return tuple(course for course in COURSES if not course.free)


def course_by_slug(slug: Slug) -> Course | None:
    """The course of that slug, or none."""
    return next((course for course in COURSES if course.slug == slug), None)


def course_by_payment_name(name: str) -> Course | None:
    """The course that the payment list calls by that name, or none."""
    return next((course for course in COURSES if course.payment_name == name), None)
