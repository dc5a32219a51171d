"""`make brand` in a copy of the project: another colour and a font of one weight reach everything that shows the brand."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agency_site import brand
from agency_site.artwork.typefaces import TEXT, at_weight, write_font
from agency_site.settings import ROOT
from tests.unit.features.checkout.documents.test_receipt import HEADINGS

pytestmark = pytest.mark.thorough

GREEN = "#0B6E4F"
COPIED = ("agency_site", "assets", "tests")
PROBE = """
import json
from io import BytesIO
from pypdf import PdfReader
from agency_site import brand
from agency_site.mail.render import render_html
from agency_site.site.layout.head import shared_head
from tests.every_mail import Texts, every_mail
from tests.unit.features.checkout.documents.test_receipt import (FACTS, HEADINGS, receipt_pdf)

page = PdfReader(BytesIO(receipt_pdf(FACTS))).pages[0]
print(json.dumps({
    "fonts": [font["/BaseFont"] for font in page["/Resources"]["/Font"].values()],
    "headings": HEADINGS,
    "pdf": page.get_contents().get_data().decode("latin-1"),
    "head": str(shared_head()),
    "mail": render_html(next(iter(every_mail(Texts()).values()))),
    "relatives": [brand.DEEP, brand.BLUSH],
}))
"""


def run(project: Path, *command: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AGENCY_")}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=project,
        env=environment | {"PYTHONPATH": str(project)},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
    return done.stdout


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with a green brand and Figtree, of one weight, in headings."""
    copy = tmp_path_factory.mktemp("project")
    for entry in ROOT.iterdir():
        if entry.name in COPIED:
            shutil.copytree(
                entry, copy / entry.name, ignore=shutil.ignore_patterns("__pycache__", "external")
            )
        elif not entry.name.startswith("."):
            (copy / entry.name).symlink_to(entry)
    font = copy / "Sent by the client.ttf"
    font.write_bytes(write_font(at_weight(TEXT, 700)))
    said = run(copy, "-m", "agency_site.artwork.brand_command", f"--colour={GREEN.lower()}", f"--font={font}")
    assert "Licence of the font: " in said
    assert re.search(r"Fonts of a page: [\d,]+ bytes of 65,000", said)
    return copy


def test_pages_mails_and_pdf_documents_have_the_new_colour_and_font(project: Path) -> None:
    values = json.loads(run(project, "-c", PROBE))
    deep, blush = brand.darken(GREEN, 0.64), brand.blush(GREEN)
    assert values["relatives"] == [deep, blush]
    assert values["headings"] != HEADINGS
    assert any(name.endswith(f"+{values['headings']}") for name in values["fonts"])
    red, green, blue = (channel / 255 for channel in brand.channels(GREEN))
    assert re.search(rf"{red:.4f}\d* {green:.4f}\d* {blue:.4f}\d* rg", values["pdf"])
    assert GREEN in values["head"]
    assert GREEN.lower() in values["mail"].lower()
    assert brand.BRAND.lower() not in values["mail"].lower()


def test_styles_manifest_and_drawings_have_the_new_colour_and_font(project: Path) -> None:
    assets = project / "assets"
    css = (assets / "styles/tokens.css").read_text(encoding="utf-8")
    assert f"--color-brand: {GREEN};" in css
    assert json.loads((assets / "site.webmanifest").read_text(encoding="utf-8"))["theme_color"] == GREEN
    [family] = re.findall(
        r'@font-face \{\n  font-family: "(Figtree .+)";\n  src: url\("/fonts/\S+-700.woff2', css
    )
    file = f"{family.lower().replace(' ', '-')}-700.woff2"
    assert {each.name for each in (assets / "fonts").glob("*.woff2")} == {file, brand.TEXT_FONT_FILE}
    old = [brand.BRAND, brand.DEEP, brand.BLUSH]
    drawn = [path for path in assets.rglob("*") if path.suffix in {".svg", ".css", ".webmanifest"}]
    assert [path for path in drawn if any(colour in path.read_text(encoding="utf-8") for colour in old)] == []


def test_the_tests_of_the_project_pass_but_for_those_of_the_delivered_brand(project: Path) -> None:
    tests = (
        "tests/unit/artwork",
        "tests/unit/test_brand.py",
        "tests/unit/ui",
        "tests/unit/mail",
        "tests/unit/features/checkout/documents/test_receipt.py",
    )
    run(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests)
