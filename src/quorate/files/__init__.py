"""Strict readers for users' files; values keep the file, line and key they came from."""
