"""Problems of the environment, one line for each variable, with its name as operators write it."""

import difflib
import os
from collections.abc import Collection
from pathlib import Path

from dotenv import dotenv_values
from pydantic import SecretStr, ValidationError

from agency_site.settings.combined import Settings, settings, variable
from agency_site.settings.environment_file import VARIABLE
from agency_site.settings.site import Environment

_PREFIX = "AGENCY_"
_INTERNAL = frozenset({VARIABLE, "AGENCY_DRAIN_MARK"})
"""Variables that are no settings: where they are, and what a server sets for its own workers."""
_ADDRESSES = frozenset({"database_url", "redis_url"})
"""Settings whose value may contain a password."""


class SettingsRefused(RuntimeError):
    """The settings cannot be used; the message has a line for each reason."""


def load_settings() -> Settings:
    """Return the settings. Raises SettingsRefused with all invalid values and all dangers of the others."""
    try:
        return settings()
    except ValidationError as error:
        raise SettingsRefused("\n".join(["The settings cannot be used:", *describe_invalid(error)])) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise SettingsRefused(f"{VARIABLE} {os.environ[VARIABLE]} cannot be read: {reason}.") from None


def describe_invalid(error: ValidationError) -> list[str]:
    """Return a line for each invalid variable, and for each danger of the others in production."""
    broken = {_field_of(str(detail["loc"][0])): detail for detail in error.errors() if detail["loc"]}
    lines = []
    for name, problem in broken.items():
        field = Settings.model_fields[name]
        is_secret = field.annotation is SecretStr or name in _ADDRESSES
        value = "" if is_secret else f", not {problem['input']!r}"
        text = str(problem["msg"]).removeprefix("Value error, ")
        lines.append(f"  - {variable(name)}: {text}{value} ({field.description})")
    return lines + [f"  - {danger}" for danger in _dangers_of_the_others(broken)]


def _field_of(location: str) -> str:
    """Return the field of a pydantic error, which names the field or its variable."""
    return next(name for name in Settings.model_fields if location.lower() in {name, variable(name).lower()})


def _dangers_of_the_others(broken: Collection[str]) -> list[str]:
    fields = Settings.model_fields
    defaults = {name: fields[name].get_default(call_default_factory=True) for name in broken}
    if "env" in broken:
        defaults["env"] = Environment.PRODUCTION
    named = {
        variable(name) if fields[name].validation_alias else name: value for name, value in defaults.items()
    }
    dangers = Settings(**named).dangers()
    return [danger for danger in dangers if not any(variable(name) in danger for name in broken)]


def describe_unknown() -> list[str]:
    """Return a line for each variable with our prefix that is no setting, with the setting that it resembles."""
    file = Settings.model_config.get("env_file")
    file_values = dotenv_values(file) if isinstance(file, str | Path) else {}
    settings_names = {variable(name) for name in Settings.model_fields}
    names = {name.upper() for name in (*os.environ, *file_values)}
    unknown = sorted(name for name in names - settings_names - _INTERNAL if name.startswith(_PREFIX))
    return [f"{name} is no setting and has no effect{_suggestion(name, settings_names)}" for name in unknown]


def _suggestion(name: str, settings_names: set[str]) -> str:
    close = difflib.get_close_matches(name, sorted(settings_names), n=1, cutoff=0.75)
    return f": did you mean {close[0]}?" if close else "."
