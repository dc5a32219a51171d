"""The examples of `docs/content.md` fit the schemas; the names that it mentions exist."""

import ast
import re
from pathlib import Path
from types import ModuleType

import pytest

from agency_site.agency_site import routes
from agency_site.content.article_schema import Article, Insight
from agency_site.content.markdown import read
from agency_site.content.schema import Record
from agency_site.content.verify import Known, problems
from agency_site.settings import ROOT
from agency_site.ui.icons import ICONS, SOCIAL

GUIDE = (ROOT / "docs" / "content.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE)
MARKDOWN = re.findall(r"^```markdown\n(.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE)
KNOWN = Known({route.path for route in routes}, {*ICONS, *SOCIAL})


def first_line(example: str) -> str:
    return example.splitlines()[0]


def problems_except_missing_pictures(found: object) -> list[str]:
    module = ModuleType("guide")
    vars(module)["EXAMPLE"] = found
    return [problem for problem in problems([module], KNOWN) if "is missing" not in problem]


def run(example: str) -> list[object]:
    """Every record that the example makes, given a name or not."""
    tree = ast.parse(example)
    names: dict[str, object] = {"__name__": "guide"}
    loose = [ast.Expression(step.value) for step in tree.body if isinstance(step, ast.Expr)]
    exec(compile(tree, "docs/content.md", "exec"), names)
    values = [*names.values(), *(eval(compile(each, "docs/content.md", "eval"), names) for each in loose)]
    return [value for value in values if isinstance(value, Record | tuple)]


@pytest.mark.parametrize("example", [text for text in PYTHON if "site/services" not in text], ids=first_line)
def test_every_record_of_the_guide_fits_its_schema_and_leads_somewhere(example: str) -> None:
    records = run(example)
    assert records
    assert problems_except_missing_pictures(tuple(records)) == []


def test_the_page_of_the_guide_can_be_made() -> None:
    (example,) = (text for text in PYTHON if "site/services" in text)
    names: dict[str, object] = {"__name__": "guide"}
    exec(compile(example, "docs/content.md", "exec"), names)
    page = names["podcasts"]
    assert callable(page)
    assert "Where should we set up the tripod?" in str(page())


@pytest.mark.parametrize("example", MARKDOWN, ids=lambda text: text.splitlines()[1])
def test_every_markdown_file_of_the_guide_can_be_read(example: str, tmp_path: Path) -> None:
    (tmp_path / "example.md").write_text(example, encoding="utf-8")
    piece = read(tmp_path / "example.md", Article if "shelves" in example else Insight)
    assert piece.headings
    assert problems_except_missing_pictures((piece,)) == []


def test_all_kinds_that_the_guide_promises_have_an_example() -> None:
    assert len(PYTHON) == 11
    assert len(MARKDOWN) == 2


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`((?:[a-z_]+/)*[a-z_]+\.(?:py|md))`", GUIDE))))
def test_every_file_that_the_guide_names_exists(name: str) -> None:
    roots = (ROOT, ROOT / "agency_site", ROOT / "agency_site" / "content")
    features = (ROOT / "agency_site" / "features").glob(f"*/{name}")
    assert any((root / name).is_file() for root in roots) or [*features]


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(#([^)]+)\)", GUIDE))))
def test_every_anchor_of_the_guide_exists(target: str) -> None:
    headings = re.findall(r"^#+ (.*)$", GUIDE, re.MULTILINE)
    assert target in {re.sub(r"[^\w -]", "", text.lower()).strip().replace(" ", "-") for text in headings}
