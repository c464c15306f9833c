import type { Attack } from './attack.ts';
import { connectionAttacks } from './attacks/connections.ts';
import { correlationAttacks } from './attacks/correlation.ts';
import { crashAttacks } from './attacks/crash.ts';
import { floodAttacks } from './attacks/floods.ts';
import { createBombAttacks, ingestAttacks } from './attacks/ingest.ts';
import { keyAttacks } from './attacks/keys.ts';
import { mutationAttacks } from './attacks/mutations.ts';
import { pageAttacks } from './attacks/pages.ts';
import { webhookAttacks } from './attacks/webhooks.ts';

export const QUICK_ATTACKS: readonly Attack[] = [
  ...keyAttacks,
  ...pageAttacks,
  ...connectionAttacks,
  ...ingestAttacks,
  ...webhookAttacks,
].filter(({ isQuick }) => isQuick);

/** The quick ones take half a minute each. */
export const QUICK_CORRELATION_ATTACKS: readonly Attack[] = correlationAttacks.filter(({ isQuick }) => isQuick);

/** The quick ones included. */
export function listAttacks(): Attack[] {
  return [
    ...keyAttacks,
    ...pageAttacks,
    ...connectionAttacks,
    ...ingestAttacks,
    ...createBombAttacks(),
    ...mutationAttacks,
    ...webhookAttacks,
    ...floodAttacks,
    ...correlationAttacks,
    ...crashAttacks,
  ];
}
