"""The origin of a view, and the user agents of robots."""

from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.visits.networks import MARKS, NETWORKS, name_source
from agency_site.visits.rules import (
    LONGEST,
    LONGEST_PAGE,
    NO_ORIGIN,
    ORIGIN_COLUMNS,
    Origin,
    clean_part,
    find_host,
    find_origin,
    is_page,
    is_robot,
)
from agency_site.visits.tables import WithOrigin

PAGE = "/book"
BROWSERS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 "
    "Safari/604.1",
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Mozilla/5.0 (Linux; Android 13; CUBOT NOTE 50) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Linux; Android 14; TECNO KL5) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/140.0.0.0 Mobile "
    "Safari/537.36 [FB_IAB/FB4A;FBAV/530.0.0.1;]",
    "Opera/9.80 (J2ME/MIDP; Opera Mini/9.80/191.308; U; en) Presto/2.5.25 Version/10.54",
    "UCWEB/2.0 (MIDP-2.0; U; Adr 4.4.2; en-US; itel it1355) U2/1.0.0 UCBrowser/9.4 U2/1.0.0 Mobile",
)
ROBOTS = (
    "",
    "curl/8.14.1",
    "python-httpx/0.28.1",
    "WhatsApp/2.23.20.0",
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/140.0",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15 (Applebot/0.1)",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/141.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Linux; Android 11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/136.0 Mobile Safari/537.36 Chrome-Lighthouse",
    "Mozilla/5.0 (compatible; Google-InspectionTool/1.0)",
    "Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)",
)


@pytest.mark.parametrize(
    ("query", "referring_host", "source", "medium", "campaign"),
    [
        ("", "", "", "", ""),
        ("", "www.google.com", "google", "", ""),
        ("", "google.co.ke", "google", "", ""),
        ("", "com.google.android.googlequicksearchbox", "google", "", ""),
        ("gclid=EAIaIQobChMI", "www.google.com", "google", "cpc", ""),
        ("gbraid=x", "", "google", "cpc", ""),
        ("wbraid=x", "www.youtube.com", "youtube", "cpc", ""),
        ("gclid=x", "blog.example", "google", "cpc", ""),
        ("gclid=x", "l.facebook.com", "facebook", "social", ""),
        ("msclkid=x", "www.bing.com", "bing", "cpc", ""),
        ("msclkid=x", "duckduckgo.com", "duckduckgo", "cpc", ""),
        ("ttclid=x", "", "tiktok", "cpc", ""),
        ("", "com.google.android.gm", "gmail", "", ""),
        *(("", host, "facebook", "social", "") for host in
          ("www.facebook.com", "m.facebook.com", "l.facebook.com", "lm.facebook.com", "com.facebook.katana", "fb.me")),
        ("fbclid=IwAR0", "", "facebook", "social", ""),
        ("utm_source=fb&utm_medium=social", "", "facebook", "social", ""),
        ("fbclid=x", "l.instagram.com", "instagram", "social", ""),
        ("fbclid=x", "com.whatsapp", "whatsapp", "social", ""),
        ("fbclid=x", "blog.example", "blog.example", "", ""),
        *(("", host, "x", "social", "") for host in ("t.co", "twitter.com", "x.com", "com.twitter.android", "mobile.x.com")),
        *(("", host, "linkedin", "social", "") for host in ("lnkd.in", "www.linkedin.com", "com.linkedin.android")),
        *(("", host, "youtube", "social", "") for host in ("youtu.be", "m.youtube.com", "com.google.android.youtube")),
        ("", "www.pinterest.co.uk", "pinterest", "social", ""),
        ("", "out.reddit.com", "reddit", "social", ""),
        ("", "notfacebook.com", "notfacebook.com", "", ""),
        ("", "google.evil.com", "google.evil.com", "", ""),
        ("", "m.nation.example", "nation.example", "", ""),
        ("utm_source=Facebook&utm_medium=CPC&utm_campaign=May+%20Sale", "l.facebook.com", "facebook", "cpc", "may sale"),
        ("utm_campaign=mailing", "mail.google.com", "gmail", "", "mailing"),
        ("utm_campaign=spring&gclid=x", "", "google", "cpc", "spring"),
        ("utm_source=newsletter&gclid=x", "", "newsletter", "", ""),
        ("UTM_SOURCE=Newsletter&utm_Campaign=May", "", "newsletter", "", "may"),
        ("utm_source=&fbclid=x", "", "facebook", "social", ""),
        ("utm_source=first&utm_source=second", "", "first", "", ""),
        ("date=2026-12-01&page=2", "duckduckgo.com", "duckduckgo", "", ""),
        ("utm_source=%00%E2%80%AEevil%0d%0a", "", "evil", "", ""),
        ("utm_campaign=caf%C3%A9&utm_source=a", "", "a", "", "caf\u00e9"),
        ("utm_campaign=caf%E9&utm_source=a", "", "a", "", "caf\u00e9"),
        ("", "10.0.0.7", "", "", ""),
        ("", "intranet", "", "", ""),
    ],
)  # fmt: skip
def test_the_query_names_the_origin_before_the_referring_site(
    query: str, referring_host: str, source: str, medium: str, campaign: str
) -> None:
    assert find_origin(query, referring_host, PAGE) == Origin(source, medium, campaign, PAGE)


