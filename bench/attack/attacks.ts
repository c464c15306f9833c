import type { Attack } from './attack.ts';
import { connectionAttacks } from './attacks/connections.ts';
import { crashAttacks } from './attacks/crash.ts';
import { floodAttacks } from './attacks/floods.ts';
import { ingestAttacks } from './attacks/ingest.ts';
import { keyAttacks } from './attacks/keys.ts';
import { mutationAttacks } from './attacks/mutations.ts';
import { pageAttacks } from './attacks/pages.ts';
import { webhookAttacks } from './attacks/webhooks.ts';

/** Every attack, those that hold longest ago first. */
export const ATTACKS: readonly Attack[] = [
  ...keyAttacks,
  ...pageAttacks,
  ...connectionAttacks,
  ...ingestAttacks,
  ...mutationAttacks,
  ...webhookAttacks,
  ...floodAttacks,
  ...crashAttacks,
];
