"""The page: files that a browser runs, served one by one or written into one file; they decide nothing."""
