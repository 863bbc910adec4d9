"""What a deliberation was worth: effective votes, changes of mind, cost and calibration."""
