"""Slides of the home page's carousel."""

from agency_site.content.schema import HeroSlide, Link

HERO: tuple[HeroSlide, ...] = (
    HeroSlide(
        id="brands",
        image="/art/hero-1.svg",
        title="Brands that get talked about from Karen to Kisumu.",
        accent="talked about",
        text="Websites, campaigns and stories for Kenyan businesses, and an academy that teaches your team to do it too.",
        main=Link(label="Book a Consultation", href="/book"),
        other=Link(label="View Our Courses", href="/academy"),
    ),
    HeroSlide(
        id="academy",
        image="/art/hero-2.svg",
        title="Learn it on Monday. Use it at work on Tuesday.",
        accent="Use it",
        text="Short online courses with hands-on projects, taught by people who run campaigns for a living.",
        main=Link(label="Enroll Today", href="/payment"),
        other=Link(label="Talk to us first", href="/book"),
    ),
)
