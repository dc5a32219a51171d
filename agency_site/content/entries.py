"""The kinds of content that staff publish on top of the delivered records."""

from enum import StrEnum


class Kind(StrEnum):
    """The kind of an entry."""

    ARTICLE = "article"
    INSIGHT = "insight"
    WEBINAR = "webinar"
    COURSE = "course"
    TEAM_MEMBER = "team_member"
    TESTIMONIAL = "testimonial"
    PARTNER = "partner"
    PROJECT = "project"
    PLAN = "plan"
    ANNOUNCEMENT = "announcement"
    HOURS = "hours"
    MAIL_TEXT = "mail_text"
