"""Forbidden imports in the site's scripts stop the build with their names."""

from pathlib import Path

import pytest

from agency_site.web.build import site_build
from agency_site.web.build.site_build import BuildFailed
from agency_site.web.build.weight import find_unwanted


def compiled(tmp_path: Path, source: str, name: str = "app/routes/[about]._index.jsx") -> list[str]:
    """Return the problems of a compiled page with that source."""
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'import {{Fragment}} from "react"\n{source}\n')
    return find_unwanted(tmp_path)


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ('import {Button as RadixThemesButton} from "@radix-ui/themes"', "@radix-ui/themes"),
        ('import "@radix-ui/themes/styles.css"', "@radix-ui/themes/styles.css"),
        ("import {Root} from '@radix-ui/react-accordion@1.2.0'", "@radix-ui/react-accordion@1.2.0"),
        ('import ReactMarkdown from "react-markdown@10.1.0"', "react-markdown@10.1.0"),
        ('import remarkGfm from "remark-gfm"', "remark-gfm"),
        ('import Moment from "react-moment"', "react-moment"),
        ('import moment from "moment"', "moment"),
        ('import {useDropzone} from "react-dropzone@15.0.0"', "react-dropzone@15.0.0"),
        ('const Plot = lazy(() => import("react-plotly.js"))', "react-plotly.js"),
        ('import("plotly.js/dist/plotly-basic")', "plotly.js/dist/plotly-basic"),
        ('import {Toaster} from "sonner"', "sonner"),
    ],
)
def test_a_heavy_import_is_named_with_the_page_that_brought_it(
    tmp_path: Path, source: str, named: str
) -> None:
    (line,) = compiled(tmp_path, source)
    assert line.startswith(f"app/routes/[about]._index.jsx: imports {named}, ")


@pytest.mark.parametrize(
    "source",
    [
        'import {HydrationMarker} from "$/agency_site/ui/behaviours.jsx"',
        'import io from "socket.io-client"; import moments from "./moment"',
        'jsx("p", {}, "in this very moment")',
    ],
)
def test_what_the_site_needs_is_not_refused(tmp_path: Path, source: str) -> None:
    assert compiled(tmp_path, source) == []


@pytest.mark.parametrize(
    "name", ["app/root.jsx", "app_components/a/view.jsx", "utils/context.jsx", "agency_site/ui/x.jsx"]
)
def test_every_compiled_folder_is_checked(tmp_path: Path, name: str) -> None:
    assert len(compiled(tmp_path, 'import "moment"', name)) == 1


def test_a_style_of_a_components_own_is_refused(tmp_path: Path) -> None:
    (line,) = compiled(tmp_path, 'jsx("div",{css:({ ["color"] : "red" })},)')
    assert "use a class" in line


def test_a_forbidden_import_stops_the_build_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled(tmp_path, 'import {Button} from "@radix-ui/themes"')
    monkeypatch.setattr(site_build, "COMPILED", tmp_path)
    with pytest.raises(BuildFailed, match="imports @radix-ui/themes, Radix Themes"):
        site_build._refuse_weight()
