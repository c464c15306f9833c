import type { Link } from '../../contract/resources.ts';
import type { Attributes, AttributeValue } from './telemetry.ts';

/** Most links of a signal, and of an incident. */
const MAX_LINKS = 6;
const MAX_LENGTH = 2_000;

/** Attributes, labels and annotations that hold an address, with what it is. */
const NAMES = {
  runbook_url: 'runbook',
  dashboard_url: 'dashboard',
  generator_url: 'generator',
} as const satisfies Readonly<Record<string, Link['kind']>>;

/** A page that a sender named; `url` may be anything. */
export interface NamedPage {
  readonly kind: Link['kind'];
  readonly url: AttributeValue | undefined;
}

/** The pages that attributes name, and others. Only http and https, without duplicates. */
export function linksIn(attributes: Attributes, others: readonly NamedPage[] = []): Link[] {
  const named = Object.entries(NAMES).map(([name, kind]) => ({ kind, url: attributes[name] }));
  const links = [...named, ...others].flatMap(({ kind, url }) => {
    const address = readAddress(url);
    return address === null ? [] : [{ kind, url: address }];
  });
  const isFirst = ({ url }: Link, index: number) => links.findIndex((link) => link.url === url) === index;
  return links.filter(isFirst).slice(0, MAX_LINKS);
}

/** @returns null: not an address that people should open */
function readAddress(text: AttributeValue | undefined): string | null {
  const url = typeof text === 'string' && text.length <= MAX_LENGTH ? URL.parse(text.trim()) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    return null;
  }
  return url.href.length <= MAX_LENGTH ? url.href : null;
}
