/**
 * Headers of every response of this process. Pages need only their own style sheet and forms; data needs nothing.
 * `Strict-Transport-Security` is up to the proxy that terminates TLS.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Pages also need their own scripts, the stream of changes, an icon, and a manifest, so that they can be installed. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/**
 * Headers of the dashboard. With `no-referrer`, browsers send forms with `Origin: null`, and over plain http they send no
 * `Sec-Fetch-Site`, so nothing would tell a form of ours from that of another site. No referrer leaves the dashboard.
 */
export const PAGE_HEADERS: typeof SECURITY_HEADERS = {
  ...SECURITY_HEADERS,
  'content-security-policy': PAGE_POLICY,
  'referrer-policy': 'same-origin',
};

/** Adds the headers, and forbids caching unless the response allows it. */
export function secure(response: Response, added: typeof SECURITY_HEADERS): Response {
  const { headers } = response;
  for (const [name, value] of Object.entries(added)) {
    headers.set(name, value);
  }
  if (!headers.has('cache-control')) {
    headers.set('cache-control', 'no-store');
  }
  return response;
}
