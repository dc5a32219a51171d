"""`deploy/kubernetes/`: accepted by the schemas of Kubernetes, and in agreement with compose.yaml, the Caddyfile and the site.

Resources of operators (CloudNativePG's Cluster, Prometheus' PodMonitor) have no schema in Kubernetes, and no package has theirs:
of those the fields are checked that the rest relies on. Nothing here asks a cluster.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from prometheus_client import REGISTRY
from pydantic import SecretStr

from agency_site.settings import ROOT, Settings, variable
from agency_site.web.serving.shutdown import STOP_SECONDS
from tests.servers import SECRET_KEY

VERSION = "1.37"
FOLDER = ROOT / "deploy" / "kubernetes"
CADDYFILE = (ROOT / "deploy" / "Caddyfile").read_text()
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())[
    "services"
]
OPERATORS = {"Cluster", "PodMonitor", "PrometheusRule"}

Resource = dict[str, Any]


def read(path: Path) -> list[Resource]:
    return list(yaml.safe_load_all(path.read_text()))


FILES = sorted(path for path in FOLDER.glob("*/*.yaml") if path.name != "kustomization.yaml")
RESOURCES: dict[str, Resource] = {
    f"{resource['kind']}/{resource['metadata']['name']}": resource
    for path in FILES
    for resource in read(path)
}
BASE, EXAMPLE = (read(FOLDER / name / "kustomization.yaml")[0] for name in ("base", "example"))


def of_kind(kind: str) -> list[Resource]:
    return [resource for resource in RESOURCES.values() if resource["kind"] == kind]


def pod_template(resource: Resource) -> Resource:
    spec = resource["spec"]
    return dict(spec["jobTemplate"]["spec"]["template"] if "jobTemplate" in spec else spec["template"])


WORKLOADS = {
    name: pod_template(resource)
    for name, resource in RESOURCES.items()
    if resource["kind"] in {"CronJob", "Deployment", "Job", "StatefulSet"}
}
SERVER = WORKLOADS["StatefulSet/agency-site"]
# The pods of the database are made by its operator, those that prove whose name it is by cert-manager.
LABELS = [
    *(template["metadata"]["labels"] for template in WORKLOADS.values()),
    {"cnpg.io/cluster": RESOURCES["Cluster/agency-db"]["metadata"]["name"]},
    {"acme.cert-manager.io/http01-solver": "true"},
]


def container(template: Resource) -> Resource:
    (only,) = template["spec"]["containers"]
    return dict(only)


def selects(selector: Resource, labels: dict[str, str]) -> bool:
    return selector.get("matchLabels", {}).items() <= labels.items() and all(
        labels.get(each["key"]) in each["values"] for each in selector.get("matchExpressions", [])
    )


def literals() -> dict[str, str]:
    """Return the example's configuration map, with the placeholders of its secrets."""
    lines = [
        *BASE["configMapGenerator"][0]["literals"],
        *EXAMPLE["configMapGenerator"][0]["literals"],
    ]
    return dict(line.split("=", 1) for line in lines)


