/**
 * Wraps `fetch` to save a request: the first request for which `asksForIt` is true resolves to the known
 * `page`.
 */
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
