"""What the environment decides: one frozen object, which everybody reads through `settings()`."""

from agency_site.settings.env_file import example, variable
from agency_site.settings.payments import SIMULATOR_PATH
from agency_site.settings.site import DEFAULT_SECRET, PLACEHOLDER_ORIGIN, ROOT, Environment
from agency_site.settings.whole import Settings, UnsafeSettings, settings

__all__ = [
    "DEFAULT_SECRET",
    "PLACEHOLDER_ORIGIN",
    "ROOT",
    "SIMULATOR_PATH",
    "Environment",
    "Settings",
    "UnsafeSettings",
    "example",
    "settings",
    "variable",
]