def secrets() -> list[str]:
    text = (FOLDER / "example" / "secret.env.example").read_text()
    return [line.removesuffix("=") for line in text.splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("name", [name for name, each in RESOURCES.items() if each["kind"] not in OPERATORS])
def test_kubernetes_accepts_every_resource(name: str) -> None:
    kubernetes_validate.validate(RESOURCES[name], VERSION, strict=True)


def test_the_schemas_refuse_what_kubernetes_does_not_know() -> None:
    service = RESOURCES["Service/agency-site"]
    wrong = service | {"spec": service["spec"] | {"selektor": {}}}
    with pytest.raises(kubernetes_validate.ValidationError, match="selektor"):
        kubernetes_validate.validate(wrong, VERSION, strict=True)


def test_no_two_resources_have_one_name() -> None:
    assert len(RESOURCES) == sum(len(read(path)) for path in FILES)


def test_each_kustomization_lists_exactly_the_files_beside_it() -> None:
    for folder, listed in (("base", BASE), ("example", EXAMPLE)):
        beside = {path.name for path in FILES if path.parent.name == folder}
        assert set(listed["resources"]) - {"../base"} == beside
        assert len(listed["resources"]) == len(set(listed["resources"]))
    assert "../base" in EXAMPLE["resources"]
    assert EXAMPLE["namespace"] == RESOURCES["Namespace/agency"]["metadata"]["name"]
    assert EXAMPLE["secretGenerator"][0]["envs"] == ["secret.env"]


def test_every_setting_exists_and_no_secret_is_in_the_configuration() -> None:
    own = {each["name"] for template in WORKLOADS.values() for each in container(template)["env"]}
    named = {name for name in own | set(secrets()) | set(literals()) if name.startswith("AGENCY_")}
    fields = {variable(name): field for name, field in Settings.model_fields.items()}
    assert named - set(fields) == set()
    assert [name for name in literals() if fields[name].annotation is SecretStr] == []
    assert set(literals()) & (own | set(secrets())) == set()


def test_the_settings_are_safe_once_the_secrets_are_filled_in(monkeypatch: pytest.MonkeyPatch) -> None:
    inside = {each["name"]: each["value"] for each in container(SERVER)["env"] if "value" in each}
    for name, value in {**literals(), **inside, **dict.fromkeys(secrets(), SECRET_KEY)}.items():
        monkeypatch.setenv(name, value)
    settings = Settings()
    assert settings.dangers() == []
    assert (settings.trusted_proxy_hops, settings.workers, settings.sqlite) == (1, 1, False)


def references(template: Resource) -> Iterator[tuple[str, str]]:
    """Kind and name of the configuration that a pod reads."""
    for each in container(template).get("envFrom", []):
        for kind, reference in each.items():
            yield kind, reference["name"]
    for each in container(template)["env"]:
        if "valueFrom" in each:
            yield "secretRef", each["valueFrom"]["secretKeyRef"]["name"]


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_pod_reads_configuration_that_exists(name: str) -> None:
    # The operator of the database makes the last one.
    database = f"{RESOURCES['Cluster/agency-db']['metadata']['name']}-app"
    objects = {
        ("configMapRef", EXAMPLE["configMapGenerator"][0]["name"]),
        ("secretRef", EXAMPLE["secretGenerator"][0]["name"]),
        ("secretRef", database),
    }
    assert set(references(WORKLOADS[name])) <= objects
    keys = {
        each["valueFrom"]["secretKeyRef"]["key"]
        for each in container(WORKLOADS[name])["env"]
        if "valueFrom" in each and each["valueFrom"]["secretKeyRef"]["name"] != database
    }
    assert keys <= set(secrets())


def test_every_pod_reaches_the_same_database() -> None:
    addresses = {
        each["value"]
        for template in WORKLOADS.values()
        for each in container(template)["env"]
        if each["name"] == "AGENCY_DATABASE_URL"
    }
    owner = RESOURCES["Cluster/agency-db"]["spec"]["bootstrap"]["initdb"]
    assert addresses == {
        f"postgresql+psycopg://{owner['owner']}:$(DATABASE_PASSWORD)@agency-db-rw/{owner['database']}"
        "?sslmode=require"
    }


def test_images_are_those_of_compose() -> None:
    ours = {container(template)["image"] for template in WORKLOADS.values()}
    theirs = {service["image"].partition(":${")[0] for service in SERVICES.values()}
    assert ours == {"agency-site", "agency-site-backup", SERVICES["redis"]["image"]} <= theirs
    assert {image["name"] for image in EXAMPLE["images"]} == {"agency-site", "agency-site-backup"}
    (_, version) = RESOURCES["Cluster/agency-db"]["spec"]["imageName"].split(":")
    assert SERVICES["db"]["image"].startswith(f"postgres:{version}-")


@pytest.mark.parametrize(
    ("name", "service"),
    [
        ("StatefulSet/agency-site", "app-1"),
        ("Job/agency-migration", "migrate"),
        ("CronJob/agency-backup", "backup"),
        ("Deployment/agency-redis", "redis"),
    ],
)
def test_a_container_has_the_bounds_and_rights_of_compose(name: str, service: str) -> None:
    pod, compose = WORKLOADS[name]["spec"], SERVICES[service]
    inside = container(WORKLOADS[name])
    limit = inside["resources"]["limits"]["memory"]
    assert limit.removesuffix("i").lower() == compose["mem_limit"]
    assert inside["securityContext"] == {
        "readOnlyRootFilesystem": compose["read_only"],
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": compose["cap_drop"]},
    }
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is False
    assert pod["enableServiceLinks"] is False


def test_the_account_and_the_temporary_folder_are_those_of_the_image() -> None:
    dockerfile = (ROOT / "deploy" / "Dockerfile").read_text()
    (account,) = re.findall(r"^USER (\d+):\1$", dockerfile, re.MULTILINE)
    (temporary,) = SERVICES["app-1"]["tmpfs"]
    for name in ("StatefulSet/agency-site", "Job/agency-migration", "CronJob/agency-backup"):
        pod = WORKLOADS[name]["spec"]
        assert (pod["securityContext"]["runAsUser"], pod["securityContext"]["runAsGroup"]) == (
            int(account),
        ) * 2
        (volume,) = [each for each in pod["volumes"] if each["name"] == "temporary"]
        size = volume["emptyDir"]["sizeLimit"].removesuffix("Mi")
        assert temporary.startswith(f"/tmp:size={size}m,")


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_mounted_volume_exists(name: str) -> None:
    claims = [each["metadata"]["name"] for each in RESOURCES[name]["spec"].get("volumeClaimTemplates", [])]
    volumes = [each["name"] for each in WORKLOADS[name]["spec"].get("volumes", [])]
    assert sorted(each["name"] for each in container(WORKLOADS[name])["volumeMounts"]) == sorted(
        claims + volumes
    )


def test_servers_and_backups_mount_the_folders_that_compose_mounts() -> None:
    paths = dict(
        volume.split(":") for volume in SERVICES["backup"]["volumes"] if not volume.startswith("./tls/")
    )
    mounts = {
        each["name"]: each["mountPath"]
        for template in WORKLOADS.values()
        for each in container(template)["volumeMounts"]
    }
    assert {name: mounts[name] for name in paths} == paths


def test_ports_are_those_of_the_image() -> None:
    dockerfile = (ROOT / "deploy" / "Dockerfile").read_text()
    (port,) = re.findall(r"^EXPOSE (\d+)$", dockerfile, re.MULTILINE)
    assert container(SERVER)["ports"] == [{"name": "http", "containerPort": int(port)}]
    for service in of_kind("Service"):
        expected = "redis" if service["metadata"]["name"] == "agency-redis" else "http"
        assert [each["name"] for each in service["spec"]["ports"]] == [expected]
        assert service["spec"]["ports"][0]["port"] == (6379 if expected == "redis" else int(port))


def test_every_selector_finds_pods() -> None:
    selectors = [
        *(
            {"matchLabels": each["spec"]["selector"]}
            for each in of_kind("Service")
            if "selector" in each["spec"]
        ),
        *(
            each["spec"]["selector"]
            for kind in ("Deployment", "PodDisruptionBudget", "PodMonitor", "StatefulSet")
            for each in of_kind(kind)
        ),
        *(spread["labelSelector"] for spread in SERVER["spec"]["topologySpreadConstraints"]),
    ]
    assert [each for each in selectors if sum(selects(each, labels) for labels in LABELS) != 1] == []
    target = RESOURCES["HorizontalPodAutoscaler/agency-site"]["spec"]["scaleTargetRef"]
    assert f"{target['kind']}/{target['name']}" in WORKLOADS
    assert f"Service/{RESOURCES['StatefulSet/agency-site']['spec']['serviceName']}" in RESOURCES


def peers(policy: Resource) -> Iterator[Resource]:
    for rule in policy["spec"].get("ingress", []):
        yield from rule.get("from", [])
    for rule in policy["spec"].get("egress", []):
        yield from rule.get("to", [])


@pytest.mark.parametrize(
    "policy", of_kind("NetworkPolicy"), ids=lambda policy: str(policy["metadata"]["name"])
)
def test_every_policy_names_pods_that_exist(policy: Resource) -> None:
    named = [
        policy["spec"]["podSelector"],
        *(peer["podSelector"] for peer in peers(policy) if set(peer) == {"podSelector"}),
    ]
    assert [each for each in named if not any(selects(each, labels) for labels in LABELS)] == []


def connects(direction: str, side: str, labels: dict[str, str], peer: dict[str, str], port: int) -> bool:
    """Return whether a policy allows traffic between pods with `labels` and pods with the labels `peer`."""
    return any(
        selects(policy["spec"]["podSelector"], labels)
        and any("podSelector" in each and selects(each["podSelector"], peer) for each in rule.get(side, []))
        and port in [each["port"] for each in rule["ports"]]
        for policy in of_kind("NetworkPolicy")
        for rule in policy["spec"].get(direction, [])
    )


@pytest.mark.parametrize(
    ("source", "target", "port", "allowed"),
    [
        ("server", {"cnpg.io/cluster": "agency-db"}, 5432, True),
        ("migration", {"cnpg.io/cluster": "agency-db"}, 5432, True),
        ("backup", {"cnpg.io/cluster": "agency-db"}, 5432, True),
        ("server", {"app.kubernetes.io/name": "agency-redis"}, 6379, True),
        ("migration", {"app.kubernetes.io/name": "agency-redis"}, 6379, False),
        ("backup", {"app.kubernetes.io/name": "agency-redis"}, 6379, False),
    ],
)
def test_only_those_reach_a_store_that_need_it(
    source: str, target: dict[str, str], port: int, *, allowed: bool
) -> None:
    labels = {"app.kubernetes.io/name": "agency-site", "app.kubernetes.io/component": source}
    assert connects("egress", "to", labels, target, port) is allowed
    assert connects("ingress", "from", target, labels, port) is allowed


def test_what_no_policy_allows_is_denied() -> None:
    assert RESOURCES["NetworkPolicy/default-deny"]["spec"] == {
        "podSelector": {},
        "policyTypes": ["Ingress", "Egress"],
    }


def test_a_server_has_time_to_finish() -> None:
    pause = container(SERVER)["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert SERVER["spec"]["terminationGracePeriodSeconds"] >= pause + STOP_SECONDS + 1


def test_a_server_without_the_database_gets_requests_and_is_not_ended() -> None:
    inside = container(SERVER)
    probes = {
        name: inside[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "liveness", "readiness")
    }
    assert probes == {"startup": "/healthz", "liveness": "/healthz", "readiness": "/readyz/callbacks"}


def ingress_paths() -> dict[str, set[str]]:
    (rule,) = RESOURCES["Ingress/agency-site"]["spec"]["rules"]
    results: dict[str, set[str]] = {}
    for path in rule["http"]["paths"]:
        service = path["backend"]["service"]
        assert path["pathType"] == "Prefix"
        (port,) = RESOURCES[f"Service/{service['name']}"]["spec"]["ports"]
        assert service["port"] == {"name": port["name"]}
        results.setdefault(service["name"], set()).add(path["path"])
    return results


def caddy_paths(matcher: str) -> set[str]:
    (result,) = re.findall(rf"^\t@{matcher} path (.+)$", CADDYFILE, re.MULTILINE)
    return {path.removesuffix("/*") for path in result.split()}


def test_the_ingress_hides_and_separates_what_the_caddyfile_does() -> None:
    assert ingress_paths() == {
        "agency-site": {"/"},
        "agency-site-hidden": caddy_paths("inside"),
    }
    assert "selector" not in RESOURCES["Service/agency-site-hidden"]["spec"]
    (rule,) = RESOURCES["Ingress/agency-site"]["spec"]["rules"]
    assert literals()["AGENCY_PUBLIC_URL"] == f"https://{rule['host']}"
    assert RESOURCES["Ingress/agency-site"]["spec"]["tls"][0]["hosts"] == [rule["host"]]


def test_the_autoscaler_reads_a_metric_that_servers_have() -> None:
    metrics = RESOURCES["HorizontalPodAutoscaler/agency-site"]["spec"]["metrics"]
    (name,) = [each["pods"]["metric"]["name"] for each in metrics if each["type"] == "Pods"]
    assert name in {family.name for family in REGISTRY.collect()}


def test_prometheus_scrapes_servers_as_the_job_of_the_alerts() -> None:
    monitor = RESOURCES["PodMonitor/agency-site"]
    assert monitor["apiVersion"] == "monitoring.coreos.com/v1"
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    assert (endpoint["port"], endpoint["path"]) == ("http", "/metrics")
    job = SERVER["metadata"]["labels"][monitor["spec"]["jobLabel"]]
    assert f'up{{job="{job}"}}' in (ROOT / "deploy" / "prometheus" / "alerts.yaml").read_text()


def test_the_alerts_reach_the_cluster() -> None:
    rules = RESOURCES["PrometheusRule/agency-site"]
    assert rules["apiVersion"] == "monitoring.coreos.com/v1"
    alerts = yaml.safe_load((ROOT / "deploy" / "prometheus" / "alerts.yaml").read_text())
    assert rules["spec"] == alerts


def test_the_cluster_of_the_database_confirms_commits_and_lets_backups_be_checked() -> None:
    cluster = RESOURCES["Cluster/agency-db"]
    assert cluster["apiVersion"] == "postgresql.cnpg.io/v1"
    assert set(cluster["spec"]) == {
        "instances", "imageName", "bootstrap", "managed", "postgresql", "storage", "resources",
    }  # fmt: skip
    assert cluster["spec"]["instances"] > cluster["spec"]["postgresql"]["synchronous"]["number"] >= 1
    (role,) = cluster["spec"]["managed"]["roles"]
    assert (role["name"], role["createdb"]) == (cluster["spec"]["bootstrap"]["initdb"]["owner"], True)
