"""Payments for courses: orders, payments, receipts, reconciliation."""
