"""What staff can change, by kind: the fields of an entry, and how they become a record.

An entry changes a delivered record or adds one. Its record passes the same schema as the delivered ones.
"""

import logging
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from pydantic import ValidationError

from agency_site.clock import NAIROBI, today
from agency_site.clock_times import parse_clock_time, parse_time_span
from agency_site.content import (
    about,
    articles,
    courses,
    hosting,
    insights,
    partners,
    portfolio,
    testimonials,
    webinars,
)
from agency_site.content.announcement import ANNOUNCEMENTS, Announcement, find_announcement_problems
from agency_site.content.article_schema import (
    GENERAL_CALL,
    Article,
    ArticleCategory,
    Call,
    Contents,
    Insight,
    InsightCategory,
    Publication,
    Sharing,
    SidebarCategory,
)
from agency_site.content.course_schema import Course
from agency_site.content.entries import Kind
from agency_site.content.hosting import HostingPlan
from agency_site.content.hours import HOURS, find_hours_problems
from agency_site.content.mail_texts import MAIL_TEXTS, MailText
from agency_site.content.markdown import find_text_problem, list_links, list_pictures, render
from agency_site.content.schema import Hours, Opening, Record
from agency_site.fields import Control, Field, Fields, find_problems, read_number, split_lines, value_text
from agency_site.form_input import YES, parse_date, parse_moment, parse_time
from agency_site.picture_addresses import VECTOR, parse_picture_address

log = logging.getLogger(__name__)

ORDER = "order"
"""Name of the field that moves a record in its list. Delivered records have 10, 20, 30 …"""
FORMER_ADDRESSES = "former_addresses"
"""Key of the addresses that the page had before, in the fields of an overlay; no field of the form."""
_ORDER_STEP = 10
_WORDS_A_MINUTE, _LONGEST_READ = 220, 60
Build = Callable[[str, Fields, Any], Record]
Shape = TypeVar("Shape", bound=Record)


