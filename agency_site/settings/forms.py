"""Protection of the public forms, and how many mails they may cause."""

from pydantic import Field

from agency_site.settings.base import SettingsBase


class FormSettings(SettingsBase):
    """Settings against programs that submit forms."""

    form_minimum_seconds: float = Field(2.0, ge=0, le=60)
    """minimum time between opening a page and posting its form without scripts"""
    mails_per_recipient_hour: int = Field(3, ge=1)
    """automatic mails of one form that an address gets within an hour"""
    mails_per_recipient_day: int = Field(8, ge=1)
    """automatic mails of one form that an address gets within a day"""
