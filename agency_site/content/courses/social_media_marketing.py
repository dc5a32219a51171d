"""Social Media Marketing: the first of the two tracks that share a page."""

from agency_site.content.course_schema import (
    CatalogueCard,
    Course,
    CourseCategory,
    CourseDetail,
    FeaturedCard,
    LearnerVoice,
    Week,
)
from agency_site.content.schema import Benefit, Portrait

SOCIAL_MEDIA_MARKETING = Course(
    slug="social-media-marketing",
    title="Social Media Marketing",
    short_title="Social Media Marketing",
    payment_name="Social media marketing",
    detail_price=15_000,
    payment_price=15_000,
    position=2,
    weeks=4,
    summary="Plan, film and publish a month of posts that start conversations, then answer them well.",
    description=(
        "Four weeks online: find your voice, film with a phone, plan a month in an afternoon and answer well. "
        "Intermediate level, {price}."
    ),
    look="dawn",
    cover="/photographs/course-social-media-marketing/960x640.jpg",
    head="/art/heads/social-media-marketing.svg",
    icon="course-social-media-marketing",
    catalogue=CatalogueCard(
        id=4,
        title="Social Media Marketing",
        category=CourseCategory.MARKETING,
        description="Plan, film and publish a month of posts that start conversations, then answer them well.",
        duration="4 Weeks",
        level="Intermediate",
        rating=4.8,
    ),
    featured=FeaturedCard(
        id=4,
        title="Social Media Marketing",
        rating=4.7,
        line="A month of posts in one afternoon, and answers that sell.",
    ),
    detail=CourseDetail(
        lead="Plan, film and publish a month of posts that start conversations, then answer them well.",
        overview=(
            "Posting is easy. Posting on a Thursday in the third month, when the ideas have run out and the owner wants "
            "to know what it brings, is the job. This track teaches the job.",
            "You bring one account, yours or your employer's, and run it through the course. By the last week it has a "
            "voice, thirty posts in the queue and a guide for answers, so that it sounds the same when you are on leave.",
        ),
        audience=(
            "Community managers who post every day and plan on the same morning",
            "Owners of shops, restaurants and salons who run the page between customers",
            "Communications officers of schools, NGOs and county offices",
            "Creators who want to be paid by brands and asked a second time",
        ),
        level="Intermediate",
        learn=(
            "Three themes that your page stands for, and what it leaves to others",
            "Filming with a phone: light, sound and the first three seconds",
            "Captions in English, Kiswahili or Sheng, and when each one fits",
            "A month in an afternoon: calendar, batch and queue",
            "Answering complaints in public without making them larger",
            "A one-page report that speaks of enquiries, not of reach",
        ),
        weeks=(
            Week(
                title="A voice and three themes",
                text=(
                    "We read your last forty posts aloud, find the five that worked and ask why. Then we look at whom "
                    "you are really talking to: a mother in Ruiru, a foreman in Athi River, a student in Eldoret."
                ),
                task="a page that says who speaks, about what, and to whom.",
            ),
            Week(
                title="Film it with a phone",
                text=(
                    "Window light, a quiet corner, a KES 900 microphone. How a short video begins, where the cut sits, "
                    "and why half of your viewers never turn the sound on."
                ),
                task="four short videos and a carousel from one afternoon of filming.",
            ),
            Week(
                title="A month in one afternoon",
                text=(
                    "Pay day, school opening, Madaraka and match nights: a calendar that knows the country. Batching, "
                    "queues, and what stays free for the day itself."
                ),
                task="thirty days of posts, written and scheduled.",
            ),
            Week(
                title="Answer, measure, adjust",
                text=(
                    "Ten kinds of comment and an answer to each. When a complaint goes to a private message and when it "
                    "must not. Then the figures: enquiries, visits, orders."
                ),
                task="a guide for answers and your first one-page report.",
            ),
        ),
        benefits=(
            Benefit(
                title="Thirty posts ahead",
                text="You finish with a month in the queue and the habit that fills the next one.",
            ),
            Benefit(
                title="A page that answers like a person",
                text="The guide keeps the tone when you are ill, on leave or promoted.",
            ),
            Benefit(
                title="Work that you can show",
                text="Four videos, a calendar and a report: the portfolio that employers and brands ask for.",
            ),
        ),
        voice=LearnerVoice(
            name="Kevin Odhiambo",
            title="Community manager, furniture workshop, Kisumu",
            quote=(
                "My boss measured me in likes. I showed him the report from week four: nineteen people had asked for the "
                "price of a bed, and six had come to the workshop on Kibos Road. He has not mentioned likes since."
            ),
            image="/images/learners/social-media-marketing.svg",
            portrait=Portrait(
                skin="coffee", hair="fade", wear="tee", laughing=True, face="long", eyes="narrow"
            ),
        ),
        prepare="One account that you may post to, a phone that films, and the names of three pages that you admire.",
        outcome="A month of posts in the queue, a guide for answers, and a report on one page.",
        related=("meta-ads", "canva-design", "email-marketing"),
    ),
)
