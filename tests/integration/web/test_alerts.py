"""Alert rules and dashboard: the rules' own tests, names that exist, a section of the runbook for each, and alerts that fire."""

import json
import re
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from agency_site.settings import ROOT
from tests.api_servers import api_server
from tests.integration.web.test_site_sockets import SITE
from tests.servers import end, free_port, fresh_sqlite, missing, program, wait_for_port

RULES = ROOT / "deploy" / "prometheus"
DASHBOARD = ROOT / "deploy" / "grafana" / "dashboard.json"
RUNBOOK = ROOT / "docs" / "runbook.md"
NAME = re.compile(r"\b(?:agency|node|probe|process)_[a-z_]+\b")
OTHERS = re.compile(
    r"node_filesystem_(avail|size)_bytes|probe_ssl_earliest_cert_expiry|process_resident_memory_bytes"
)
"""From node_exporter, blackbox_exporter and the client library."""
BACKUPS = {"agency_backup_last_success_timestamp_seconds"}
"""From the file that a backup writes for node_exporter."""


def rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((RULES / "alerts.yaml").read_text())["groups"]
    found: list[dict[str, Any]] = group["rules"]
    return found


def promtool(*arguments: str) -> str:
    binary = program("promtool", "prometheus") or missing("Prometheus")
    done = subprocess.run([binary, *arguments], cwd=RULES, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_each_rule_is_quiet_while_all_is_well_and_fires_in_trouble() -> None:
    promtool("check", "config", "prometheus.yaml")
    promtool("test", "rules", "alerts_test.yaml")
    tested = {one["name"] for one in yaml.safe_load((RULES / "alerts_test.yaml").read_text())["tests"]}
    assert {rule["alert"] for rule in rules()} <= tested


def test_alertmanager_takes_what_its_script_writes(tmp_path: Path) -> None:
    binary = program("amtool", "prometheus-alertmanager") or missing("Alertmanager")
    mail = {
        "ALERTS_TO": "team@agency.example",
        "SITE_ADDRESS": "www.agency.example",
        "SMTP_HOST": "smtp.agency.example",
        "SMTP_PORT": "587",
        "SMTP_USER": "agency",
        "SMTP_PASSWORD": 'it\'s "$5"',
    }
    order: list[str | Path] = [
        "sh",
        RULES / "alertmanager.sh",
        tmp_path,
        binary,
        "check-config",
        tmp_path / "alertmanager.yaml",
    ]
    done = subprocess.run(order, env=mail, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    written = yaml.safe_load((tmp_path / "alertmanager.yaml").read_text())
    assert written["receivers"][0]["email_configs"][0]["to"] == "team@agency.example"
    assert (tmp_path / "smtp-password").read_text() == 'it\'s "$5"'


def test_each_alert_names_a_section_with_symptom_check_and_action() -> None:
    sections = dict(
        re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", RUNBOOK.read_text(), flags=re.MULTILINE | re.DOTALL)
    )
    anchors = {re.sub(r"[^a-z0-9-]", "-", title.lower()): text for title, text in sections.items()}
    for rule in rules():
        page, _, anchor = rule["annotations"]["runbook"].partition("#")
        assert ROOT / page == RUNBOOK
        for part in ("Symptom", "Check", "Action"):
            assert f"**{part}**" in anchors[anchor], (rule["alert"], part)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Address and folder of a site whose database is in the folder."""
    folder = tmp_path_factory.mktemp("site")
    url = fresh_sqlite(folder / "site.sqlite3")
    settings = {"journal_folder": folder / "journal", "smtp_host": "127.0.0.1", "smtp_port": 1}
    with api_server(SITE, url, folder / "log", settings) as server:
        yield server.url, folder


def test_every_name_in_rules_and_dashboard_is_exposed(site: tuple[str, Path]) -> None:
    address, _ = site
    exposed = set(re.findall(r"^# TYPE (\S+)", httpx.get(f"{address}/metrics").text, flags=re.MULTILINE))
    panels = json.loads(DASHBOARD.read_text())["panels"]
    expressions = [target["expr"] for panel in panels for target in panel.get("targets", ())]
    expressions += [rule["expr"] for rule in rules()]
    names = {name for expression in expressions for name in NAME.findall(expression)}
    assert len(names) > 25
    ours = {name for name in names if not OTHERS.fullmatch(name)} - BACKUPS
    assert {name for name in ours if not {name, re.sub("_(bucket|count|sum)$", "", name)} & exposed} == set()


@contextmanager
def running(command: list[str | Path], port: int) -> Iterator[None]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for_port(port, process)
        yield
    finally:
        end(process)


@contextmanager
def node_exporter(folder: Path) -> Iterator[int]:
    package = "prometheus-node-exporter"
    binary, port = program(package) or missing("node_exporter"), free_port()
    options = [f"--collector.textfile.directory={folder}", f"--web.listen-address=127.0.0.1:{port}"]
    with running([binary, "--collector.disable-defaults", "--collector.textfile", *options], port):
        yield port


@contextmanager
def prometheus(folder: Path, targets: dict[str, list[int]]) -> Iterator[str]:
    """Prometheus with the rules of `deploy/` and shortened waiting: it looks each second, and no alert has to last."""
    binary, port = program("prometheus") or missing("Prometheus"), free_port()
    quick = re.sub(r"for: \w+", "for: 0s", (RULES / "alerts.yaml").read_text()).replace("[5m]", "[20s]")
    (folder / "alerts.yaml").write_text(quick)
    jobs = [
        {"job_name": name, "static_configs": [{"targets": [f"127.0.0.1:{one}" for one in ports]}]}
        for name, ports in targets.items()
    ]
    configuration = {
        "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
        "rule_files": ["alerts.yaml"],
        "scrape_configs": jobs,
    }
    (folder / "prometheus.yaml").write_text(yaml.safe_dump(configuration))
    options = [f"--config.file={folder}/prometheus.yaml", f"--storage.tsdb.path={folder}/data"]
    address = f"http://127.0.0.1:{port}"
    with running([binary, *options, f"--web.listen-address=127.0.0.1:{port}"], port):
        deadline, pause = time.monotonic() + 60, threading.Event()
        # It listens before it answers.
        while httpx.get(f"{address}/-/ready").status_code != 200:
            assert time.monotonic() < deadline
            pause.wait(0.1)
        yield address


def firing(address: str) -> set[str]:
    found = httpx.get(f"{address}/api/v1/alerts").json()["data"]["alerts"]
    return {one["labels"]["alertname"] for one in found if one["state"] == "firing"}


def cause_trouble(folder: Path) -> None:
    """Two payments of two days ago, a message of an hour ago, a damaged file, a table that is gone, an old backup."""
    long_ago, an_hour_ago = (datetime.now(UTC) - timedelta(hours=hours) for hours in (48, 1))
    with sqlite3.connect(folder / "site.sqlite3", timeout=30) as database:
        insert(
            database, "orders", id=1, reference="EN-1", state="awaiting", quantity=1, unit_price=1, amount=1, discount=0,
            created_at=long_ago, updated_at=long_ago,
        )  # fmt: skip
        for number, state in ((1, "pending"), (2, "needs_review")):
            reference = f"EN1{number}"
            insert(database, "payments", id=number, order_id=1, kind="prompt", attempt_key=reference,
                   account_reference=reference, state=state, created_at=long_ago)  # fmt: skip
        insert(
            database,
            "outbox_messages",
            id=1,
            kind="test",
            state="queued",
            message_id="<1>",
            created_at=an_hour_ago,
        )
        database.execute("ALTER TABLE comments RENAME TO comments_gone")
    (folder / "journal").mkdir(exist_ok=True)
    (folder / "journal" / "1.damaged").write_text("{")
    old = (datetime.now(UTC) - timedelta(days=3)).timestamp()
    (folder / "agency_backup.prom").write_text(f"agency_backup_last_success_timestamp_seconds {old}\n")


def insert(database: sqlite3.Connection, table: str, **values: object) -> None:
    """A row; columns that are not given are 1 or empty, whatever they mean."""
    row: dict[str, object] = {}
    for _, name, kind, required, default, _ in database.execute(f"PRAGMA table_info({table})"):
        if name in values:
            value = values[name]
            row[name] = f"{value:%Y-%m-%d %H:%M:%S.%f}" if isinstance(value, datetime) else value
        elif required and default is None:
            row[name] = 1 if kind in {"INTEGER", "BIGINT"} else "{}" if kind == "JSON" else ""
    marks = ", ".join("?" * len(row))
    names = ", ".join(f'"{name}"' for name in row)
    database.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(row.values()))


def test_troubles_make_their_alerts_fire(site: tuple[str, Path], tmp_path: Path) -> None:
    address, folder = site
    expected = {
        "SiteDown",
        "PaymentStuck",
        "ReviewOld",
        "CallbacksWaiting",
        "OutboxOld",
        "ErrorRate",
        "BackupOld",
    }
    port = int(address.rpartition(":")[2])
    with (
        node_exporter(folder) as node,
        prometheus(tmp_path, {"agency-site": [port, free_port()], "node": [node]}) as watching,
    ):
        cause_trouble(folder)
        deadline, pause = time.monotonic() + 60, threading.Event()
        while not expected <= firing(watching):
            assert time.monotonic() < deadline, expected - firing(watching)
            httpx.get(f"{address}/api/v1/nothing")
            httpx.get(f"{address}/comment/abcdefghijklmnopqrstuvwxyzabcdefghijklmnopq", timeout=30)
            pause.wait(0.5)
        assert not {"DatabaseAway", "JobStopped", "MpesaUnreachable"} & firing(watching)
