"""The screens of comments, in the order of the navigation."""

from agency_site.features.comments.admin.comments import SCREENS as SCREENS
