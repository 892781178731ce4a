// What a courier is asked for, and why it may refuse.

/** One mail that somebody wants carried away. Those of a campaign are bulk: they never hold another one back. */
export interface Errand {
  projectId: string;
  emailId: string;
  campaignId: string | null;
  /** The domain of its recipient. */
  domain: string;
}

/** Says of some errands which may be carried away now. */
export interface Admission {
  admitted: Errand[];
  /** They have to wait for so many milliseconds. */
  refused: { errand: Errand; waitMs: number }[];
}

/** The rate does not allow this mail for a while. Who asked should do something else, and ask again then. */
export class Postponed extends Error {
  readonly waitMs: number;

  constructor(waitMs: number) {
    super("The rate of sending does not allow more at the moment");
    this.waitMs = waitMs;
  }
}

/** The domain of the recipient is slow, or takes no mail: this one has to wait apart from the others. */
export class Apart extends Error {
  /** It takes no mail. */
  readonly isFailing: boolean;

  constructor(isFailing: boolean) {
    super("The domain of the recipient has no room at the moment");
    this.isFailing = isFailing;
  }
}
