"""Backups: their folder, their encryption and how long they are kept (`agency_site/db/backups`)."""

from pydantic import Field

from agency_site.settings.base import SettingsBase
from agency_site.settings.site import ROOT


class BackupSettings(SettingsBase):
    """Settings of `make backup`."""

    backup_folder: str = Field(f"{ROOT}/.data/backups")
    """folder of the backups; it also needs free space of twice the size of the database"""
    backup_recipient: str = Field("", pattern=r"^(age1[0-9a-z]+(,age1[0-9a-z]+)*)?$")
    """public keys (age) that backups are encrypted for, comma-separated; if empty, not encrypted, which production refuses"""
    backup_unencrypted_in_production: bool = Field(False)
    """let production write unencrypted backups"""
    backup_keep_daily: int = Field(7, ge=1, description="days of which the newest backup is kept")
    backup_keep_weekly: int = Field(4, ge=0, description="weeks of which the newest backup is kept")
    backup_keep_monthly: int = Field(6, ge=0, description="months of which the newest backup is kept")
