"""The screens of enquiries and plan sign-ups, in the order of the navigation."""

from agency_site.features.contact.admin.enquiries import SCREENS as SCREENS
