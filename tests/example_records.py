"""The records of content that tests buy, read and attend: the site may change their names and prices, or have others."""

from agency_site.content.articles import ARTICLES
from agency_site.content.courses import COURSES, payment_list
from agency_site.content.webinars import upcoming
from agency_site.site.academy.tracks import tracks

_BY_PRICE = sorted(
    (course for course in payment_list() if course not in tracks()), key=lambda course: course.payment_price
)
"""Paid courses with a page of their own."""
PAID_COURSE = next(course for course in _BY_PRICE if course.catalogue)
"""A course of the home page's catalogue."""
OTHER_COURSE, THIRD_COURSE, *_, DEAR_COURSE = (course for course in _BY_PRICE if course is not PAID_COURSE)
FREE_COURSE = next(course for course in COURSES if course.free)
ARTICLE, OTHER_ARTICLE = ARTICLES[:2]
WEBINAR, OTHER_WEBINAR = upcoming()[:2]
