"""Testimonials of clients for the home page's client-trust strip."""

from agency_site.content.entries import Kind
from agency_site.content.published import published
from agency_site.content.schema import Portrait, Record

TRUST_LINE = "Trusted by 500+ Kenyan brands, entrepreneurs & tech leaders"
"""The claim of the specification, section 1."""


class Testimonial(Record):
    """A client's testimonial."""

    id: str
    name: str
    title: str
    """Role and company."""
    quote: str
    image: str
    """Portrait, a path under `assets/`."""
    portrait: Portrait | None = None
    """The portrait that `make art` draws for `image`; None for a photograph."""


TESTIMONIALS: tuple[Testimonial, ...] = (
    Testimonial(
        id="amina-wekesa",
        name="Amina Wekesa",
        title="Founder, Shamba Fresh",
        quote=(
            "They rebuilt our shop in five weeks. By the first Friday we had packed 180 vegetable boxes, and the riders "
            "had stopped phoning to ask which gate."
        ),
        image="/images/voices/amina-wekesa.svg",
        portrait=Portrait(
            skin="chestnut", hair="braids", wear="kitenge", earrings=True, laughing=True, eyes="round"
        ),
    ),
    Testimonial(
        id="brian-otieno",
        name="Brian Otieno",
        title="Marketing lead, Pamoja SACCO",
        quote=(
            "The only agency that told us what not to spend on. We trust the monthly report because it admits a bad month "
            "before we have to ask."
        ),
        image="/images/voices/brian-otieno.svg",
        portrait=Portrait(
            skin="ebony", hair="fade", wear="shirt", beard="chin", laughing=True, nose="curved"
        ),
    ),
)


def testimonials() -> tuple[Testimonial, ...]:
    """Return the testimonials that visitors see."""
    return published(Kind.TESTIMONIAL, TESTIMONIALS)
