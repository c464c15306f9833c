import type { Declaration } from './by-hand.ts';
import { seenOnce } from './fold.ts';
import { linksIn, type NamedPage } from './links.ts';
import type { ObservedSignal } from './signal.ts';
import { fingerprint, oneLine, TEXT_LIMITS } from './text.ts';

/** The format of such signals, in their source. */
export const DECLARED = 'declaration';

/**
 * What a person says fails, as a signal: like an alert it opens an incident by itself, or joins the one that its service
 * has, and what fails there later joins it. Nobody reports its end.
 */
export function declaredSignal({ key, title, service, severity, note, actor }: Declaration, at: Date): ObservedSignal {
  return {
    type: 'metric',
    service,
    summary: oneLine(title, TEXT_LIMITS.summary),
    severity,
    ...seenOnce(at),
    fingerprint: fingerprint(DECLARED, service, key),
    traceId: null,
    spanId: null,
    attributes: actor === null ? {} : { declared_by: actor.by },
    links: linksIn({}, addressesIn(note ?? '')),
    source: { format: DECLARED },
    detail: { type: 'alert', reportsEnd: false },
  };
}

/** Addresses of at most so many characters; a sentence around one may end right behind it. */
const ADDRESS = /https?:\/\/[^\s<>|"']{1,2000}/g;

function addressesIn(text: string): NamedPage[] {
  return [...text.matchAll(ADDRESS)].map(([address]) => ({
    kind: 'generator',
    url: address.replace(/[).,;:!?]+$/, ''),
  }));
}
