import type { Button } from '@slack/types';
import type { Incident } from '../../contract/resources.ts';
import { ACTIONS } from '../blocks/ids.ts';
import { LIMITS } from '../blocks/limits.ts';
import { cut, link, plainText, webAddress } from '../blocks/mrkdwn.ts';
import { reference } from './incident-words.ts';

type Linked = Pick<Incident, 'id' | 'number' | 'links' | 'trace_id'>;

const LABELS = {
  runbook: ['Runbook', ACTIONS.linkRunbook],
  generator: ['Alert source', ACTIONS.linkGenerator],
  dashboard: ['Dashboard', ACTIONS.linkDashboard],
  trace: ['Trace', ACTIONS.linkTrace],
} as const;

interface Destination {
  readonly kind: keyof typeof LABELS;
  readonly url: string;
}

/** The pages that the senders named, one of each kind, and the trace. They are buttons, because addresses are long. */
export function linkButtons(incident: Linked, traceUrl: string | null): Button[] {
  return destinations(incident, traceUrl).flatMap(({ kind, url }): Button[] => {
    const [label, actionId] = LABELS[kind];
    const address = webAddress(url);
    if (address === null || address.length > LIMITS.buttonUrl) {
      return [];
    }
    const spoken = cut(`${label} of incident ${reference(incident)}`, LIMITS.accessibilityLabel);
    const text = plainText(label, LIMITS.buttonText);
    return [{ type: 'button', text, action_id: actionId, url: address, accessibility_label: spoken }];
  });
}

/** The same pages in words; empty: there are none. */
export function linkWords(incident: Linked, traceUrl: string | null): string {
  const named = destinations(incident, traceUrl).map(({ kind, url }) => link(url, LABELS[kind][0]));
  return named.join(', ');
}

function destinations({ links = [], trace_id: traceId }: Linked, traceUrl: string | null): Destination[] {
  const kinds = ['runbook', 'generator', 'dashboard'] as const;
  const named = kinds.flatMap((kind): Destination[] => links.filter((each) => each.kind === kind).slice(0, 1));
  const trace = traceAddress(traceId, traceUrl);
  return [...named, ...(trace === null ? [] : [{ kind: 'trace' as const, url: trace }])].filter(
    ({ url }) => webAddress(url) !== null,
  );
}

/** The address of a trace; null: there is no trace, or no template for its address. */
export function traceAddress(traceId: string | null | undefined, traceUrl: string | null): string | null {
  return traceUrl === null || (traceId ?? '') === ''
    ? null
    : traceUrl.replaceAll('{trace_id}', () => encodeURIComponent((traceId ?? '').toWellFormed()));
}
