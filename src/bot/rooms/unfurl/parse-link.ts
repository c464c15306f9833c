/** What a link to the dashboard names. */
export interface LinkTarget {
  readonly kind: 'incident' | 'signal';
  /** A number or an id, as in the address. */
  readonly reference: string;
}

const PAGE = /^\/dashboard\/(incident|signal)s\/([^/]+)\/?$/;

/** @param publicUrl address of the dashboard, without a slash at the end. @returns null: a link to something else */
export function parseLink(url: string, publicUrl: string): LinkTarget | null {
  const [link, base] = [URL.parse(url), URL.parse(publicUrl)];
  if (link === null || base === null || link.origin !== base.origin) {
    return null;
  }
  const prefix = base.pathname.replace(/\/+$/, '');
  const [, kind, encoded = ''] = link.pathname.startsWith(prefix)
    ? (PAGE.exec(link.pathname.slice(prefix.length)) ?? [])
    : [];
  try {
    const reference = decodeURIComponent(encoded);
    return kind === undefined ? null : { kind: kind as LinkTarget['kind'], reference }; // the pattern has only these two
  } catch {
    return null;
  }
}
