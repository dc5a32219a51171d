"""The API conforms to its OpenAPI description, tested by Schemathesis with the whole site on a real server."""

import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.api_servers import api_servers
from tests.servers import fresh_sqlite

pytestmark = pytest.mark.thorough

SITE = "tests.integration.web.site_sockets:create"
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
    "response_schema_conformance,unsupported_method"
)
"""Valid input by the schema may be refused, because a schema cannot describe valid phone numbers and dates."""
EXAMPLES = 15
"""Random cases for each operation, beside the systematic ones."""
MOST_SECONDS = 240


def test_the_whole_site_refuses_unknown_paths_and_methods_of_the_api_in_json(tmp_path: Path) -> None:
    bodies = {
        ("GET", "/api/book"): 405, ("TRACE", "/api/slots"): 405, ("GET", "/api/nope"): 404, ("POST", "/api/nope"): 404,
        ("GET", "/calendar/nope"): 404, ("GET", "/api/check-payment-status/a%0Ab"): 400,
    }  # fmt: skip
    with api_servers(1, fresh_sqlite(tmp_path / "site.sqlite3"), factory=SITE) as [url]:
        answers = {(method, path): httpx.request(method, url + path) for method, path in bodies}
    assert {question: answer.status_code for question, answer in answers.items()} == bodies
    assert all(answer.json()["message"] for answer in answers.values())
    assert answers["GET", "/api/book"].headers["allow"] == "POST"


def test_every_answer_is_one_that_the_description_knows(tmp_path: Path) -> None:
    with api_servers(1, fresh_sqlite(tmp_path / "site.sqlite3"), factory=SITE) as [url]:
        result = subprocess.run(
            [
                sys.executable, "-m", "schemathesis.cli", "run", f"{url}/api/openapi.json", "--checks", CHECKS,
                "--phases", "examples,coverage,fuzzing", "--max-examples", str(EXAMPLES), "--seed", "1",
                "--generation-deterministic", "--request-timeout", "20", "--no-color",
            ],
            cwd=tmp_path, capture_output=True, text=True, timeout=MOST_SECONDS, check=False,
        )  # fmt: skip
        assert httpx.get(f"{url}/readyz").status_code == 200
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]
