"""The calendar: seats, horizon, holidays, reminders."""

from pydantic import Field

from agency_site.settings.base import SettingsBase


class BookingSettings(SettingsBase):
    """Settings of consultations."""

    booking_capacity: int = Field(1, ge=1, le=50, description="confirmed bookings that one slot takes")
    booking_horizon_days: int = Field(90, ge=1, le=366, description="how many days ahead one can book")
    booking_notice_hours: int = Field(2, ge=0, le=336)
    """hours before its start until which visitors can book a time; staff can book later"""
    booking_closed_on_holidays: bool = Field(True, description="close on Kenya's public holidays")
    booking_placeholder_ms: int = Field(800, ge=0)
    """how long the slot placeholder is shown, in ms"""
    calendar_loopback: bool = Field(False)
    """whether busy calendars may be on this machine, without encryption too: for development and tests, refused in production"""
    booking_reminder_hours: int = Field(
        24, ge=1, description="hours before a booking at which its reminder is sent"
    )
