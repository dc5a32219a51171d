"""`python -m tests.bench`: run every bench and print its figures; exits with 1 when one fails or misses its goal.

Each runs in a process of its own, so that none inherits the settings, the connections or the memory of those before it.
"""

import subprocess
import sys

BENCHES = (
    ("bookings",),
    ("office",),
    ("restore",),
    ("texts",),
    ("failover",),
    ("redis_failover",),
    ("simulation",),
    ("weight",),
    ("load",),
    ("drawn_pages",),
    ("publishing",),
    ("replicas", "1", "2"),
    ("paint",),
    ("developer",),
    ("soak",),
)


def main() -> int:
    """All of them, even after one has failed; returns the exit code."""
    failed = [
        name
        for name, *arguments in BENCHES
        if subprocess.run([sys.executable, "-m", f"tests.bench.{name}", *arguments], check=False).returncode
    ]
    if not failed:
        return 0
    print(f"failed, or missed a goal: {', '.join(failed)}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
