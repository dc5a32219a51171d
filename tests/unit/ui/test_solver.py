"""What the browser's worker finds is what the server asks for, with the browser's cryptography and by hand."""

import base64
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agency_site.antispam import proof_of_work
from agency_site.settings import ROOT, Settings

RUN = """
const [source, parameters, secure] = JSON.parse(require("fs").readFileSync(0, "utf8"));
if (!secure) Object.defineProperty(globalThis, "crypto", { value: {} });
let solve;
globalThis.self = {
  addEventListener: (_, listen) => { solve = listen; },
  postMessage: (found) => console.log(JSON.stringify(found)),
};
(0, eval)(source);
solve({ data: parameters });
"""


def worker(parameters: dict[str, Any], *, secure: bool) -> dict[str, Any]:
    """What the worker answers."""
    source = (ROOT / "agency_site" / "ui" / "solver.js").read_text()
    done = subprocess.run(
        [Path(sys.executable).parent / "node", "-e", RUN],
        input=json.dumps([source, parameters, secure]),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("secure", [True, False], ids=["https", "http"])
def test_the_server_takes_what_the_worker_finds(configure: Callable[..., Settings], secure: bool) -> None:
    configure(proof_tries=6, proof_iterations=50)
    for _ in range(4):
        challenge = proof_of_work.new_challenge()
        found = worker(challenge["parameters"], secure=secure)
        assert found["nonce"] == challenge["parameters"]["nonce"]
        payload = json.dumps({"challenge": challenge, "solution": found["solution"]})
        assert proof_of_work.read_proof(base64.b64encode(payload.encode()).decode())


def test_a_challenge_that_cannot_be_solved_is_given_up() -> None:
    nonsense = {"nonce": "zz", "salt": None, "cost": 1, "keyPrefix": "00"}
    assert worker(nonsense, secure=True) == {"nonce": "zz", "solution": None}
