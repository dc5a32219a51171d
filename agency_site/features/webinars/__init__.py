"""Webinars: their pages and the registrations for them."""
