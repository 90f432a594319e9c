/** Wraps `fetch`: the first time that `asksForIt` is true, returns the known `page` instead. */
export function showingAgain<Request extends unknown[], Page>(
  fetch: (...request: Request) => Promise<Page>,
  page: Page,
  asksForIt: (...request: Request) => boolean,
): (...request: Request) => Promise<Page> {
  let isShown = false;
  return async (...request) => {
    if (isShown || !asksForIt(...request)) return fetch(...request);
    isShown = true;
    return page;
  };
}
