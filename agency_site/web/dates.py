"""`python -m agency_site.web.dates` (`make dates`): build the site and record the pages whose text has changed."""

import sys

from agency_site import clock
from agency_site.web.build.publish import built_files
from agency_site.web.build.site_build import BuildFailed, ensure_built
from agency_site.web.publishing.published_pages import built_pages
from agency_site.web.publishing.revisions import read_revisions, updated_revisions, write_revisions


def main() -> int:
    """Update `revisions.json` and print the changed pages; return 1 if the site could not be built."""
    try:
        ensure_built()
    except BuildFailed as failed:
        sys.stderr.write(f"{failed}\n")
        return 1
    before = read_revisions()
    after = updated_revisions(built_pages(built_files()), before, clock.today())
    write_revisions(after)
    changed = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    sys.stdout.write("".join(f"{path}\n" for path in changed) or "The text of no page has changed.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
