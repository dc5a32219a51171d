"""The home page's blogs section: one featured article and three smaller ones (specification, section 2, Home 5)."""

from agency_site.content.schema import Record, Slug


class BlogTeaser(Record):
    """One article, as the home page shows it."""

    id: Slug
    title: str
    href: str
    """The path as the specification writes it, capital letters included."""
    image: str
    author: str
    date: str
    read_time: str
    excerpt: str
    category: str
    featured: bool = False
    """Only the first one is."""


TEASERS: tuple[BlogTeaser, ...] = (
    BlogTeaser(
        id="digitalmarketing-blog",
        title="Digital marketing for businesses that have no time",
        href="/digitalmarketing-blog",
        image="/art/covers/digitalmarketing-blog.svg",
        author="Strategy desk",
        date="May 29, 2025",
        read_time="4 min read",
        excerpt=(
            "You open at seven, close at eight and do the books after supper. Here is a routine of three hours a week: one "
            "page, one list, one channel done well, and a sheet that follows the money."
        ),
        category="Digital Marketing",
        featured=True,
    ),
    BlogTeaser(
        id="visual-blog",
        title="Visual storytelling: show it, then say it",
        href="/Visual-blog",
        image="/art/covers/visual-blog.svg",
        author="Design desk",
        date="May 13, 2025",
        read_time="3 min read",
        excerpt="One good picture of the hands that make it sells more than ten adjectives under it.",
        category="Content Creation",
    ),
    BlogTeaser(
        id="email-marketing-blog",
        title="Email marketing that people open",
        href="/email-marketing-blog",
        image="/art/covers/email-marketing-blog.svg",
        author="Content desk",
        date="April 26, 2025",
        read_time="4 min read",
        excerpt="A list of 400 people who asked for your letter beats 40,000 who never did.",
        category="Email Marketing",
    ),
    BlogTeaser(
        id="video-blog",
        title="Short-form video: the first three seconds",
        href="/video-blog",
        image="/art/covers/video-blog.svg",
        author="admin",
        date="March 20, 2025",
        read_time="3 min read",
        excerpt="Start with the sizzle, not with the logo. What to film when all you have is a phone and lunch hour.",
        category="Video Marketing",
    ),
)


def featured() -> BlogTeaser:
    """The one that stands large. Raises ValueError unless exactly one is marked."""
    (found,) = (teaser for teaser in TEASERS if teaser.featured)
    return found


def smaller() -> tuple[BlogTeaser, ...]:
    """The others, in order."""
    return tuple(teaser for teaser in TEASERS if not teaser.featured)
