"""Forms of a browser without scripts, posted to the API."""

import re
from collections.abc import Mapping

from agency_site.antispam.rules import STAMP_FIELD
from agency_site.antispam.stamps import new_stamp


def stamped(fields: Mapping[str, str]) -> dict[str, str]:
    """The fields with the stamp of a page that is sent now."""
    return {**fields, STAMP_FIELD: new_stamp()}


def main_of(page: str) -> str:
    """Return the text of a page between header and footer."""
    return page.partition("<main")[2].partition("</main>")[0]


def errors_of(page: str) -> dict[str, str]:
    """The messages next to the fields of a page, by the last part of their ids."""
    parts = re.findall(
        r'<p (?=[^>]*class="field-error")[^>]*id="([\w-]+)-error"[^>]*>(.*?)</p>', main_of(page)
    )
    messages = ((name.rpartition("-")[2], re.sub("<[^>]*>", "", text)) for name, text in parts)
    return {name: text for name, text in messages if text}
