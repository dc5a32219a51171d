"""The agency's eight services, in the order of the services page: one module each.

To add one, write a module like its neighbours and put its record into `SERVICES`.
"""

from agency_site.content.schema import Link
from agency_site.content.services.content_strategy import CONTENT_STRATEGY
from agency_site.content.services.digital_advertising import ADVERTISING
from agency_site.content.services.digital_training import TRAINING
from agency_site.content.services.photography import PHOTOGRAPHY
from agency_site.content.services.schema import Closing, Intro, Service
from agency_site.content.services.social_media import SOCIAL_MEDIA
from agency_site.content.services.software_development import SOFTWARE
from agency_site.content.services.visual_identity import VISUAL_IDENTITY
from agency_site.content.services.web_design import WEB_DESIGN

SERVICES: tuple[Service, ...] = (
    WEB_DESIGN,
    SOCIAL_MEDIA,
    SOFTWARE,
    ADVERTISING,
    CONTENT_STRATEGY,
    VISUAL_IDENTITY,
    TRAINING,
    PHOTOGRAPHY,
)

HEADING = "Eight ways to be found, liked and chosen."
LEAD = (
    "One house in Karen, one bill, one person who picks up. Take a single service or let us carry the whole thing, "
    "from the first sketch to the reply under the last comment."
)
INTRO = Intro(
    title="Trusted by 500+ Kenyan brands, entrepreneurs & tech leaders",
    text="Bakers in Thika, SACCOs in Meru, a dive club in Watamu, two counties and a good many people who sell spare parts. "
    "They come with one question and mostly stay for the next. Start where it hurts: each page below says what we do, "
    "how we do it and what happens after you call.",
)
CLOSING = Closing(
    title="Eight doors, one bell.",
    text="Not sure which service you need? Book half an hour, describe the problem, and we will point you to the right door.",
    link=Link(label="Book a Consultation", href="/book"),
)
SEO_DESCRIPTION = (
    "Web design, social media, software, advertising, content strategy, branding, digital training and media production "
    "from one studio in Karen, Nairobi."
)
