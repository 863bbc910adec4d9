"""Pure pieces that protocols are made with: definitions, settings, findings, ledgers, boards, drafts."""
