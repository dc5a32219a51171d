"""`python -m agency_site.content.check`: load all content, so that a record that does not fit is named."""

import importlib
import pkgutil
import sys

from pydantic import ValidationError

import agency_site.content as package


def main() -> int:
    """Import every content module; 1 and a message when one does not fit."""
    for module in sorted(found.name for found in pkgutil.iter_modules(package.__path__)):
        try:
            importlib.import_module(f"{package.__name__}.{module}")
        except (ValidationError, ValueError) as error:
            sys.stderr.write(f"content/{module}.py: {error}\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
