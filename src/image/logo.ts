/** A picture in the middle of a code. */

export interface Logo {
  /** Its side as a share of the code's, quiet zone excluded. */
  readonly share: number;
}
