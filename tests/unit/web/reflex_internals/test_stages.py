"""Contract of `stages.py`."""

import inspect

from tests.unit.web.reflex_internals.contract import contract


def test_an_export_compiles_and_then_bundles_by_one_function() -> None:
    with contract("`reflex export` compiles the pages and then calls build.build()"):
        from reflex.reflex import cli
        from reflex.utils import build
        from reflex.utils import export as exporting

        options = {
            option for each in cli.commands["export"].params for option in (*each.opts, *each.secondary_opts)
        }
        assert {"--frontend-only", "--no-zip"} <= options
        assert "build.build()" in inspect.getsource(exporting.export)
        inspect.signature(build.build).bind()
        inspect.signature(cli.main).bind([], standalone_mode=False)
