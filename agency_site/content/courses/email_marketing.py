"""Email Marketing Masterclass."""

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

EMAIL_MARKETING = Course(
    slug="email-marketing",
    title="Email Marketing Masterclass",
    short_title="Email Marketing",
    payment_name="Email Marketing Masterclass",
    detail_price=20_000,
    payment_price=25_000,
    position=8,
    weeks=6,
    summary="A list people stay on, and messages that earn their place in the inbox.",
    description=(
        "Six weeks online: build a list with consent, get past the spam folder, and write e-mails that bring the second "
        "order. For businesses in Kenya."
    ),
    look="lakeside",
    cover="/photographs/course-email-marketing/960x640.jpg",
    head="/art/heads/email-marketing.svg",
    icon="course-email-marketing",
    catalogue=CatalogueCard(
        id=2,
        title="Email Marketing Masterclass",
        category=CourseCategory.MARKETING,
        description="Lists people stay on, and messages that earn their place in the inbox, from the first line to the sale.",
        duration="6 Weeks",
        level="All Levels",
        rating=4.8,
    ),
    featured=FeaturedCard(
        id=2,
        title="Email Marketing Masterclass",
        rating=4.6,
        line="Own the list, reach the inbox, win the second order.",
    ),
    detail=CourseDetail(
        lead="A list that people stay on, and letters that earn their place in the inbox.",
        overview=(
            "Mail is the one channel that belongs to you. No feed decides who sees it, and a letter to 2,000 people who "
            "asked for it costs less than a lunch in Westlands.",
            "Over six weeks you build or repair a real list, write what goes out to it, and set up the letters that send "
            "themselves. You should have sent a newsletter before, even a bad one: we begin with what it taught you.",
        ),
        audience=(
            "Marketing staff whose newsletter goes out every month and comes back as silence",
            "Online shops with a thousand past customers and hardly a second order",
            "Schools, SACCOs and churches whose notices land in the spam folder",
            "Consultants and trainers who live from people coming back",
        ),
        level="Intermediate to Advanced",
        learn=(
            "Asking for consent in a way that the Data Protection Act accepts",
            "SPF, DKIM and DMARC: the three records that let you into Gmail",
            "Subject lines for someone who reads on a phone in a matatu",
            "Splitting a list by what people did, not by what you hope",
            "Welcome, basket and come-back letters that send themselves",
            "Opens, clicks and sales, and which of the three misleads",
        ),
        weeks=(
            Week(
                title="A list with permission",
                text=(
                    "Where addresses come from: the till, the guest book, WhatsApp, the stand at a county fair. What you "
                    "may keep, what you must ask again, and what goes in the bin."
                ),
                task="a sign-up form and the one sentence that says what people get for joining.",
            ),
            Week(
                title="Into the inbox",
                text=(
                    "Your domain, your sender name and the three records that your host never mentioned. We send test "
                    "letters and read their headers together until every check is green."
                ),
                task="a sending domain that passes SPF, DKIM and DMARC.",
            ),
            Week(
                title="Letters worth opening",
                text=(
                    "A subject, a first line and one request. We rewrite real newsletters from a tour operator and a "
                    "microfinance bank, sentence by sentence, until the thumb stops."
                ),
                task="one letter in two versions, sent to two halves of your list.",
            ),
            Week(
                title="Not everybody gets everything",
                text="First-time buyers, regulars, and those who have been quiet since Christmas: three groups, three tones.",
                task="three segments with one letter for each.",
            ),
            Week(
                title="Letters that send themselves",
                text=(
                    "A welcome in three parts, the basket left behind, the thank-you that follows an M-Pesa payment, and "
                    "a birthday greeting that does not make anyone blush."
                ),
                task="a live welcome series of three letters.",
            ),
            Week(
                title="What it earned",
                text=(
                    "From a click to a receipt. How to test one thing at a time, how often is too often, and when to let "
                    "a subscriber go."
                ),
                task="a report on your own campaign and a calendar for the next quarter.",
            ),
        ),
        benefits=(
            Benefit(
                title="A channel nobody can switch off",
                text="Accounts get blocked and reach gets cut. Your list comes with you, in one file, for good.",
            ),
            Benefit(
                title="The second order",
                text="People who bought once are the cheapest customers you will ever find. Now they hear from you.",
            ),
            Benefit(
                title="Out of the spam folder",
                text="Set up properly once, your invoices and notices arrive as well, not only your offers.",
            ),
            Benefit(
                title="A quarter already written",
                text="You leave with twelve weeks of subjects, dates and groups. No more blank Wednesday mornings.",
            ),
        ),
        voice=LearnerVoice(
            name="Halima Abdi",
            title="Marketing manager, dhow and safari tours, Mombasa",
            quote=(
                "We had 3,400 addresses from ten years of guest books and no idea whose they were. After week four there "
                "were 1,900. Those 1,900 filled April for us, and April is when the boats stand still."
            ),
            image="/images/learners/email-marketing.svg",
            portrait=Portrait(skin="honey", hair="hijab", wear="blazer", brows="arched", nose="long"),
        ),
        prepare=(
            "A way into your domain's settings, or the person who has it; your list in whatever shape it is; and the last "
            "three messages that you sent."
        ),
        outcome="A clean list, a domain that inboxes trust, and a welcome series that runs without you.",
        related=("digital-marketing-masterclass", "social-media-marketing", "digital-skills"),
    ),
)
