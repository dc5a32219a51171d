"""Paying for a course: orders, payments, enrolments, receipts, reconciliation."""
