"""Prometheus with the configuration of `deploy/` and short intervals, its exporters, and a disk and a home page for them."""

import os
import re
import shutil
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import httpx
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from agency_site.settings import ROOT
from tests.servers import free_port, missing, program, running

RULES = ROOT / "deploy" / "prometheus"
JOB_SECONDS = 12
"""Replaces each background job's bound; longer than the pause of the job that is made to fail."""


@contextmanager
def node_exporter() -> Iterator[int]:
    """Run the exporter of file systems; yield its port."""
    package = "prometheus-node-exporter"
    binary, port = program(package) or missing("node_exporter"), free_port()
    options = ["--collector.disable-defaults", "--collector.filesystem"]
    with running([binary, *options, f"--web.listen-address=127.0.0.1:{port}"], port):
        yield port


@contextmanager
def blackbox_exporter(folder: Path, trusted: Path) -> Iterator[int]:
    """Run the exporter, which trusts the certificates of this file; yield its port."""
    package = "prometheus-blackbox-exporter"
    binary, port = program(package) or missing("blackbox_exporter"), free_port()
    (folder / "blackbox.yaml").write_text("modules: {http_2xx: {prober: http}}")
    options = [f"--config.file={folder}/blackbox.yaml", f"--web.listen-address=127.0.0.1:{port}"]
    with running([binary, *options], port, SSL_CERT_FILE=str(trusted)):
        yield port


@dataclass
class Disk:
    """A file system of 8 MB of its own."""

    folder: Path

    def fill(self) -> None:
        with suppress(OSError), (self.folder / "full").open("wb", buffering=0) as file:
            while file.write(bytes(1 << 16)):
                pass


@contextmanager
def small_disk(folder: Path) -> Iterator[Disk | None]:
    """None if this process cannot mount: a container without privileges, or a user who is not root."""
    image, mount = folder / "disk.image", folder / "disk"
    mount.mkdir()
    with image.open("wb") as file:
        file.truncate(8 << 20)
    format_disk = shutil.which("mkfs.ext4", path=f"{os.environ['PATH']}:/sbin:/usr/sbin")
    if format_disk:
        subprocess.run([format_disk, "-q", "-m", "0", image], check=True)
    if (
        not format_disk
        or subprocess.run(["mount", "-o", "loop", image, mount], capture_output=True).returncode
    ):
        yield None
        return
    try:
        yield Disk(mount)
    finally:
        subprocess.run(["umount", mount], check=True)


def write_certificate(file: Path, valid_for: timedelta) -> Path:
    """A certificate of 127.0.0.1, made thirty days ago, with its key."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.now(UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=30))
        .not_valid_after(now + valid_for)
        .add_extension(address, critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file.write_bytes(certificate.public_bytes(pem) + secret)
    return file


@dataclass
class HomePage:
    """A server with TLS in the place of the proxy; its certificate can be replaced while it runs."""

    certificates: dict[str, Path]
    trusted: Path
    tls: ssl.SSLContext
    url: str

    def use(self, name: str) -> None:
        self.tls.load_cert_chain(self.certificates[name])


@contextmanager
def home_page(folder: Path) -> Iterator[HomePage]:
    """Start with a certificate that is valid for a long time."""
    ages = {"long": timedelta(days=60), "short": timedelta(days=5), "expired": timedelta(days=-1)}
    certificates = {name: write_certificate(folder / f"{name}.pem", left) for name, left in ages.items()}
    trusted = folder / "trusted.pem"
    trusted.write_text("".join(file.read_text() for file in certificates.values()))
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with _Quiet(("127.0.0.1", 0), _QuietHandler) as server:
        page = HomePage(certificates, trusted, tls, f"https://127.0.0.1:{server.server_port}/")
        page.use("long")
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield page
        finally:
            server.shutdown()
            thread.join()


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        pass


class _Quiet(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that does not accept the certificate ends the connection."""


@dataclass
class Watcher:
    """A running Prometheus."""

    address: str
    pause: threading.Event = field(default_factory=threading.Event)

    def firing(self) -> set[str]:
        """Alerts that fire; with the background job, or the job of Prometheus that they are about, if any."""
        result = self._get("alerts")["alerts"]
        labels = [item["labels"] for item in result if item["state"] == "firing"]
        return {f"{each['alertname']} {each.get('name') or each.get('job', '')}".strip() for each in labels}

    def count(self, expression: str) -> int:
        """Return the number of series."""
        return len(self._get("query", query=expression)["result"])

    def wait_until(self, ready: Callable[[], bool], provoke: Callable[[], object] = lambda: None) -> None:
        deadline = time.monotonic() + 60
        while not ready():
            assert time.monotonic() < deadline, self.firing()
            provoke()
            self.pause.wait(0.2)

    def _get(self, what: str, **query: str) -> dict[str, Any]:
        answer = httpx.get(f"{self.address}/api/v1/{what}", params=query).raise_for_status()
        result: dict[str, Any] = answer.json()["data"]
        return result


@dataclass(frozen=True)
class Targets:
    """Targets of Prometheus: ports, and the address of the home page."""

    site: int
    node: int
    blackbox: int
    home_page: str
    disk: str
    """The only file system that counts: the machine's own may be full."""


def _configure(targets: Targets) -> dict[str, Any]:
    """The configuration of `deploy/` with other targets, which looks each second."""
    rules_file: dict[str, Any] = yaml.safe_load((RULES / "prometheus.yaml").read_text())
    rules_file["global"] = {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"}
    del rules_file["alerting"]
    site, node, home = rules_file["scrape_configs"]
    site["static_configs"] = [{"targets": [f"127.0.0.1:{targets.site}"]}]
    node["static_configs"] = [{"targets": [f"127.0.0.1:{targets.node}"]}]
    only = {"source_labels": ["mountpoint"], "regex": f"({re.escape(targets.disk)})?", "action": "keep"}
    node["metric_relabel_configs"] = [only]
    del home["file_sd_configs"]
    home["static_configs"] = [{"targets": [targets.home_page]}]
    home["relabel_configs"][-1]["replacement"] = f"127.0.0.1:{targets.blackbox}"
    return rules_file


@contextmanager
def prometheus(folder: Path, targets: Targets) -> Iterator[Watcher]:
    """Prometheus with the rules of `deploy/` and shortened waiting: no alert has to last, rates are those of ten seconds."""
    binary, port = program("prometheus") or missing("Prometheus"), free_port()
    quick = re.sub(r"for: \w+", "for: 0s", (RULES / "alerts.yaml").read_text())
    # One new start is enough, and Prometheus has to see it in time.
    quick = quick.replace("[30m]) > 3", "[60s]) > 0")
    quick = re.sub(r"\[\d+m\]", "[10s]", quick)
    bound = "max by (name) (agency_job_bound_seconds)"
    quick = quick.replace(bound, f"(0 * {bound} + {JOB_SECONDS})")
    (folder / "alerts.yaml").write_text(quick)
    (folder / "prometheus.yaml").write_text(yaml.safe_dump(_configure(targets)))
    options = [f"--config.file={folder}/prometheus.yaml", f"--storage.tsdb.path={folder}/data"]
    watcher = Watcher(f"http://127.0.0.1:{port}")
    with running([binary, *options, f"--web.listen-address=127.0.0.1:{port}"], port):
        # It listens before it answers.
        watcher.wait_until(lambda: httpx.get(f"{watcher.address}/-/ready").status_code == 200)
        yield watcher
