const HOME = '/dashboard/incidents';
const ANY_ORIGIN = 'http://tocsin.invalid';

/**
 * The page of the dashboard to show after sign-in. Browsers read `//host`, `/\host` and text with control characters as
 * other sites, so the text is resolved as a browser does it, and only its path and query are used.
 *
 * @returns null: not a page of the dashboard
 */
export function findLocalPage(text: string): string | null {
  const url = text.startsWith('/') ? URL.parse(text, ANY_ORIGIN) : null;
  if (url === null || url.origin !== ANY_ORIGIN || !/^\/dashboard(\/|$)/.test(url.pathname)) {
    return null;
  }
  const isSignIn = /^\/dashboard\/sign-(in|out)(\/|$)/.test(url.pathname);
  return isSignIn ? null : url.pathname + url.search + url.hash;
}

/** The same, or the first page of the dashboard. */
export function returnTo(text: string | undefined | null): string {
  return findLocalPage(text ?? '') ?? HOME;
}
