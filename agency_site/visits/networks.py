"""The networks that send visitors: one network is one source, whichever of its sites, apps and marks names it. No I/O."""

import re
from dataclasses import dataclass
from functools import lru_cache

SOCIAL, PAID = "social", "cpc"
"""Media of visits that name no other: a link that people share, and an advertisement that is paid by the click."""


@dataclass(frozen=True)
class Network:
    """One network, and the names by which browsers, apps and `utm_source` call it."""

    name: str
    domains: tuple[str, ...]
    """Its sites, with all names below them. `google.*` means that of each country."""
    others: tuple[str, ...] = ()
    """Its apps, as Android names them, and what people write in `utm_source`."""
    medium: str = ""
    """The medium of a visit from a link there."""
    paid_by: tuple[str, ...] = ()
    """The marks of clicks on its advertisements."""


NETWORKS = (
    Network("facebook", ("facebook.com", "fb.com", "fb.me", "fb.watch"),
            ("com.facebook.katana", "com.facebook.lite", "fb", "meta"), SOCIAL),
    Network("messenger", ("messenger.com", "m.me"), ("com.facebook.orca", "com.facebook.mlite", "msg"), SOCIAL),
    Network("instagram", ("instagram.com", "ig.me"), ("com.instagram.android", "com.instagram.lite", "ig", "insta"), SOCIAL),
    Network("threads", ("threads.net", "threads.com"), ("com.instagram.barcelona",), SOCIAL),
    Network("whatsapp", ("whatsapp.com", "wa.me", "whatsapp.net"), ("com.whatsapp", "com.whatsapp.w4b", "wa"), SOCIAL),
    Network("x", ("x.com", "t.co", "twitter.com"), ("com.twitter.android", "com.twitter.android.lite", "twitter"), SOCIAL),
    Network("linkedin", ("linkedin.com", "lnkd.in"), ("com.linkedin.android", "com.linkedin.android.lite", "li"), SOCIAL),
    Network("youtube", ("youtube.com", "youtu.be", "youtube-nocookie.com"),
            ("com.google.android.youtube", "yt"), SOCIAL, ("gclid", "gbraid", "wbraid")),
    Network("tiktok", ("tiktok.com",), ("com.zhiliaoapp.musically", "com.ss.android.ugc.trill", "com.zhiliaoapp.musically.go"),
            SOCIAL, ("ttclid",)),
    Network("pinterest", ("pinterest.*", "pin.it"), ("com.pinterest",), SOCIAL),
    Network("reddit", ("reddit.com", "redd.it"), ("com.reddit.frontpage",), SOCIAL),
    Network("snapchat", ("snapchat.com",), ("com.snapchat.android",), SOCIAL),
    Network("telegram", ("t.me", "telegram.org", "telegram.me"), ("org.telegram.messenger", "org.telegram.plus"), SOCIAL),
    Network("quora", ("quora.com",), ("com.quora.android",), SOCIAL),
    Network("gmail", ("mail.google.com",), ("com.google.android.gm", "com.google.android.gm.lite"), "",
            ("gclid", "gbraid", "wbraid")),
    Network("outlook", ("outlook.live.com", "outlook.office.com", "outlook.office365.com"), ("com.microsoft.office.outlook",)),
    Network("google", ("google.*", "googleadservices.com", "doubleclick.net", "googlesyndication.com", "syndicatedsearch.goog",
                       "goo.gl", "g.co"),
            ("com.google.android.googlequicksearchbox", "com.google.android.apps.searchlite", "com.google.android.apps.maps",
             "adwords", "google ads", "googleads"), "", ("gclid", "gbraid", "wbraid")),
    Network("bing", ("bing.com",), ("com.microsoft.bing",), "", ("msclkid",)),
    Network("yahoo", ("yahoo.*", "search.yahoo.com"), (), "", ("msclkid",)),
    Network("duckduckgo", ("duckduckgo.com", "ddg.gg"), ("com.duckduckgo.mobile.android", "ddg"), "", ("msclkid",)),
    Network("ecosia", ("ecosia.org",), ("com.ecosia.android",), "", ("msclkid",)),
    Network("yandex", ("yandex.*", "ya.ru"), ("ru.yandex.searchplugin",)),
    Network("brave", ("search.brave.com",)),
    Network("chatgpt", ("chatgpt.com", "chat.openai.com"), ("com.openai.chatgpt", "openai")),
    Network("perplexity", ("perplexity.ai",), ("ai.perplexity.app.android",)),
)  # fmt: skip
"""The one table of networks. The first whose name or domain fits counts."""

MARKS = {
    "gclid": ("google", PAID),
    "gbraid": ("google", PAID),
    "wbraid": ("google", PAID),
    "msclkid": ("bing", PAID),
    "ttclid": ("tiktok", PAID),
    "fbclid": ("facebook", SOCIAL),
}
"""Source and medium of an address with the mark of a click, if nothing else names them. Meta adds its mark to every link in all
of its apps. The mark itself identifies a click and is not stored."""

_NAMES = {name: network for network in reversed(NETWORKS) for name in (network.name, *network.others)}
_PLAIN = {
    domain: network
    for network in reversed(NETWORKS)
    for domain in network.domains
    if not domain.endswith(".*")
}
_COUNTRIES = {
    domain[:-2]: network for network in NETWORKS for domain in network.domains if domain.endswith(".*")
}
_COUNTRY = re.compile(r"com|(?:com?\.)?[a-z]{2}")
_SUBDOMAIN = re.compile(r"^(?:www\d?|m|mobile|amp|l|lm|touch)\.(?=[^.]+\.)")
"""Names before the domain that mean the same site."""


@lru_cache(maxsize=1024)
def find_network(source: str) -> Network | None:
    """Return the network of a host, an app or a `utm_source` in lower case; None for any other text."""
    if network := _NAMES.get(source):
        return network
    labels = source.split(".")
    for place in range(len(labels) - 1):
        rest = ".".join(labels[place:])
        if network := _PLAIN.get(rest):
            return network
        name, _, ending = rest.partition(".")
        if name in _COUNTRIES and _COUNTRY.fullmatch(ending):
            return _COUNTRIES[name]
    return None


def name_source(source: str) -> str:
    """Return the name of a source: that of its network, else the host without `www.` and the like, else the text itself."""
    network = find_network(source)
    return network.name if network else _SUBDOMAIN.sub("", source)
