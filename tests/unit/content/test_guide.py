"""The example of `docs/content.md` fits its schema; the names that the page mentions exist."""

import re
from types import ModuleType

import pytest

from agency_site.agency_site import routes
from agency_site.content.course_schema import Course
from agency_site.content.verify import Targets, problems
from agency_site.settings import ROOT
from agency_site.ui.icons import ICONS, SOCIAL

GUIDE = (ROOT / "docs" / "content.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE)
TARGETS = Targets({route.path for route in routes}, {*ICONS, *SOCIAL})


def test_the_course_of_the_guide_fits_its_schema_and_its_links_lead_to_pages() -> None:
    (example,) = PYTHON
    module = ModuleType("guide")
    exec(compile(example, "docs/content.md", "exec"), vars(module))
    assert [name for name, value in vars(module).items() if isinstance(value, Course)] == [
        "WHATSAPP_FOR_SHOPS"
    ]
    assert [problem for problem in problems([module], TARGETS) if "is missing" not in problem] == []


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`((?:[a-z_]+/)*[a-z_]+\.(?:py|md))`", GUIDE))))
def test_every_file_that_the_guide_names_exists(name: str) -> None:
    roots = (ROOT, ROOT / "agency_site", ROOT / "agency_site" / "content")
    features = (ROOT / "agency_site" / "features").glob(f"*/{name}")
    assert any((root / name).is_file() for root in roots) or [*features]


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(#([^)]+)\)", GUIDE))))
def test_every_anchor_of_the_guide_exists(target: str) -> None:
    headings = re.findall(r"^#+ (.*)$", GUIDE, re.MULTILINE)
    assert target in {re.sub(r"[^\w -]", "", text.lower()).strip().replace(" ", "-") for text in headings}
