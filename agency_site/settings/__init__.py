"""Settings from the environment: one frozen object, which all modules read through `settings()`."""

from agency_site.settings.combined import Settings, UnsafeSettings, example, settings, variable
from agency_site.settings.payments import SIMULATOR_PATH
from agency_site.settings.problems import SettingsRefused, describe_unknown, load_settings
from agency_site.settings.site import DEFAULT_SECRET, PLACEHOLDER_ORIGIN, ROOT, Environment
from agency_site.settings.sms import SMS_SIMULATOR_PATH

__all__ = [
    "DEFAULT_SECRET",
    "PLACEHOLDER_ORIGIN",
    "ROOT",
    "SIMULATOR_PATH",
    "SMS_SIMULATOR_PATH",
    "Environment",
    "Settings",
    "SettingsRefused",
    "UnsafeSettings",
    "describe_unknown",
    "example",
    "load_settings",
    "settings",
    "variable",
]
