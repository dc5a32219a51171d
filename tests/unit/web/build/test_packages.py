"""uv asks the indexes that pip's configuration names."""

from agency_site.web.build.packages import uv_settings

CONFIGURED = """\
:env:.cert='/etc/ssl/company.pem'
:env:.find-links='/opt/wheels https://wheels.example/all'
global.extra-index-url='file:///opt/simple\\nhttps://more.example/simple'
global.index-url='https://pypi.example/simple'
global.timeout='60'
install.index-url='https://company.example/simple'
"""


def test_uv_gets_the_places_of_packages_that_pip_has() -> None:
    assert uv_settings(CONFIGURED) == {
        "SSL_CERT_FILE": "/etc/ssl/company.pem",
        "UV_DEFAULT_INDEX": "https://company.example/simple",
        "UV_FIND_LINKS": "/opt/wheels,https://wheels.example/all",
        "UV_INDEX": "file:///opt/simple https://more.example/simple",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
    }


def test_the_environment_overrides_the_files_of_pip() -> None:
    settings = uv_settings(":env:.index-url='https://here.example'\nglobal.index-url='https://there.example'")
    assert settings["UV_DEFAULT_INDEX"] == "https://here.example"


def test_without_a_configuration_of_pip_uv_has_its_own_index() -> None:
    assert uv_settings("") == {"UV_INDEX_STRATEGY": "unsafe-best-match"}
