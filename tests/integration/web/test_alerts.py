"""Alert rules and dashboard: the rules' own tests, names that exist, a section of the runbook for each, and alerts that fire."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
import yaml

from agency_site.features.booking.booking_page.state import BookingForm
from agency_site.settings import ROOT, Settings
from agency_site.web.serving.api import create_api
from tests.api_servers import ApiServer, api_server
from tests.bench.bookings import places
from tests.http_clients import client_of
from tests.integration.features.checkout.conftest import order_body
from tests.integration.web.alerting import (
    RULES,
    Disk,
    HomePage,
    Targets,
    Watcher,
    blackbox_exporter,
    home_page,
    node_exporter,
    prometheus,
    small_disk,
)
from tests.integration.web.test_site_sockets import SITE, Site, event
from tests.servers import Postgres, Redis, end, free_port, fresh_sqlite, missing, program, running

pytestmark = pytest.mark.thorough

DASHBOARD = ROOT / "deploy" / "grafana" / "dashboard.json"
RUNBOOK = ROOT / "docs" / "runbook.md"
NAME = re.compile(r"\b(?:agency|node|probe|process)_[a-z_]+\b")
OTHERS = re.compile(
    r"node_filesystem_(avail|size)_bytes|probe_success|probe_ssl_earliest_cert_expiry"
    r"|process_(resident_memory_bytes|start_time_seconds)"
)
"""From node_exporter, blackbox_exporter, and what client libraries call figures of processes."""


def rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((RULES / "alerts.yaml").read_text())["groups"]
    result: list[dict[str, Any]] = group["rules"]
    return result


def promtool(*arguments: str) -> str:
    binary = program("promtool", "prometheus") or missing("Prometheus")
    done = subprocess.run([binary, *arguments], cwd=RULES, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_each_rule_is_quiet_while_all_is_well_and_fires_in_trouble() -> None:
    promtool("check", "config", "prometheus.yaml")
    promtool("test", "rules", "alerts_test.yaml")
    tested = {item["name"] for item in yaml.safe_load((RULES / "alerts_test.yaml").read_text())["tests"]}
    assert {rule["alert"] for rule in rules()} <= tested


def test_alertmanager_takes_what_its_script_writes(tmp_path: Path) -> None:
    binary = program("amtool", "prometheus-alertmanager") or missing("Alertmanager")
    mail = {
        "ALERTS_TO": "team@agency.example",
        "SITE_ADDRESS": "www.agency.example",
        "SMTP_HOST": "smtp.agency.example",
        "SMTP_PORT": "587",
        "SMTP_USER": "o'hara",
        "SMTP_PASSWORD": 'it\'s "$5"',
        "SMTP_SECURITY": "none",
        "MAIL_FROM": "site@agency.example",
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
    configuration = yaml.safe_load((tmp_path / "alertmanager.yaml").read_text())
    assert configuration["receivers"][0]["email_configs"][0]["to"] == "team@agency.example"
    [inhibition] = configuration["inhibit_rules"]
    inhibited = re.findall(r"[A-Z]\w+", inhibition["target_matchers"][0])
    assert {"DatabaseAway", *inhibited} <= {rule["alert"] for rule in rules()}
    smtp = configuration["global"]
    assert (smtp["smtp_from"], smtp["smtp_auth_username"]) == ("site@agency.example", "o'hara")
    assert smtp["smtp_require_tls"] is False
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


async def test_every_name_in_rules_and_dashboard_is_exposed(
    configure: Callable[..., Settings], tmp_path: Path
) -> None:
    configure(database_url=fresh_sqlite(tmp_path / "site.sqlite3"), journal_folder=tmp_path)
    async with client_of(create_api()) as client:
        text = (await client.get("/metrics")).text
    exposed = set(re.findall(r"^# TYPE (\S+)", text, flags=re.MULTILINE))
    panels = json.loads(DASHBOARD.read_text())["panels"]
    expressions = [target["expr"] for panel in panels for target in panel.get("targets", ())]
    expressions += [rule["expr"] for rule in rules()]
    names = {name for expression in expressions for name in NAME.findall(expression)}
    assert len(names) > 25
    ours = {name for name in names if not OTHERS.fullmatch(name)}
    assert {name for name in ours if not {name, re.sub("_(bucket|count|sum)$", "", name)} & exposed} == set()


TOGETHER = {
    "BackupOld",
    "CalendarUnread",
    "CallbacksMissing",
    "CallbacksWaiting",
    "CertificateExpires blackbox",
    "DiskFull node",
    "ErrorRate",
    "JobStopped report_process",
    "MailFailed",
    "OutboxOld",
    "PaymentStuck",
    "ReviewOld",
    "SlowEvents",
    "SlowRequests",
    "TextAccountEmpty",
    "TextsOld",
    "TextsUnusual",
}
MPESA_AND_HOME_PAGE_AWAY = {"MpesaUnreachable", "SiteDown blackbox"}
REDIS_AWAY_AND_TABLE_GONE = {"RedisAway", "FiguresMissing"}
DATABASE_AWAY, SERVER_AWAY = {"DatabaseAway"}, {"SiteDown agency-site"}
WORKER_KILLED = {"ServerRestarts agency-site"}
TROUBLES = (
    TOGETHER
    | MPESA_AND_HOME_PAGE_AWAY
    | REDIS_AWAY_AND_TABLE_GONE
    | WORKER_KILLED
    | DATABASE_AWAY
    | SERVER_AWAY
)
BY_RULE_ALONE = {"MemoryHigh", "ClockWrong"}
"""Causing them would need as much memory as the machine has, and its clock."""


@dataclass
class Stage:
    """A whole site and what watches it."""

    folder: Path
    postgres: Postgres
    dsn: str
    simulator: subprocess.Popen[bytes]
    page: HomePage
    disk: Disk | None
    redis: ExitStack
    server: ApiServer
    watcher: Watcher
    numbers: Iterator[int]

    def change(self, *statements: str) -> None:
        """Change the database."""
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)

    def pay(self) -> httpx.Response:
        """Send a prompt to a phone whose payment M-Pesa never reports."""
        number = next(self.numbers)
        body = order_body("600", email=f"amina{number}@example.com", phone=f"07{number:05}600")
        return httpx.post(f"{self.server.url}/api/stkpush", json=body, timeout=30)


@contextmanager
def stage(folder: Path) -> Iterator[Stage]:
    """The site on PostgreSQL, M-Pesa's simulator, a home page, a disk and Prometheus; only the newsletter's table is missing."""
    with ExitStack() as parts:
        postgres = parts.enter_context(Postgres.started())
        url, simulator_port = postgres.fresh_database(), free_port()
        dsn = url.replace("+psycopg", "")
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("DROP TABLE newsletter_issues CASCADE")
            connection.execute("INSERT INTO checked_backups VALUES (now(), 1, 1)")
        simulate = [
            sys.executable,
            "-m",
            "agency_site.mpesa.simulator",
            "--port",
            str(simulator_port),
            "--delay",
            "0",
        ]
        simulator = parts.enter_context(running(simulate, simulator_port, ROOT))
        page, disk = parts.enter_context(home_page(folder)), parts.enter_context(small_disk(folder))
        node = parts.enter_context(node_exporter())
        blackbox = parts.enter_context(blackbox_exporter(folder, page.trusted))
        redis = parts.enter_context(ExitStack())
        settings = {
            "redis_url": redis.enter_context(Redis.started()).url,
            "journal_folder": folder / "journal", "smtp_host": "127.0.0.1", "smtp_port": 1,
            "mpesa_base_url": f"http://127.0.0.1:{simulator_port}", "sms_site_day": 1,
        }  # fmt: skip
        server = parts.enter_context(api_server(SITE, url, folder / "log", settings))
        targets = Targets(urlsplit(server.url).port or 0, node, blackbox, page.url, str(disk and disk.folder))
        watcher = parts.enter_context(prometheus(folder, targets))
        yield Stage(folder, postgres, dsn, simulator, page, disk, redis, server, watcher, count(1))


def cause_trouble(site: Stage) -> None:
    """Payments of two days ago, a mail and a text message of an hour ago, an empty account for text messages, a calendar that
    fails, a damaged file, two tables that are gone, an old backup, a full disk, a certificate that expires."""
    for _ in range(2):
        assert site.pay().status_code == 200
    day, at = next(places())
    visitor = {"fullname": "Amina", "emailaddress": "amina@example.com", "phonenumber": "0712345678"}
    booked = httpx.post(f"{site.server.url}/api/book", json=visitor | {"date": day.isoformat(), "time": at})
    assert booked.status_code == 201
    site.change(
        "UPDATE payments SET created_at = created_at - interval '2 days'",
        "UPDATE payments SET state = 'needs_review' WHERE id = (SELECT min(id) FROM payments)",
        "INSERT INTO busy_calendars (version, name, address, etag, last_modified, failing_since, last_error, author,"
        " created_at) VALUES (1, 'A calendar', '', '', '', now() - interval '2 hours', 'Away', '', now())",
        "UPDATE checked_backups SET taken_at = taken_at - interval '3 days'",
        "UPDATE outbox_messages SET created_at = created_at - interval '1 hour'",
        "UPDATE outbox_messages SET state = 'failed', due_at = NULL WHERE id = (SELECT min(id) FROM outbox_messages)",
        'INSERT INTO sms_messages (kind, "to", text, parts, purpose, about, requested_by, search, state, attempts, last_error, '
        "cost, currency, created_at, due_at) "
        "VALUES ('payment-received', '+254712345678', '\"Paid\"', 1, 'transaction', '', '', '', "
        "'queued', 1, 'InsufficientBalance', 0, '', now() - interval '1 hour', now() + interval '1 day')",
        "ALTER TABLE comments RENAME TO comments_gone",
        "ALTER TABLE server_processes RENAME TO server_processes_gone",
    )
    (site.folder / "journal").mkdir(exist_ok=True)
    (site.folder / "journal" / "1.damaged").write_text("{")
    site.page.use("short")
    if site.disk:
        site.disk.fill()


def use_site(site: Stage) -> None:
    """A request and an event wait for more than a second, as behind a migration that holds a table's lock; another request
    needs the table that is gone; a customer pays, and M-Pesa does not report it."""
    assert site.pay().status_code == 200
    day, _ = next(places())
    tabs = Site(site.server.url, site.server.process.pid, site.folder / "log")
    waiting = (
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
        "AND query_start < clock_timestamp() - interval '1.1 s'"
    )
    with (
        psycopg.connect(site.dsn) as holder,
        psycopg.connect(site.dsn, autocommit=True) as connection,
        ThreadPoolExecutor() as others,
        tabs.socket() as tab,
    ):
        holder.execute("LOCK TABLE blackouts IN ACCESS EXCLUSIVE MODE")
        request = others.submit(
            httpx.get, f"{site.server.url}/api/slots", params={"date": day.isoformat()}, timeout=30
        )
        path = {"pathname": "/book", "asPath": "/book"}
        chosen = {"chosen": day.isoformat()}
        tab.send(event(f"{BookingForm.get_full_name()}.choose_date", payload=chosen, router_data=path))
        site.watcher.wait_until(lambda: connection.execute(waiting).fetchone() == (2,))
        holder.rollback()
        assert request.result().status_code == 200
    httpx.get(f"{site.server.url}/comment/abcdefghijklmnopqrstuvwxyzabcdefghijklmnopq", timeout=30)


def test_every_alert_is_caused() -> None:
    caused = {trouble.split()[0] for trouble in TROUBLES}
    assert caused | BY_RULE_ALONE == {rule["alert"] for rule in rules()}


def test_troubles_make_their_alerts_fire(tmp_path: Path) -> None:
    with stage(tmp_path) as site:
        watcher, seen = site.watcher, site.watcher.firing
        watcher.wait_until(lambda: watcher.count("up == 1") == 3 and watcher.count("probe_success == 1") == 1)
        # The newsletter's job has never succeeded; all else is well.
        watcher.wait_until(lambda: "JobStopped send_due_issues" in seen() and not TROUBLES & seen())

        cause_trouble(site)
        expected = TOGETHER if site.disk else TOGETHER - {"DiskFull node"}
        watcher.wait_until(lambda: expected <= seen(), lambda: use_site(site))
        assert not {"DatabaseAway", "MpesaUnreachable"} & seen()

        end(site.simulator)
        site.page.use("expired")
        watcher.wait_until(lambda: seen() >= MPESA_AND_HOME_PAGE_AWAY, site.pay)

        os.kill(site.server.workers()[0], signal.SIGKILL)
        watcher.wait_until(lambda: seen() >= WORKER_KILLED)

        site.redis.close()
        site.change("ALTER TABLE checked_backups RENAME TO checked_backups_gone")
        watcher.wait_until(lambda: seen() >= REDIS_AWAY_AND_TABLE_GONE)
        assert "DatabaseAway" not in seen()

        site.postgres.stop()
        watcher.wait_until(lambda: seen() >= DATABASE_AWAY)

        site.server.kill()
        watcher.wait_until(lambda: seen() >= SERVER_AWAY)