@pytest.mark.parametrize(
    ("referrer", "host"),
    [
        ("https://www.Google.com/search?q=logo", "www.google.com"),
        ("https://mary:secret@shop.example:8443/a#b", "shop.example"),
        ("android-app://com.google.android.gm/", "com.google.android.gm"),
        ("about:client", ""),
        ("/book", ""),
        ("https://[::1", ""),
        ("https://", ""),
        ("", ""),
    ],
)
def test_only_the_host_of_a_referrer_is_read(referrer: str, host: str) -> None:
    assert find_host(referrer) == host


@given(st.text(), st.text())
def test_any_query_and_referrer_fit_the_columns(query: str, referrer: str) -> None:
    host = find_host(f"https://{referrer}")
    for text in (
        query,
        urlencode({"utm_source": query, "utm_medium": referrer, "utm_campaign": query[::-1]}),
    ):
        origin = find_origin(text, host, PAGE)
        for part in (origin.source, origin.medium, origin.campaign):
            assert len(part) <= LONGEST
            assert part.isprintable()
            assert part.encode().decode() == part
            assert clean_part(part) == part


@given(st.binary())
def test_any_bytes_of_a_query_are_read(query: bytes) -> None:
    origin = find_origin(f"utm_source={query.decode('latin-1')}&gclid", "", PAGE)
    assert origin.source == clean_part(origin.source)


def test_the_click_of_an_advertisement_is_not_stored() -> None:
    origin = find_origin("gclid=EAIaIQobChMI&fbclid=IwAR0", "www.google.com", PAGE)
    assert "eaiaiqobchmi" not in str(origin).lower()
    assert "iwar0" not in str(origin).lower()


def test_a_visit_goes_on_with_a_reload_and_with_views_from_nowhere() -> None:
    visit = Origin("google.com", "", "", "/")
    assert visit.continues_with(Origin("google.com", "", "", "/book"))
    assert visit.continues_with(Origin(first_page="/book"))
    assert not visit.continues_with(Origin("facebook.com", "", "", "/book"))
    assert not visit.continues_with(Origin("google.com", "cpc", "", "/book"))
    assert not NO_ORIGIN.continues_with(NO_ORIGIN)


@pytest.mark.parametrize(
    ("path", "is_ours"),
    [("/", True), ("/services/web-design", True), ("", False), ("book", False), ("/a b", False), ("/é", False),
     ("/a\n", False), (f"/{'a' * LONGEST_PAGE}", False)],
)  # fmt: skip
def test_only_plain_paths_are_pages(path: str, is_ours: bool) -> None:
    assert is_page(path) is is_ours


@pytest.mark.parametrize("agent", BROWSERS)
def test_browsers_are_no_robots(agent: str) -> None:
    assert not is_robot(agent)


@pytest.mark.parametrize("agent", ROBOTS)
def test_robots_are_recognised(agent: str) -> None:
    assert is_robot(agent)


@pytest.mark.parametrize(
    ("origin", "text"),
    [
        (NO_ORIGIN, ""),
        (Origin(first_page="/book"), "direct, first page /book"),
        (Origin("google", "cpc", "spring", "/"), "google (cpc), campaign spring, first page /"),
        (Origin("bing.com", "", "", "/"), "bing.com, first page /"),
    ],
)
def test_staff_read_an_origin_as_a_line(origin: Origin, text: str) -> None:
    assert origin.text == text


def test_an_origin_has_a_value_for_every_column() -> None:
    assert set(ORIGIN_COLUMNS) == set(WithOrigin.model_fields)


def test_each_name_and_domain_belongs_to_one_network() -> None:
    names = [name for network in NETWORKS for name in (network.name, *network.others, *network.domains)]
    assert len(names) == len(set(names))
    for network in NETWORKS:
        assert {name_source(name.replace(".*", ".com")) for name in (*network.others, *network.domains)} <= {
            network.name
        }
        assert name_source(network.name) == network.name
    assert {source for source, _ in MARKS.values()} <= {network.name for network in NETWORKS}
