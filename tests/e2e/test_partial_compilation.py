"""Pages that the development server compiles alone are those of a whole compilation."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agency_site.settings import ROOT
from agency_site.web.reflex_internals.page_router import export_plainly

COMPILE = """
from agency_site.web.reflex_internals.partial_compilation import compile_group, load_app
compile_group(load_app(), ["[about]._index.jsx", "[admin].[bookings]._index.jsx"])
"""


@pytest.mark.thorough
@pytest.mark.usefixtures("site")
def test_a_page_that_is_compiled_alone_equals_that_of_the_whole_site(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "REFLEX_WEB_WORKDIR": str(tmp_path),
        "REFLEX_ENV_MODE": "prod",
        "PYTHONHASHSEED": "0",
    }
    subprocess.run([sys.executable, "-c", COMPILE], cwd=ROOT, env=environment, check=True)
    pages = {path.relative_to(tmp_path): path.read_text() for path in tmp_path.rglob("*.jsx")}
    assert {path.name for path in pages} >= {"[about]._index.jsx", "[admin].[bookings]._index.jsx"}
    # The development server has React Router's own router.
    built = {path: export_plainly(code) if "routes" in path.parts else code for path, code in pages.items()}
    assert [str(path) for path, code in built.items() if (ROOT / ".web" / path).read_text() != code] == []
