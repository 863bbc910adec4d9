"""The lab: a red team that attacks protocols, and a bench that measures them."""
