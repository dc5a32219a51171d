"""Paying for a course: orders, payments, receipts, reconciliation."""
