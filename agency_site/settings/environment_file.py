"""The settings file of the units, read as systemd reads an EnvironmentFile, for every command outside of them.

A shell would run parts of a value as commands and drop others: `&`, `;`, `$`, `#` and `<` mean nothing to systemd.
"""

import os
import re
from pathlib import Path

VARIABLE = "AGENCY_SETTINGS_FILE"
"""Names the file; `make … SETTINGS=FILE` sets it."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SPACE = " \t\n"
_ESCAPED_IN_QUOTES = '"\\`$'


def load_environment_file() -> None:
    """Set the variables of the file that `AGENCY_SETTINGS_FILE` names. Those of the environment itself take precedence.

    Raises OSError if the file cannot be read, UnicodeDecodeError if it is not UTF-8.
    """
    if name := os.environ.get(VARIABLE):
        # systemd ends a line at a carriage return, too, as `read_text` does.
        for key, value in parse_environment(Path(name).read_text("utf-8")).items():
            os.environ.setdefault(key, value)


def parse_environment(text: str) -> dict[str, str]:
    """Return the variables of an EnvironmentFile (systemd.exec(5)); lines that assign nothing are ignored, as there."""
    values, rest = {}, text
    while rest := rest.lstrip(_SPACE):
        if rest[0] in "#;":
            rest = _skip_comment(rest)
            continue
        line, _, after = rest.partition("\n")
        # A line that begins with the sign has no name; the sign is its first character, as any other.
        end = line.find("=", 1)
        if end < 0:
            rest = after
            continue
        name, (value, rest) = line[:end].rstrip(_SPACE), _read_value(rest[end + 1 :])
        if _NAME.fullmatch(name):
            values[name] = value
    return values


def _skip_comment(text: str) -> str:
    """Return the text behind a comment, whose last line does not end in a backslash."""
    return re.sub(r"\A(?:\\.|[^\\\n])*\n?", "", text, flags=re.DOTALL)


def _read_value(text: str) -> tuple[str, str]:
    """Return the value that begins here, and the text after its line."""
    value, place = "", 0
    while place < len(text) and text[place] != "\n":
        character = text[place]
        if character in "\"'":
            part, place = _read_quoted(text, place)
            value += part
        elif character in _SPACE:
            place += 1
        else:
            part, place = _read_bare(text, place)
            return value + part, text[place + 1 :]
    return value, text[place + 1 :]


def _read_quoted(text: str, place: int) -> tuple[str, int]:
    """Return the text between quotes, line breaks included, and the place behind them."""
    quote, part = text[place], ""
    place += 1
    while place < len(text) and text[place] != quote:
        if quote == '"' and text[place] == "\\" and place + 1 < len(text):
            place += 1
            escaped = text[place]
            part += "" if escaped == "\n" else escaped if escaped in _ESCAPED_IN_QUOTES else f"\\{escaped}"
        else:
            part += text[place]
        place += 1
    return part, place + 1


def _read_bare(text: str, place: int) -> tuple[str, int]:
    """Return a value without quotes at its beginning, and the place of its line's end. A backslash takes the next
    character as it is and continues the line; spaces at the end do not count."""
    part, length = "", 0
    while place < len(text) and text[place] != "\n":
        character = text[place]
        if character == "\\":
            place += 1
            part += text[place : place + 1].replace("\n", "")
            length = len(part)
        else:
            part += character
            length = length if character in _SPACE else len(part)
        place += 1
    return part[:length], place
