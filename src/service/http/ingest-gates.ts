import type { Context, MiddlewareHandler } from 'hono';
import { senderOf } from '../core/api-key.ts';
import type { Accepted, SignalBatch } from '../core/signal.ts';
import type { createOtlpHandler } from '../ingest/formats/otlp/otlp-http.ts';
import type { IncomingBodies } from '../ingest/incoming-bodies.ts';
import type { MappingRunner } from '../ingest/mapping/mapping-runner.ts';
import type { IncidentStore } from '../store/incidents/incident-store.ts';
import type { AskedStateStore } from '../store/integrations/asked-state-store.ts';
import type { MonitorStore } from '../store/integrations/monitor-store.ts';
import type { PostedAlertStore } from '../store/integrations/posted-alert-store.ts';
import type { MuteStore } from '../store/mutes/mute-store.ts';
import type { SignalStore } from '../store/signals/signal-store.ts';
import type { GuardedGet } from '../webhooks/guarded-get.ts';
import type { ApiEnv } from './api-env.ts';
import { authenticateSender, demandScope } from './auth.ts';
import type { KeyGate } from './key-gate.ts';
import { type OutcomeDeps, recordOutcome } from './record-outcome.ts';
import type { VerifySns } from './sns-signatures.ts';
import type { Received } from './take-entries.ts';
import { noteUnkept, withoutEffect } from './unkept-notes.ts';

export interface IngestRouteDeps extends OutcomeDeps {
  readonly keys: KeyGate;
  readonly bodies: IncomingBodies;
  readonly monitors: MonitorStore;
  readonly verifySns: VerifySns;
  /** Follows the address that confirms a subscription of Amazon SNS. */
  readonly getFromAmazon: GuardedGet;
  readonly postedAlerts: PostedAlertStore;
  readonly mutes: MuteStore;
  /** For what people did with an alert in the sender's product. */
  readonly incidents: IncidentStore;
  readonly signals: SignalStore;
  readonly askedStates: AskedStateStore;
  readonly mappings: MappingRunner;
  readonly receiveOtlp: ReturnType<typeof createOtlpHandler>;
  /** Resolves once the batch is durable. */
  readonly accept: (batch: SignalBatch) => Promise<Accepted>;
}

export interface IngestGates {
  /** Runs for every request. */
  readonly observe: MiddlewareHandler<ApiEnv>;
  /** Runs after authentication. */
  readonly limit: MiddlewareHandler<ApiEnv>;
}

/** What runs before each handler of signals. The part `:key` of a path is the key. */
export function admitSender(deps: IngestRouteDeps, gates: IngestGates): MiddlewareHandler<ApiEnv>[] {
  const admit: MiddlewareHandler<ApiEnv> = async (c, next) => {
    const key = await authenticateSender(c.req.raw, deps.keys(c.env?.address), deps.now(), c.req.param('key'));
    demandScope(key, 'ingest');
    c.set('key', key);
    await next();
  };
  return [gates.observe, recordOutcome(deps), admit, gates.limit];
}

/**
 * Stores what the sender of the key reported, and notes what is without effect.
 *
 * @throws {PartlyRefusedError} once the valid entries are durable
 */
export async function acceptReceived(
  c: Context<ApiEnv>,
  { refusal = null, ...batch }: Received,
  accept: IngestRouteDeps['accept'],
): Promise<void> {
  c.set('items', batch.signals.length);
  const { endedNothing } = await accept({ ...batch, sender: senderOf(c.get('key')) });
  noteUnkept(c, withoutEffect(batch, endedNothing));
  if (refusal !== null) {
    throw refusal;
  }
}
