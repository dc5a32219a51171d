"""The proxy of `deploy/`, started on free ports with a certificate of its own."""

import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from agency_site.settings import ROOT
from tests.servers import end, missing, program, wait_for_port

CADDYFILE = ROOT / "deploy" / "Caddyfile"


@contextmanager
def caddy(
    folder: Path, secure: int, plain: int, upstreams: list[int], address: str = "localhost"
) -> Iterator[None]:
    """Caddy on the ports `secure` and `plain` with the configuration of `deploy/`, and nothing left behind.

    With `localhost, http://localhost` as `address` the plain port serves the site too, for programs that speak no TLS.
    """
    binary = program("caddy") or missing("Caddy")
    environment = os.environ | {
        "HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "SITE_ADDRESS": address,
        "HTTPS_PORT": str(secure), "HTTPS_SUFFIX": f":{secure}", "HTTP_PORT": str(plain),
        "APP_UPSTREAMS": " ".join(f"127.0.0.1:{port}" for port in upstreams),
    }  # fmt: skip
    configuration = folder / "Caddyfile"
    configuration.write_text(_spelt_for(binary, CADDYFILE.read_text()))
    command = [binary, "run", "--config", str(configuration), "--adapter", "caddyfile"]
    with (folder / "caddy.log").open("w") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            wait_for_port(secure, process)
            _wait_for_certificate(secure)
            yield
        finally:
            end(process)


def _spelt_for(binary: str, configuration: str) -> str:
    """The configuration as this Caddy reads it: Debian has 2.6.2, which spells one directive otherwise."""
    version = subprocess.run([binary, "version"], check=True, capture_output=True, text=True).stdout
    if not version.lstrip("v").startswith("2.6."):
        return configuration
    return re.sub(r"request_buffers (\S+)", r"buffer_requests\n\t\tmax_buffer_size \1", configuration)


def _wait_for_certificate(port: int) -> None:
    """Return once the proxy has made its certificate and answers."""
    deadline = time.monotonic() + 30
    while True:
        try:
            httpx.get(f"https://localhost:{port}/healthz", verify=False)
        except httpx.ConnectError:
            assert time.monotonic() < deadline
        else:
            return
