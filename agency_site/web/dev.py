"""`python -m agency_site.web.dev`: the site with hot reload, for work on it."""

import os
import subprocess
import sys

from agency_site.settings import ROOT, settings
from agency_site.web.build.site_build import toolchain
from agency_site.web.serve import migrate

BACKEND_PORT = 8000


def main() -> int:
    """Migrate, then hand over to Reflex's development server; returns its exit code."""
    migrate()
    command = [sys.executable, "-m", "reflex", "run", "--frontend-port", str(settings().port)]
    command += ["--backend-port", str(BACKEND_PORT)]
    os.chdir(ROOT)
    try:
        return subprocess.run(command, env=_environment(), check=False).returncode
    except KeyboardInterrupt:
        return 0


def _environment() -> dict[str, str]:
    """Two ports: pages come from the front end's, API, socket and M-Pesa simulator stand on the back end's."""
    pages = f"http://localhost:{settings().port}"
    return {
        **toolchain(),
        # A folder of its own: the production build in .web stays as it is.
        "REFLEX_WEB_WORKDIR": ".build/dev",
        "PORT": str(BACKEND_PORT),
        "AGENCY_PUBLIC_URL": pages,
        "AGENCY_ALLOWED_ORIGINS": f"{pages},http://localhost:{BACKEND_PORT}",
    }


if __name__ == "__main__":
    sys.exit(main())
