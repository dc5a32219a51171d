"""Problems of content that stop the start: each one is reported with file, record and field."""

import time
from pathlib import Path
from types import ModuleType

import pytest

from agency_site.agency_site import routes
from agency_site.content import check, portfolio, verify
from agency_site.content.articles import ARTICLES
from agency_site.content.navigation import ALIASES
from agency_site.content.schema import Link, Record
from agency_site.content.verify import Targets, content_modules, problems
from agency_site.ui.icons import ICONS, SOCIAL

PAGES = frozenset({"/", "/book", "/google-ads", "/services/web-design"})


class Door(Record):
    slug: str = "front"
    link: Link = Link(label="Book", href="/book")
    image: str = ""
    icon: str = ""
    courses: tuple[str, ...] = ()
    others: tuple[Record, ...] = ()


@pytest.fixture
def targets(tmp_path: Path) -> Targets:
    (tmp_path / "art").mkdir()
    (tmp_path / "art" / "door.svg").touch()
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "partner-1.svg").touch()
    return Targets(PAGES, {"key"}, tmp_path)


def module(**constants: object) -> ModuleType:
    doors = ModuleType("agency_site.content.doors")
    vars(doors).update(constants)
    return doors


def leading_to(href: str) -> Door:
    return Door(link=Link(label="There", href=href))


@pytest.mark.parametrize(
    ("door", "message"),
    [
        (leading_to("/bok"), "DOOR.link.href: '/bok' leads to no page"),
        (leading_to("/services/web"), "DOOR.link.href: '/services/web' leads to no page"),
        (
            leading_to("services/web-design"),
            "DOOR.link.href: 'services/web-design' begins neither with / nor with https://",
        ),
        (
            Door(image="/art/lost.svg"),
            "DOOR.image: assets/art/lost.svg is missing (`make art` draws covers and portraits)",
        ),
        (
            Door(image="lost.jpg"),
            "DOOR.image: assets/images/lost.jpg is missing (`make art` draws covers and portraits)",
        ),
        (Door(icon="kee"), "DOOR.icon: no icon is called 'kee' (agency_site/ui/icons.py has them)"),
        (Door(courses=("google-ads", "goggle-ads")), "DOOR.courses[1]: no course has the slug 'goggle-ads'"),
        (Door(others=(leading_to("/bok"),)), "DOOR.others[front].link.href: '/bok' leads to no page"),
        (Door(others=(Door(), Door(icon="key"))), "DOOR.others: slug 'front' occurs 2 times"),
    ],
    ids=lambda value: None if isinstance(value, Door) else value.split(":")[0],
)
def test_each_problem_is_named_by_file_record_and_field(door: Door, message: str, targets: Targets) -> None:
    with pytest.raises(ValueError, match="doors") as refused:
        verify.verify(targets, [module(DOOR=door)])
    assert str(refused.value) == f"content/doors.py: {message}"


@pytest.mark.parametrize(
    "door",
    [
        leading_to("/"),
        leading_to("/Services/Web-Design/"),
        leading_to("/book?day=2026-12-01#slots"),
        leading_to("https://example.com/anything"),
        leading_to("tel:+254700000000"),
        Door(image="/art/door.svg"),
        Door(image="partner-1.svg"),
        Door(icon="key", courses=("google-ads",)),
        Door(others=(Door(), Door(slug="back"))),
    ],
    ids=str,
)
def test_valid_content_passes(door: Door, targets: Targets) -> None:
    verify.verify(targets, [module(DOOR=door, SAME=door)])


def test_links_and_pictures_outside_records_are_checked_too(targets: Targets) -> None:
    doors_module = module(ALIASES={"/web": "/servces"}, PAIRS=((Link(label="There", href="/bok"), "text"),))
    assert [*problems([doors_module], targets)] == [
        "content/doors.py: ALIASES[/web]: '/servces' leads to no page",
        "content/doors.py: PAIRS[0][0].href: '/bok' leads to no page",
    ]


def test_a_problem_in_a_markdown_file_names_that_file_whether_in_its_front_matter_or_its_text(
    targets: Targets,
) -> None:
    article = ARTICLES[0].model_copy(
        update={
            "image": "/art/lost.svg",
            "html": '<a href="/bok">x</a> <img src="/images/lost.jpg"> <a href="#anchor">y</a>',
            "call": ARTICLES[0].call.model_copy(update={"href": "/book"}),
        }
    )
    assert [*problems([module(ARTICLES=(article,))], targets)] == [
        f"content/{article.source}: image: assets/art/lost.svg is missing (`make art` draws covers and portraits)",
        f"content/{article.source}: html: '/bok' leads to no page",
        f"content/{article.source}: html: assets/images/lost.jpg is missing (`make art` draws covers and portraits)",
    ]


def test_all_problems_are_reported_at_once_and_each_once(targets: Targets) -> None:
    door = Door(link=Link(label="There", href="/bok"), icon="kee")
    with pytest.raises(ValueError, match="bok") as refused:
        verify.verify(targets, [module(DOOR=door, DOORS=(door,))])
    assert len(str(refused.value).splitlines()) == 2


def test_links_and_icons_are_not_checked_where_they_are_not_known(targets: Targets) -> None:
    blind = Targets(assets=targets.assets)
    verify.verify(blind, [module(DOOR=Door(link=Link(label="x", href="/bok"), icon="kee", courses=("no",)))])


def test_every_page_of_content_is_checked() -> None:
    names = {module.__name__ for module in content_modules()}
    files = Path(verify.__file__).parent.rglob("*.py")
    assert len(names) == len([*files]) - len(["check.py", "link_targets.py", "verify.py", "__init__.py"])
    assert {"agency_site.content.courses.google_ads", "agency_site.content.navigation"} <= names


def test_the_command_names_what_the_start_would_refuse(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case = portfolio.PROJECTS[0].model_copy(update={"image": "/images/portfolio/lost.svg"})
    monkeypatch.setattr(portfolio, "PROJECTS", (case,))

    assert check.main() == 1
    assert (
        f"content/portfolio.py: PROJECTS[{case.id}].image: assets/images/portfolio/lost.svg is missing"
        in capsys.readouterr().err
    )


def test_what_a_module_imports_is_reported_where_it_is_written() -> None:
    results = [*problems(content_modules(), Targets(icons=()))]

    assert "content/brand.py: BRAND.social[0].icon" in "\n".join(results)
    assert [
        problem for problem in results if problem.startswith(("content/about.py", "content/webinars.py"))
    ] == []


def test_the_content_of_this_site_passes_in_a_quarter_of_a_second() -> None:
    targets = Targets({*map(str.lower, ALIASES), *(route.path for route in routes)}, {*ICONS, *SOCIAL})
    content_modules()
    started_at = time.process_time()
    verify.verify(targets)
    assert time.process_time() - started_at < 0.25
