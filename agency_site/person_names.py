"""Checks of names that visitors type, so that no mail of ours carries a stranger's address or phone number.

A name reaches mails, lists and certificates. With the address of a site or a telephone number it would be an advertisement
from our domain. `form_input.name_line` has removed invisible characters.
"""

import re
import unicodedata

from agency_site.characters import drop_invisible

_ENDINGS = (
    "com|net|org|info|biz|ke|tz|ug|rw|za|uk|us|eu|de|cn|ru|io|co|me|tv|cc|gl|ly|to|gg|ai|app|dev|xyz|top|site|online|shop|"
    "store|club|live|link|click|buzz|icu|vip|win|zip|mov|africa|page|example|test|invalid|onion"
)
"""The last parts of most addresses: with them, an address is recognised after a title too, and when its dot is spelled out."""
_PLAIN_ENDINGS = r"com|net|org|info|biz|xyz|example|onion|co ?\. ?(?:ke|uk|za|tz|ug)"
"""Endings that are not words of names: they are recognised after a space too."""
_TITLES = (
    "dr|mr|mrs|ms|miss|prof|eng|rev|hon|st|sr|jr|snr|jnr|fr|br|bro|pst|capt|maj|col|gen|lt|sgt|adv|amb|arch|qs|cpa|mwl|"
    "md|moh|muh|abd|wm|no|rt|brig|cpl|insp|cllr|sen|gov|assoc|asst|ass|dip|cert|sc|ed|phil|tech|med|pharm|agric"
)
"""Words that people shorten with a full stop: titles, ranks, and parts of degrees."""
_LEGAL_FORMS = "ltd|limited|plc|llp|llc|inc|corp|gmbh|company|sacco|cooperative"
_LOOKALIKES = str.maketrans(
    "\u3002\ua4f8\u0701\u06d4\u2044\u2215\u29f8\u2236\ua789\u02d0\u02f8\u05c3", "....///:::::"
)
_BRACKETED_DOT = re.compile(r" ?[\[({<] ?(?:\.|dot) ?[\])}>] ?")
_ABBREVIATIONS = re.compile(
    # Initials and titles without a space, such as J.P.Otieno, Dr.Amina and M.Sc., unless another part or a path follows.
    rf"(?<![\w.-])(?:(?:\w|(?:{_TITLES})(?=\.(?!(?:{_ENDINGS})\b)))\.)+(?=[^\W\d_]+(?:-[^\W\d_]+)*\.?(?![\w.-]| ?/))"
    r"|\b(?:co|pvt|pty)\.(?=,? ?(?:ltd|limited|kg)\b)"
)
_SITE_OF_FIRM = re.compile(rf"^(?:[\w-]+\.)+[^\W\d_]{{2,}}(?= [^/.]*\b(?:{_LEGAL_FORMS})\b)")
_ADDRESS = re.compile(
    r": ?[/\\]|[/\\] ?[/\\]|\bh(?:tt|xx|\*\*)ps?\b|\b(?:ftp|mailto|tel|sms|javascript|data) ?:"
    r"|\bw{3,}\d?\b|@ ?\w|\d{1,3}(?: ?\. ?\d{1,3}){3}"
    r"|[\w-] ?\.(?:[^\W\d_]{2,}|xn--)"
    rf"|\w ?\. ?(?:{_PLAIN_ENDINGS})\b|\w dot (?:{_ENDINGS})\b"
)
_NUMBER = re.compile(r"\d(?:[\W_]{0,3}\d){6,}|\* ?\d{2,}")
"""Seven or more digits with anything between them, or a code to dial, such as *144#."""


def check_name(name: str, what: str) -> str:
    """Return the `name` of a person; `what` names it in messages. Raises ValueError with a message for the visitor."""
    _check(_fold(name), what)
    return name


def check_company_name(name: str, what: str) -> str:
    """Return the `name` of a company. It may contain its site if its legal form follows: Safaricom.co.ke Ltd."""
    _check(_SITE_OF_FIRM.sub("", _fold(name)), what)
    return name


def _check(folded: str, what: str) -> None:
    if _NUMBER.search(folded):
        raise ValueError(f"{what} cannot contain a phone number. Please enter the name only.")
    if _ADDRESS.search(_ABBREVIATIONS.sub("", folded)):
        raise ValueError(
            f"{what} cannot contain the address of a site or an e-mail address. Please enter the name only, "
            "with a space after a full stop."
        )


def _fold(name: str) -> str:
    """Return `name` for comparison: lower case, plain letters, single spaces, nothing invisible."""
    plain = unicodedata.normalize("NFKC", name).translate(_LOOKALIKES).casefold()
    return _BRACKETED_DOT.sub(".", " ".join(drop_invisible(plain).split()))
