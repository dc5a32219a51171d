"""The academy: places of course runs, their learners, and certificates."""

from pydantic import Field

from agency_site.settings.base import SettingsBase


class AcademySettings(SettingsBase):
    """Settings of places, changes of learners, waiting lists and certificates."""

    learner_changes_until_hours: int = Field(24, ge=0)
    """hours before the start until which a buyer can transfer a place to another learner"""
    learner_changes_per_day: int = Field(5, ge=0)
    """how many more addresses than places an order may name as learners within 24 hours: each one gets a mail"""
    place_kept_minutes: float = Field(1.0, ge=0)
    """how long the places of a course run, and the use of a coupon, are kept after a payment failed"""
    places_unpaid: int = Field(5, ge=1)
    """places of course runs, and uses of coupons, that one order, phone or e-mail address may keep before it pays"""
    waiting_list_hours: int = Field(48, ge=1, le=720)
    """how long a freed place is kept for the first person of the waiting list"""
    certificate_attendance_percent: int = Field(75, ge=1, le=100)
    """share of the sessions of a course run that a learner has to attend for a certificate"""
