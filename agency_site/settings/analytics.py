"""Counting services of other companies, for agencies that want more than the site's own figures."""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, HttpUrl, TypeAdapter

from agency_site.settings.base import SettingsBase


def _script_address(value: str) -> str:
    TypeAdapter(HttpUrl).validate_python(value)
    if urlsplit(value).scheme != "https":
        raise ValueError("must begin with https://")
    return value


ScriptAddress = Annotated[str, AfterValidator(_script_address)]


class AnalyticsSettings(SettingsBase):
    """Settings of counting services (docs/analytics.md). Without them pages load nothing from other companies."""

    plausible_domain: str = Field("", pattern=r"^([a-z0-9-]+(\.[a-z0-9-]+)+)?$")
    """the site's name at Plausible, such as example.com; if empty, Plausible is off"""
    plausible_script: ScriptAddress = Field("https://plausible.io/js/script.js")
    """address of Plausible's script"""
    umami_website: str = Field("", pattern=r"^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?$")
    """the site's id at Umami; if empty, Umami is off"""
    umami_script: ScriptAddress = Field("https://cloud.umami.is/script.js")
    """address of Umami's script"""
    ga4_id: str = Field("", pattern=r"^(G-[A-Z0-9]{4,20})?$")
    """measurement id of Google Analytics 4, loaded for visitors who agree; if empty, it is off"""
    meta_pixel_id: str = Field("", pattern=r"^([0-9]{5,20})?$")
    """id of the Meta Pixel, loaded for visitors who agree; if empty, it is off"""
