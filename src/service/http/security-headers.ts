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

/** Adds the headers, and forbids caching unless the response allows it. */
export function secure(response: Response): Response {
  const { headers } = response;
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
    headers.set(name, value);
  }
  if (!headers.has('cache-control')) {
    headers.set('cache-control', 'no-store');
  }
  return response;
}