class EntryInvalid(ValueError):
    """Fields that make no record: one message for each field that has a problem."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{name}: {problem}" for name, problem in problems.items()))
        self.problems = dict(problems)


@dataclass(frozen=True)
class KindDefinition:
    """One kind: its words, its fields, and both ways between fields and records."""

    kind: Kind
    name: str
    plural: str
    fields: tuple[Field, ...]
    delivered: Sequence[Record]
    slug_of: Callable[[Any], str]
    title_of: Callable[[Any], str]
    fields_of: Callable[[Any], dict[str, str]]
    make: Build
    """Make the record of a slug from its fields and from the delivered record, which may be None."""
    path_of: Callable[[Any], str]
    """The page that shows the record."""
    can_create: bool = True
    can_hide: bool = True
    needs_one: bool = False
    """True if pages cannot do without any record of the kind."""
    has_own_page: bool = False
    """True if each record has a page of its own."""
    arrange: Callable[[list[Any]], Iterable[Any]] = field(default=tuple)
    """Bring the records into the order of their list."""

    def find_delivered(self, slug: str) -> Record | None:
        """Return the delivered record of that slug; None for a record that staff have added."""
        return next((record for record in self.delivered if self.slug_of(record) == slug), None)

    def build(self, slug: str, values: Fields) -> Record:
        """Return the record of these fields. Raises EntryInvalid."""
        if problems := find_problems(self.fields, values):
            raise EntryInvalid(problems)
        try:
            return self.make(slug, values, self.find_delivered(slug))
        except ValidationError as error:
            labels = {each.name: each.label for each in self.fields}
            names = (str(part["loc"][0]) if part["loc"] else "" for part in error.errors())
            own = dict.fromkeys(name if name in labels else self.fields[0].name for name in names)
            raise EntryInvalid(
                {name: f"“{labels[name]}” cannot be published like this. Please change it." for name in own}
            ) from None
        except EntryInvalid:
            raise
        except Exception as error:
            # Whatever fails in one entry, the others are shown, and this one is refused.
            log.exception("an entry of the kind %s makes no record", self.kind)
            raise EntryInvalid({self.fields[0].name: "This cannot be shown on the site."}) from error

    def list_pictures(self, values: Fields) -> Iterator[tuple[str, str]]:
        """Yield the address of each picture that these fields show, after the name of its field."""
        for each in self.fields:
            value = values.get(each.name, "").strip()
            if each.control is Control.PICTURE and value:
                yield each.name, value
            if each.control is Control.MARKDOWN:
                yield from ((each.name, address) for address, _ in list_pictures(value))

    def list_links(self, values: Fields) -> Iterator[tuple[str, str]]:
        """Yield the address of each link that these fields show, after the name of its field."""
        for each in self.fields:
            value = values.get(each.name, "").strip()
            if each.control is Control.LINK and value:
                yield each.name, value
            if each.control is Control.MARKDOWN:
                yield from ((each.name, address) for address in list_links(value))

    def find_small_pictures(self, values: Fields) -> dict[str, str]:
        """Return the problem of each field whose picture has too few pixels for its place."""
        problems = {}
        for each in self.fields:
            address = parse_picture_address(values.get(each.name, "").strip())
            if each.control is not Control.PICTURE or address is None or address.suffix == VECTOR:
                continue
            least_height = each.least // 2
            if address.width < each.least or address.height < least_height:
                problems[each.name] = (
                    f"This picture has only {address.width:,} by {address.height:,} pixels, so it would look blurred. "
                    f"“{each.label}” needs at least {each.least:,} by {least_height:,}."
                )
        return problems

    def find_text_problems(self, values: Fields) -> dict[str, str]:
        """Return the problem of each text in Markdown that visitors would not see as its author means it.

        Such a text makes a record all the same: what is published stays when these checks become stricter.
        """
        texts = (each.name for each in self.fields if each.control is Control.MARKDOWN)
        problems = {name: find_text_problem(values.get(name, "")) for name in texts}
        return {name: problem for name, problem in problems.items() if problem}

    @property
    def is_ordered(self) -> bool:
        """Return whether staff can move records in their list."""
        return any(each.name == ORDER for each in self.fields)


def _pick(record: Record, *names: str) -> dict[str, str]:
    return {name: value_text(getattr(record, name)) for name in names}


def _update(shape: type[Shape], delivered: Record | None, values: Mapping[str, Any]) -> Shape:
    base = delivered.model_dump() if delivered else {}
    return shape.model_validate(base | dict(values))


def _read_order() -> Field:
    return Field(
        ORDER, "Place in the list", Control.NUMBER, is_required=False, longest=9_999,
        hint="Records are shown by this number; the delivered ones have 10, 20, 30 … Leave it empty for the usual place.",
    )  # fmt: skip


def _list_call_fields(prefix: str, name: str, hint: str) -> tuple[Field, ...]:
    return (
        Field(f"{prefix}_title", name, is_required=False, longest=120, hint=hint),
        Field(f"{prefix}_text", f"{name}: text", Control.TEXT, is_required=False, longest=400),
        Field(f"{prefix}_label", f"{name}: words of the button", is_required=False, longest=40),
        Field(
            f"{prefix}_href", f"{name}: target of the button", Control.LINK, is_required=False, longest=300
        ),
    )


def _read_call(prefix: str, values: Fields) -> Call | None:
    """Return the call in the fields of `_list_call_fields`; None without any. Raises EntryInvalid for a part of one."""
    names = ("title", "text", "label", "href")
    filled = {name: value for name in names if (value := values.get(f"{prefix}_{name}", "").strip())}
    if not filled:
        return None
    if missing := {"title", "text"} - filled.keys():
        reason = "Please fill in title and text of the call, or leave all its fields empty."
        raise EntryInvalid({f"{prefix}_{name}": reason for name in missing})
    return Call(**filled)


def _write_call(prefix: str, call: Call | None) -> dict[str, str]:
    return {f"{prefix}_{name}": value for name, value in call.model_dump().items()} if call else {}


_PUBLICATION_FIELDS = (
    Field("title", "Title", longest=255,
               hint="Search engines show about 60 characters. A longer title needs one of its own for them."),
    Field("address", "Address", Control.ADDRESS, is_required=False, longest=80,
               hint="The last part of the page's address. An old address leads to the new one."),
    Field("excerpt", "Excerpt", Control.TEXT, longest=400, hint="Shown in lists, and above the text."),
    Field("lead", "Opening", Control.TEXT, is_required=False, longest=600,
               hint="Shown above the text in place of the excerpt."),
    Field("text", "Text", Control.MARKDOWN, longest=60_000),
    Field("image", "Cover", Control.PICTURE, least=800),
    Field("author", "Author", longest=80),
    Field("published", "Date", Control.DATE, is_past=True),
    Field("revised", "Revised on", Control.DATE, is_required=False, is_past=True),
    Field("featured", "Featured", Control.TICK, is_required=False, hint="The large one. The newest featured one counts."),
    Field("head_title", "Title for search engines", is_required=False, longest=60, hint="Leave it empty for the title."),
    Field("description", "Description for search engines", Control.TEXT, least=50, longest=160),
    *_list_call_fields("call", "Call at the end", "Leave its fields empty for the general invitation to contact us."),
    Field("share_hashtags", "Keywords for X", Control.LINES, is_required=False, hint="Sent as hashtags. One a line."),
    Field("pin_description", "Description for Pinterest", Control.TEXT, is_required=False, longest=500,
               hint="Leave it empty for the title."),
)  # fmt: skip


def _publication_values(slug: str, values: Fields, delivered: Publication | None) -> dict[str, Any]:
    html, headings = render(values["text"])
    excerpt = values["excerpt"].strip()
    revised = values.get("revised", "")
    if revised.strip() and parse_date(revised) < parse_date(values["published"]):
        raise EntryInvalid({"revised": "The revision cannot be earlier than the date of the text."})
    sharing = {
        "hashtags": split_lines(values.get("share_hashtags", "")),
        "pin_description": values.get("pin_description", "").strip(),
    }
    return {
        "slug": slug,
        "address": values.get("address", "").strip() if values.get("address", "").strip() != slug else "",
        "former_addresses": split_lines(values.get(FORMER_ADDRESSES, "")),
        "title": values["title"].strip(),
        "head_title": values.get("head_title", "").strip(),
        "description": values["description"].strip(),
        "image": values["image"].strip(),
        "author": values["author"].strip(),
        "published": parse_date(values["published"]),
        "revised": parse_date(revised) if revised.strip() else None,
        "read_minutes": _count_minutes(values["text"], delivered),
        "featured": values.get("featured") == YES,
        "excerpt": excerpt,
        "lead": values.get("lead", "").strip(),
        "call": _read_call("call", values) or GENERAL_CALL,
        "share": (delivered.share if delivered else Sharing()).model_copy(update=sharing),
        "text": values["text"].strip(),
        "html": html,
        "headings": headings,
        "source": "entry",
    }


def _count_minutes(text: str, delivered: Publication | None) -> int:
    if delivered and delivered.text == text.strip():
        return delivered.read_minutes
    return min(_LONGEST_READ, max(1, math.ceil(len(text.split()) / _WORDS_A_MINUTE)))


def _publication_fields(record: Publication) -> dict[str, str]:
    names = (
        "title", "excerpt", "lead", "text", "image", "author", "published", "revised", "featured", "head_title",
        "description",
    )  # fmt: skip
    sharing = {
        "share_hashtags": value_text(record.share.hashtags),
        "pin_description": record.share.pin_description,
    }
    address = {"address": record.address or record.slug}
    return _pick(record, *names) | address | _write_call("call", record.call) | sharing


def _arrange_publications(records: list[Publication]) -> list[Publication]:
    """Sort: the featured one, then the newest. Of several featured ones the newest stays featured."""
    newest_first = sorted(records, key=lambda record: (record.published, record.slug), reverse=True)
    featured = next((record for record in newest_first if record.featured), None)
    others = [
        record.model_copy(update={"featured": False}) if record.featured else record
        for record in newest_first
        if record is not featured
    ]
    return [featured, *others] if featured else others


def _make_article(slug: str, values: Fields, delivered: Article | None) -> Article:
    return _update(Article, delivered, _publication_values(slug, values, delivered) | {
        "category": values["category"],
        "shelves": split_lines(values["shelves"]),
        "tags": split_lines(values["tags"]),
        "contents": values.get("contents") or None,
        "hashtags": split_lines(values.get("hashtags", "")),
        "next": _read_call("next", values),
    })  # fmt: skip


_ARTICLE = KindDefinition(
    Kind.ARTICLE, "Article", "Articles",
    (
        *_PUBLICATION_FIELDS,
        Field("category", "Category", Control.CHOICE, options=tuple(ArticleCategory)),
        Field("shelves", "Categories in the blog's sidebar", Control.CHOICES, options=tuple(SidebarCategory),
                   hint="One a line."),
        Field("tags", "Tags", Control.LINES, longest=1_000, hint="One a line."),
        Field("contents", "Table of contents", Control.CHOICE, is_required=False, options=tuple(Contents)),
        *_list_call_fields("next", "Box after the text", "Leave its fields empty for no box."),
        Field("hashtags", "Keywords after the text", Control.LINES, is_required=False, longest=1_000,
                   hint="Shown as hashtags. One a line."),
    ),
    articles.ARTICLES, lambda article: article.slug, lambda article: article.title,
    lambda article: _publication_fields(article) | _pick(article, "category", "shelves", "tags", "contents", "hashtags")
    | _write_call("next", article.next),
    _make_article, lambda article: article.href, has_own_page=True, needs_one=True, arrange=_arrange_publications,
)  # fmt: skip


def _make_insight(slug: str, values: Fields, delivered: Insight | None) -> Insight:
    own = {"category": values["category"]}
    return _update(Insight, delivered, _publication_values(slug, values, delivered) | own)


_INSIGHT = KindDefinition(
    Kind.INSIGHT, "Insight", "Insights",
    (*_PUBLICATION_FIELDS, Field("category", "Category", Control.CHOICE, options=tuple(InsightCategory))),
    insights.INSIGHTS, lambda insight: insight.slug, lambda insight: insight.title,
    lambda insight: _publication_fields(insight) | _pick(insight, "category"),
    _make_insight, lambda insight: insight.href, has_own_page=True, needs_one=True, arrange=_arrange_publications,
)  # fmt: skip


def _make_webinar(slug: str, values: Fields, delivered: webinars.Webinar | None) -> webinars.Webinar:
    capacity = values.get("capacity", "").strip()
    return _update(webinars.Webinar, delivered, {
        "id": slug,
        **{name: values[name].strip() for name in ("title", "speaker", "speaker_title", "description", "image", "category")},
        "date": parse_date(values["date"]),
        "time": parse_time(values["time"]),
        "duration": f"{read_number(values['minutes'])} minutes",
        "capacity": read_number(capacity) if capacity else None,
        "room": values.get("room", "").strip(),
        "recording": values.get("recording", "").strip(),
        "cancelled": values.get("cancelled") == YES,
        "status": "past" if values.get("recording", "").strip() or parse_date(values["date"]) < today() else "upcoming",
    })  # fmt: skip


def _webinar_fields(webinar: webinars.Webinar) -> dict[str, str]:
    names = (
        "title", "speaker", "speaker_title", "description", "image", "category", "date", "capacity", "room", "recording",
        "cancelled",
    )  # fmt: skip
    return _pick(webinar, *names) | {"time": f"{webinar.time:%H:%M}", "minutes": webinar.duration.split()[0]}


_WEBINAR = KindDefinition(
    Kind.WEBINAR, "Webinar", "Webinars",
    (
        Field("title", "Title", longest=80),
        Field("date", "Date", Control.DATE),
        Field("time", "Time", Control.TIME, hint="Nairobi time."),
        Field("minutes", "Minutes", Control.NUMBER, least=5, longest=600),
        Field("speaker", "Speaker", longest=80),
        Field("speaker_title", "What the speaker does", longest=80),
        Field("description", "Description", Control.TEXT, least=50, longest=600),
        Field("category", "Category", Control.CHOICE, options=tuple(webinars.WebinarCategory)),
        Field("image", "Cover", Control.PICTURE, least=800),
        Field("capacity", "Seats", Control.NUMBER, is_required=False, least=1, longest=10_000,
                   hint="Leave it empty for no limit."),
        Field("room", "Address of the live stream", Control.WEB_ADDRESS, is_required=False, longest=500,
                   hint="Only mails to registered people contain it."),
        Field("recording", "Address of the recording", Control.WEB_ADDRESS, is_required=False, longest=500),
        Field("cancelled", "Cancelled", Control.TICK, is_required=False,
                   hint="Registered people get an e-mail once you publish this."),
    ),
    webinars.WEBINARS, lambda webinar: webinar.id, lambda webinar: webinar.title, _webinar_fields,
    _make_webinar, lambda webinar: webinar.href, has_own_page=True,
)  # fmt: skip


def _make_course(_slug: str, values: Fields, delivered: Course | None) -> Course:
    price = read_number(values["price"])
    is_as_delivered = delivered is not None and price == delivered.payment_price
    # One course is delivered with two prices (readings, 6); a price that staff set holds everywhere.
    prices = {} if is_as_delivered else {"payment_price": price, "detail_price": price}
    return _update(Course, delivered, prices | {
        "summary": values["summary"].strip(), "is_open": values.get("is_open") == YES, "cover": values["cover"].strip(),
    })  # fmt: skip


_COURSE = KindDefinition(
    Kind.COURSE, "Course", "Courses",
    (
        Field("price", "Price in KES", Control.NUMBER, longest=250_000, is_price=True,
                   hint="For new orders only; 0 for a free course."),
        Field("summary", "Summary", Control.TEXT, longest=300, hint="One sentence, for cards and the payment page."),
        Field("is_open", "Open for enrolment", Control.TICK, is_required=False),
        Field("cover", "Cover", Control.PICTURE, least=800),
    ),
    courses.COURSES, lambda course: course.slug, lambda course: course.payment_name,
    lambda course: {"price": str(course.payment_price)} | _pick(course, "summary", "is_open", "cover"),
    _make_course, lambda course: course.path, can_create=False, can_hide=False,
)  # fmt: skip


def _make_member(slug: str, values: Fields, delivered: about.TeamMember | None) -> about.TeamMember:
    names = ("name", "position", "bio", "image_url")
    return _update(
        about.TeamMember, delivered, {"id": slug} | {name: values.get(name, "").strip() for name in names}
    )


_TEAM_MEMBER = KindDefinition(
    Kind.TEAM_MEMBER, "Team member", "Team",
    (
        Field("name", "Name", longest=80),
        Field("position", "Position", longest=80),
        Field("bio", "About the person", Control.TEXT, longest=300),
        Field("image_url", "Photo", Control.PICTURE, least=300, is_required=False,
                   hint="Initials are shown where it is missing."),
        _read_order(),
    ),
    about.TEAM, lambda member: member.id, lambda member: member.name,
    lambda member: _pick(member, "name", "position", "bio", "image_url"),
    _make_member, lambda _member: "/about",
)  # fmt: skip


def _make_testimonial(slug: str, values: Fields, delivered: Record | None) -> testimonials.Testimonial:
    names = ("name", "title", "quote", "image")
    return _update(
        testimonials.Testimonial, delivered, {"id": slug} | {name: values[name].strip() for name in names}
    )


_TESTIMONIAL = KindDefinition(
    Kind.TESTIMONIAL, "Testimonial", "Testimonials",
    (
        Field("name", "Name", longest=80),
        Field("title", "Role and company", longest=120),
        Field("quote", "Words", Control.TEXT, longest=400),
        Field("image", "Photo", Control.PICTURE, least=300),
        _read_order(),
    ),
    testimonials.TESTIMONIALS, lambda voice: voice.id, lambda voice: voice.name,
    lambda voice: _pick(voice, "name", "title", "quote", "image"),
    _make_testimonial, lambda _voice: "/",
)  # fmt: skip


def _make_partner(slug: str, values: Fields, delivered: Record | None) -> partners.Partner:
    return _update(partners.Partner, delivered, {
        "id": slug, "name": values["name"].strip(), "logo": values["logo"].strip(),
    })  # fmt: skip


_PARTNER = KindDefinition(
    Kind.PARTNER, "Partner", "Partners",
    (Field("name", "Name", longest=80), Field("logo", "Logo", Control.PICTURE, least=120), _read_order()),
    partners.PARTNERS, lambda partner: str(partner.id), lambda partner: partner.name,
    lambda partner: {"name": partner.name, "logo": partner.logo_path},
    _make_partner, lambda _partner: "/",
)  # fmt: skip


_PROJECT_FIELDS = (
    Field("title", "Title", longest=80),
    Field("group", "Kind of work", Control.CHOICE, options=tuple(group.id for group in portfolio.PORTFOLIO)),
    Field("category", "Trade of the client", longest=80),
    Field("type", "Kind of product", is_required=False, longest=80),
    Field("platform", "Platform", is_required=False, longest=80),
    Field("languages", "Programming languages", Control.LINES, is_required=False, hint="One a line."),
    Field("place", "Place", longest=80),
    Field("year", "Year", Control.NUMBER, least=2000, longest=2100),
    Field("asked", "What was asked", Control.TEXT, is_required=False, longest=400),
    Field("story", "What was made", Control.TEXT, longest=500, hint="Shown in lists as well."),
    Field("outcome", "What came of it", Control.TEXT, is_required=False, longest=400),
    Field("image", "Picture", Control.PICTURE, least=800),
    Field("alt", "Description of the picture", longest=200, describes="image"),
    Field("detail", "Second picture", Control.PICTURE, is_required=False, least=800, hint="For the project's own page."),
    Field("detail_alt", "Description of the second picture", is_required=False, longest=200, describes="detail"),
)  # fmt: skip


def _make_project(slug: str, values: Fields, delivered: Record | None) -> portfolio.PortfolioItem:
    # Entries of earlier versions lack some fields: theirs are the delivered ones.
    texts = {each.name: values[each.name].strip() for each in _PROJECT_FIELDS if each.name in values}
    languages = split_lines(values.get("languages", ""))
    fields = texts | {"id": slug, "year": read_number(values["year"]), "languages": languages}
    return _update(portfolio.PortfolioItem, delivered, fields)


_PROJECT = KindDefinition(
    Kind.PROJECT, "Portfolio case", "Portfolio", (*_PROJECT_FIELDS, _read_order()),
    portfolio.PROJECTS, lambda project: project.id, lambda project: project.title,
    lambda project: _pick(project, *(each.name for each in _PROJECT_FIELDS)),
    _make_project, lambda project: project.href, has_own_page=True,
)  # fmt: skip


def _make_plan(_slug: str, values: Fields, delivered: Record | None) -> HostingPlan:
    return _update(HostingPlan, delivered, {
        "price": read_number(values["price"]), "features": split_lines(values.get("features", "")),
        "popular": values.get("popular") == YES,
    })  # fmt: skip


_PLAN = KindDefinition(
    Kind.PLAN, "Hosting plan", "Hosting plans",
    (
        Field("price", "Price in KES a month", Control.NUMBER, least=1, longest=250_000, is_price=True),
        Field("features", "Features besides storage", Control.LINES, is_required=False, longest=600, hint="One a line."),
        Field("popular", "Marked as popular", Control.TICK, is_required=False),
    ),
    hosting.PLANS, lambda plan: plan.slug, lambda plan: plan.name,
    lambda plan: _pick(plan, "price", "features", "popular"),
    _make_plan, lambda _plan: "/hosting", can_create=False, can_hide=False,
)  # fmt: skip


def _read_optional_moment(value: str) -> datetime | None:
    return parse_moment(value).replace(tzinfo=NAIROBI) if value.strip() else None


def _make_announcement(_slug: str, values: Fields, _delivered: Record | None) -> Announcement:
    bar = Announcement(
        text=values["text"].strip(),
        label=values.get("label", "").strip(),
        href=values.get("href", "").strip(),
        shows_from=_read_optional_moment(values.get("shows_from", "")),
        shows_until=_read_optional_moment(values.get("shows_until", "")),
    )
    if problems := find_announcement_problems(bar):
        raise EntryInvalid(problems)
    return bar


_ANNOUNCEMENT = KindDefinition(
    Kind.ANNOUNCEMENT, "Announcement", "Announcements",
    (
        Field("text", "Text", longest=160),
        Field("label", "Words of the link", is_required=False, longest=40),
        Field("href", "Target of the link", Control.LINK, is_required=False, longest=300),
        Field("shows_from", "Shown from", Control.MOMENT, is_required=False, hint="Leave it empty for at once."),
        Field("shows_until", "Shown until", Control.MOMENT, is_required=False),
    ),
    ANNOUNCEMENTS, lambda bar: bar.text, lambda bar: bar.text,
    lambda bar: _pick(bar, "text", "label", "href", "shows_from", "shows_until"),
    _make_announcement, lambda _bar: "/",
)  # fmt: skip

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def _read_opening(value: str) -> Opening | None:
    """Read hours such as `08:00-17:00` or `8am to 5pm`; None for a day that is closed. Raises ValueError."""
    opening = parse_time_span(value)
    return Opening(opens=opening[0], closes=opening[1]) if opening else None


def _make_hours(_slug: str, values: Fields, _delivered: Record | None) -> Hours:
    problems: dict[str, str] = {}
    week: list[Opening | None] = []
    for day in _DAYS:
        try:
            week.append(_read_opening(values.get(day, "")))
        except ValueError:
            problems[day] = (
                "Please write the hours as 08:00-17:00, with one opening and one closing time, or leave the field empty if "
                "you are closed."
            )
    try:
        slots = tuple(
            sorted({parse_clock_time(part) for part in re.split(r"[\n,;]", values["slots"]) if part.strip()})
        )
    except ValueError as error:
        problems["slots"] = str(error)
    if problems:
        raise EntryInvalid(problems)
    hours = Hours(week=tuple(week), slots=slots, slot_minutes=read_number(values["slot_minutes"]))
    if problems := find_hours_problems(hours):
        raise EntryInvalid(problems)
    return hours


def _hours_fields(hours: Hours) -> dict[str, str]:
    week = {
        day: f"{opening.opens:%H:%M}-{opening.closes:%H:%M}" if opening else ""
        for day, opening in zip(_DAYS, hours.week, strict=True)
    }
    slots = "\n".join(f"{slot:%H:%M}" for slot in hours.slots)
    return week | {"slots": slots, "slot_minutes": str(hours.slot_minutes)}


_HOURS = KindDefinition(
    Kind.HOURS, "Business hours", "Business hours",
    (
        *(Field(day, day.capitalize(), is_required=False, hint="Such as 08:00-17:00; empty if closed.")
          for day in _DAYS),
        Field("slots", "Start times of consultations", Control.LINES, longest=1_000, hint="One a line, such as 09:00."),
        Field("slot_minutes", "Minutes of a consultation", Control.NUMBER, least=5, longest=480),
    ),
    (HOURS,), lambda _hours: "hours", lambda _hours: "Weekly hours and consultations", _hours_fields,
    _make_hours, lambda _hours: "/contact", can_create=False, can_hide=False,
)  # fmt: skip


def _make_mail_text(_slug: str, values: Fields, delivered: MailText | None) -> MailText:
    if delivered is None:
        raise EntryInvalid({"subject": "This site sends no such mail."})
    # Entries of earlier versions have no text message: theirs is the delivered one.
    texts = {
        "subject": values["subject"].strip(),
        "opening": values["opening"].strip(),
        "text_message": values.get("text_message", delivered.text_message).strip(),
    }
    problems = {
        "subject": delivered.find_problem(texts["subject"]),
        "opening": delivered.find_problem(texts["opening"]),
        "text_message": delivered.find_text_problem(texts["text_message"]),
    }
    if any(problems.values()):
        raise EntryInvalid({name: problem for name, problem in problems.items() if problem})
    return _update(MailText, delivered, texts)


_PLACEHOLDERS = "Names in curly brackets, such as {course}, become values. Use those of the delivered text."

_MAIL_TEXT = KindDefinition(
    Kind.MAIL_TEXT, "Mail text", "Mail texts",
    (
        Field("subject", "Subject", longest=120, hint=_PLACEHOLDERS),
        Field("opening", "Paragraph before the facts", Control.TEXT, longest=1_000, hint=_PLACEHOLDERS),
        Field(
            "text_message", "Text message", Control.TEXT_MESSAGE, is_required=False, longest=400,
            hint="The same notice by SMS, with {link} for the private page. Only some mails have one; without it no SMS is sent.",
        ),
    ),
    MAIL_TEXTS, lambda mail: mail.key, lambda mail: mail.label,
    lambda mail: _pick(mail, "subject", "opening", "text_message"),
    _make_mail_text, lambda _mail: "", can_create=False, can_hide=False,
)  # fmt: skip

KINDS: Mapping[Kind, KindDefinition] = {
    definition.kind: definition
    for definition in (
        _ARTICLE, _INSIGHT, _WEBINAR, _COURSE, _TEAM_MEMBER, _TESTIMONIAL, _PARTNER, _PROJECT, _PLAN, _ANNOUNCEMENT, _HOURS,
        _MAIL_TEXT,
    )
}  # fmt: skip


@dataclass(frozen=True)
class Overlay:
    """The fields that lie on top of a delivered record, or add one."""

    kind: Kind
    slug: str
    fields: Fields | None
    """None if the record is hidden."""


def lay_over(overlays: Iterable[Overlay]) -> dict[Kind, tuple[Record, ...]]:
    """Return the records of each kind that has overlays. An overlay whose fields make no record, or of a
    kind that only a later release knows, is left out.
    """
    overlays_by_kind: dict[Kind, list[Overlay]] = {}
    for overlay in overlays:
        if overlay.kind in KINDS:
            overlays_by_kind.setdefault(overlay.kind, []).append(overlay)
    return {kind: _lay_over(KINDS[kind], own) for kind, own in overlays_by_kind.items()}


def _lay_over(definition: KindDefinition, overlays: Sequence[Overlay]) -> tuple[Record, ...]:
    records = {definition.slug_of(record): record for record in definition.delivered}
    places = {slug: (number + 1) * _ORDER_STEP for number, slug in enumerate(records)}
    for overlay in overlays:
        if overlay.fields is None:
            records.pop(overlay.slug, None)
            continue
        try:
            records[overlay.slug] = definition.build(overlay.slug, overlay.fields)
        except EntryInvalid:
            continue
        if overlay.fields.get(ORDER, "").strip():
            places[overlay.slug] = read_number(overlay.fields[ORDER])
    last = (len(records) + 1) * _ORDER_STEP
    ordered = sorted(records, key=lambda slug: places.get(slug, last))
    return tuple(definition.arrange([records[slug] for slug in ordered]))
