import type { Snapshot } from '../../src/bot/incident/snapshot.ts';
import { type CardContent, incidentCard } from '../../src/bot/rooms/card/incident-card.ts';

export const OPENED_AT = '2026-01-31T08:00:00.000Z';
export const AT = '2026-01-31T08:14:00.000Z';

export const SHOWN = {
  id: 'inc_5',
  number: 5,
  title: 'payments: POST /charge fails',
  status: 'open',
  signal_count: 3,
  root_service: 'payments',
  opened_at: OPENED_AT,
} as const;

/** The card of that incident with these fields. */
export function card(fields: Partial<Snapshot>, content: Partial<CardContent> = {}) {
  return incidentCard({ incident: { ...SHOWN, ...fields }, ...content });
}

/** The lines of the text, and those of the blocks. */
export function linesOf(fields: Partial<Snapshot>, content: Partial<CardContent> = {}) {
  const { text, blocks } = card(fields, content);
  const shown = blocks.flatMap((block) =>
    block.type === 'section' ? [block.text] : block.type === 'context' ? block.elements : [],
  );
  return { spoken: text.split('\n'), shown: shown.flatMap((each) => String(Object(each).text).split('\n')) };
}
