/** Waits one turn before a row is sent: rows that were admitted together hear of a reason to stop that the first response brought. */
export async function inNextTurn(beforeSend: (() => Promise<void>) | undefined): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await beforeSend?.();
}
