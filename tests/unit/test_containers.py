"""The image and `deploy/compose.yaml`: accepted by their own parsers, and each service bounded and without rights."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from compose_spec import PyCompose

from agency_site.settings import ROOT, Settings, variable
from agency_site.settings.environment_file import VARIABLE

DEPLOY = ROOT / "deploy"
COMPOSE = (DEPLOY / "compose.yaml").read_text()
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(COMPOSE)["services"]
VARIABLES = {variable(name) for name in Settings.model_fields}


def test_hadolint_accepts_the_dockerfile() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    checked = subprocess.run(
        [hadolint, "--no-color", DEPLOY / "Dockerfile"], check=False, capture_output=True, text=True
    )
    assert (checked.stdout, checked.returncode) == ("", 0)


def test_the_image_runs_without_root_and_fixes_its_times() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    assert re.findall(r"^USER (.+)$", text, re.MULTILINE) == ["10001:10001"]
    assert '--date="@${SOURCE_DATE_EPOCH}"' in text
    assert "--invalidation-mode unchecked-hash" in text


def test_the_compose_file_follows_the_compose_specification() -> None:
    always = {name for name, service in SERVICES.items() if "profiles" not in service}
    assert always == {"migrate", "app-1", "app-2", "caddy", "db", "redis"}
    # Compose itself fills in variables before it reads the rest.
    filled = re.sub(r"\$\{\w+(?::-([^}]*)|:\?[^}]*)?\}", lambda item: item[1] or "filled", COMPOSE)
    # Sections that only exist for merging have been merged.
    settings_of_image = {
        name: part for name, part in yaml.safe_load(filled).items() if name not in {"x-app", "x-watcher"}
    }
    assert PyCompose.from_yaml(yaml.safe_dump(settings_of_image)).name == "agency-site"


def test_the_specification_refuses_what_it_does_not_know() -> None:
    with pytest.raises(ValueError, match="red_only"):
        PyCompose.from_yaml("services: {app: {image: a, red_only: true}}")


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_bounded_and_has_no_rights_that_it_does_not_need(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert re.fullmatch(r"\d+[mg]", service["mem_limit"])
    assert 0 < service["pids_limit"] <= 256


def test_everything_that_prometheus_looks_at_is_a_service() -> None:
    configuration = (DEPLOY / "prometheus" / "prometheus.yaml").read_text()
    result = set(re.findall(r'"([a-z0-9-]+):\d+"', configuration))
    assert result == {"app-1", "app-2", "node-exporter", "blackbox-exporter", "alertmanager"}
    assert result <= set(SERVICES)


def test_grafana_finds_its_dashboard_and_prometheus() -> None:
    folder = DEPLOY / "grafana" / "provisioning"
    (source,) = yaml.safe_load((folder / "datasources" / "prometheus.yaml").read_text())["datasources"]
    (provider,) = yaml.safe_load((folder / "dashboards" / "files.yaml").read_text())["providers"]
    assert source["url"] == "http://prometheus:9090"
    mounted = dict(volume.split(":")[:2] for volume in SERVICES["grafana"]["volumes"])
    assert mounted["./grafana/dashboard.json"].startswith(f"{provider['options']['path']}/")
    assert mounted["./grafana/provisioning"] == "/etc/grafana/provisioning"


def test_every_setting_in_the_files_of_deploy_exists() -> None:
    named = {
        name
        for file in ("Dockerfile", "compose.yaml", "env.example", "README.md")
        for name in re.findall(r"\bAGENCY_[A-Z0-9_]*[A-Z0-9]\b(?!_)", (DEPLOY / file).read_text())
    }
    # A name that ends in an ellipsis names several.
    unknown = {
        name
        for name in named - VARIABLES - {VARIABLE}
        if not any(variable.startswith(f"{name}_") for variable in VARIABLES)
    }
    assert unknown == set()


def test_connections_to_the_database_and_to_redis_are_encrypted_and_verified() -> None:
    for name in ("app-1", "migrate", "backup"):
        environment = SERVICES[name]["environment"]
        assert environment["AGENCY_DATABASE_URL"].endswith("?sslmode=verify-full&sslrootcert=/run/tls/ca.crt")
        assert environment["AGENCY_REDIS_URL"].startswith("rediss://")
        assert "./tls/ca.crt:/run/tls/ca.crt:ro" in SERVICES[name]["volumes"]
    assert "--port 0 " in " ".join(SERVICES["redis"]["command"])


def test_each_service_gets_its_own_key_only() -> None:
    keys = {
        name: sorted(part for part in map(str, service.get("volumes", ())) if part.endswith(".key:ro"))
        for name, service in SERVICES.items()
    }
    assert {name: key for name, key in keys.items() if key} == {
        "db": ["./tls/db.key:/run/tls/db.key:ro"],
        "redis": ["./tls/redis.key:/run/tls/redis.key:ro"],
    }
