"""Names hold no address of a site and no telephone number, and the names of real people pass."""

# ruff: noqa: RUF001 - characters that look alike are what is tested

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_site.person_names import check_company_name, check_name

WHAT = "Your name"
REFUSED = r"address of a site|phone number"

ADDRESSES = (
    "http://evil.example/prize now", "You have won: https://evil.example", "HTTP://EVIL.EXAMPLE", "hxxp://evil.example",
    "hxxps evil example", "h**p://evil.example", "http:evil", "http:/evil", "//evil.example", "http:\\\\evil.example",
    "www.evil.example", "WWW.evil", "www evil example", "evil.example", "evil.example/win", "Claim at evil.example now",
    "evil .example", "evil . example", "evil. example", "evil. com", "evil[.]example", "evil(dot)com", "evil [dot] example",
    "evil dot com", "ｗｗｗ．ｅｖｉｌ．ｅｘａｍｐｌｅ", "ｈｔｔｐ：／／evil", "evil。example", "evil．com",
    "ev\u200bil.exam\u200bple",
    "evil\u2060.example", "evil.\ufe0fexample", "xn--e1awd7f.xn--p1ai", "evil.xn--p1ai", "пример.рф", "例子.公司", "t.me/evil",
    "bit.ly/3xYz", "bit.ly", "wa.me/254712345678", "j.evil.example", "dr.evil.example", "dr.com", "evil-site.co.ke",
    "evil.co.ke", "evil. co. ke", "192.168.1.7", "192.168.1.7/x", "amina@evil.example", "@evil", "amina@ evil.example",
    "mailto:x", "javascript:alert", "tel:07", "data: x", "evil.com.", "(evil.com)", "“evil.com”",
    "A.Mwangi evil.com", "m.evil.com", "m.evil.com.", "M.Sc. evil.com", "dr.com.", "m.sc.com", "j.evil-site.co.ke",
    "Amina.Otieno",
    "http⁄⁄evil", "http:∕∕evil.example", "evil.example:8080", "evil.example?x=1", "foo.evil.example", "EVIL.COM",
)  # fmt: skip
NUMBERS = (
    "call 0700 000 000", "+254712345678", "0712345678", "0712-345-678", "07.12.34.56.78", "(0712) 345 678", "0 7 1 2 3 4 5 6 7 8",
    "0712_345_678", "０７１２３４５６７８", "٠٧١٢٣٤٥٦٧٨", "0\u200b7\u200b1\u200b2\u200b3\u200b4\u200b5\u200b6\u200b7\u200b8",
    "0️⃣7️⃣1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣7️⃣8️⃣", "Win: dial *144#", "* 334*1#", "2712345", "0712/345/678", "0712 • 345 • 678",
)  # fmt: skip
PEOPLE = (
    "Amina Odhiambo", "O'Brien", "O’Brien", "J.P. Otieno", "J.P.Otieno", "J. P. Otieno", "Ng'ang'a", "Ng’ang’a wa Thiong’o",
    "Dr. Amina", "Dr.Amina Odhiambo", "Prof.Wanjiku", "Eng. Kamau Jr.", "Otieno Jr. Kamau", "J.Ng", "J. Ng", "St.John Owino",
    "Sukarno", "Wanjirũ Kamau", "Nguyễn Thị Ánh", "محمد علي", "ሰላም ተስፋዬ", "अमित शर्मा", "李小龙", "Ольга Петрова", "Gal·la",
    "Anne-Marie", "María José", "Amina (HR)", "Amina/Otieno", "Amina D/O Otieno", "Mary, Mother", "Mwangi III", "Wairimu 2nd",
    "Jean-Luc L. Picard", "M.A. Omar", "A.B.C. Wekesa", "Hon. J.M. Kariuki", "Rev.Fr.Otieno", "Test Person 17", "X Æ A-12",
    "M.Sc. Amina", "Amina B.Com.", "B.Com. Otieno", "Amina B.Sc., CPA", "Ph.D. Wambui", "Amina Odhiambo, Ph.D.", "LL.B. Otieno",
    "M.Phil. Kamau", "B.Ed. Otieno", "Dip.Ed. Amina", "M.Sc.(Econ) Amina", "B.Sc.Agric. Otieno", "Ed.D. Kamau", "Lt.Col. Otieno",
    "Maj.Gen. Otieno", "Rt.Hon. Otieno", "Assoc.Prof.Otieno", "Mr. Co.", "St. John", "Eng.Otieno", "Prof.Dr.Wanjiku",
    "S.Otieno-Kamau", "W.Otieno.", "Amina Otieno B.Pharm.", "Capt.(Rtd) Otieno",
    "Amina & Otieno", "Md. Rahman", "Md.Rahman", "Dot Wambui", "Att Larsson", "Tel Aviv", "Data Sahu", "Com Tran", "Net Sok",
)  # fmt: skip
FIRMS = (
    "3D Studio Ltd", "Savanna Foods Ltd", "Safaricom.co.ke Ltd", "Booking.com (Kenya) Limited", "Shenzhen Trading Co.,Ltd",
    "Shenzhen Trading Co.Ltd", "Kamau & Sons", "A.B.C. Ltd", "Studio 4040 Ltd", "No.1 Hardware", "No.One Hardware",
    "S.A.R.L. Vin", "24/7 Couriers", "Inc. & Co. KG", "P.O.Box Makers", "Eat at Five Ltd", "Jambo Africa (K) Ltd",
)  # fmt: skip


@pytest.mark.parametrize("name", ADDRESSES)
def test_a_name_holds_no_address(name: str) -> None:
    for check in (check_name, check_company_name):
        with pytest.raises(ValueError, match=REFUSED):
            check(name, WHAT)


@pytest.mark.parametrize("name", NUMBERS)
def test_a_name_holds_no_phone_number(name: str) -> None:
    for check in (check_name, check_company_name):
        with pytest.raises(ValueError, match="phone number"):
            check(name, WHAT)


@pytest.mark.parametrize("name", PEOPLE)
def test_names_of_people_pass(name: str) -> None:
    assert check_name(name, WHAT) == name


@pytest.mark.parametrize("name", [*PEOPLE, *FIRMS])
def test_names_of_companies_pass(name: str) -> None:
    assert check_company_name(name, WHAT) == name


@pytest.mark.parametrize(
    "name", ["Claim at evil.example Ltd", "evil.example", "evil.example/win Ltd", "http://evil.example Ltd"]
)
def test_a_company_is_called_after_a_site_only_with_its_legal_form(name: str) -> None:
    with pytest.raises(ValueError, match="address of a site"):
        check_company_name(name, WHAT)


@given(
    st.text(),
    st.sampled_from(["http://", "https://", "www."]),
    st.from_regex(r"[a-z]{3,9}\.[a-z]{2,9}", fullmatch=True),
)
def test_an_address_is_recognised_in_any_text(before: str, scheme: str, domain: str) -> None:
    with pytest.raises(ValueError, match=f"{REFUSED}|cannot be used"):
        check_name(f"{before} {scheme}{domain}", WHAT)
