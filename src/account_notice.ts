/** What the owner of an account is told by mail. */
export interface AccountNotice {
  /** Where it goes: an account that is gone has no row. */
  email: string;
  what: AccountChange;
  /** What it was about, such as the new address, or the name of a passkey. */
  subject?: string | undefined;
  /** When, in ISO 8601. */
  at: string;
}

/** What was changed about an account, or happened to it. */
export type AccountChange =
  | "address_requested"
  | "address_changed"
  | "sessions_ended"
  | "account_deleted"
  | "two_factor_on"
  | "two_factor_off"
  | "two_factor_off_by_operator"
  | "authenticator_added"
  | "authenticator_changed"
  | "authenticator_removed"
  | "passkey_added"
  | "passkey_removed"
  | "recovery_codes_made"
  | "recovery_code_used"
  | "second_factor_failed";
