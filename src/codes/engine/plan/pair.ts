/** Types of the comparison of a row with its code. */
import type { QrCode } from '../../../service/shapes.ts';
import type { LockEntry } from '../lock/lock-file.ts';
import type { Claim, LedgerView, Policy, Row } from './model.ts';

/** What is known of a row and its code. */
export interface Pair {
  readonly row: Row;
  readonly code: QrCode;
  readonly claim: Claim | undefined;
  readonly entry: LockEntry | undefined;
  readonly policy: Policy;
  readonly ledger: Pick<LedgerView, 'storedOf'>;
  /** Status that was to be sent after the request which made the code. */
  readonly unsent: string | undefined;
}

/** Which side changed a field in which both differ. */
export interface Changed {
  /** The row was edited. */
  readonly isYours: boolean;
  /** The code was edited by another client, or it is not known. */
  readonly isTheirs: boolean;
  readonly base: string | undefined;
  /** This machine changed it since the row was saved: another copy of the list may have, so it is said. */
  readonly isOurs?: boolean;
  /** Its time came after all other changes: it is no conflict. */
  readonly isNewer?: boolean;
}
