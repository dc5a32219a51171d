"""`make photographs`: render scenes and encode them for the site; without names those whose pictures are missing.

Each scene is a process of its own, because Blender keeps what it has seen. Two cores take one to two minutes a picture.
`STUDIO_SCALE=50 STUDIO_SAMPLES=12 python -m tools.studio.command --proof honey.png baraka_hardware` makes a quick look.
"""

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.studio.encode import FOLDER, encode

SCENES = Path(__file__).parent / "scenes"


def main(arguments: list[str]) -> None:
    """Render the scenes named in the arguments."""
    if arguments[:1] == ["--proof"]:
        _render(arguments[2], Path(arguments[1]))
        return
    for name in arguments or _missing():
        with TemporaryDirectory() as folder:
            path = Path(folder) / f"{name}.png"
            proof = ("-m", "tools.studio.command", "--proof", str(path), name)
            subprocess.run([sys.executable, *proof], check=True, stdout=subprocess.DEVNULL)
            encode(path)


def _missing() -> list[str]:
    names = sorted(path.stem for path in SCENES.glob("[a-z]*.py"))
    return [name for name in names if not (FOLDER / name.replace("_", "-")).exists()]


def _render(name: str, path: Path) -> None:
    from tools.studio.light import shoot  # Blender takes seconds to load

    import_module(f"tools.studio.scenes.{name}").build()
    shoot(path)


if __name__ == "__main__":
    main(sys.argv[1:])
