"""The brand: the one file that a new owner changes."""

from agency_site.content.schema import Brand, SocialLink

BRAND = Brand(
    name="Mwanga Digital",
    tagline="Brands that get talked about, from Karen to Kisumu.",
    description=(
        "A digital agency and academy in Karen, Nairobi: websites, campaigns and stories for Kenyan businesses "
        "since 2016, and short online courses."
    ),
    since=2016,
    address="Mwanga House, Karen Road, Karen",
    city="Nairobi",
    latitude=-1.3225,
    longitude=36.7075,
    phone="+254 700 000 000",
    phone_e164="+254700000000",
    kra_pin="P051000000A",
    bank_account="Example Bank, Karen branch, account 0100 0000 0000",
    email="info@mwanga.example",
    bookings_email="bookings@mwanga.example",
    staff_email="desk@mwanga.example",
    video_channel="https://www.youtube.com/@mwangadigital",
    social=(
        SocialLink(name="LinkedIn", url="https://www.linkedin.com/company/mwanga-digital", icon="linkedin"),
        SocialLink(name="Instagram", url="https://www.instagram.com/mwangadigital", icon="instagram"),
        SocialLink(name="Facebook", url="https://www.facebook.com/mwangadigital", icon="facebook"),
        SocialLink(name="X", url="https://x.com/mwangadigital", icon="x"),
        SocialLink(name="YouTube", url="https://www.youtube.com/@mwangadigital", icon="youtube"),
    ),
)
