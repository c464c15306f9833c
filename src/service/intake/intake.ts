import type { Kysely, Transaction } from 'kysely';
import type { Logger } from 'pino';
import { MAIN_SYSTEM } from '../../contract/system.ts';
import type { Clock } from '../../runtime/clock.ts';
import { traced } from '../../runtime/traced.ts';
import { BackPressureError } from '../core/errors.ts';
import { foldKeyOf, foldSignals } from '../core/fold.ts';
import type { AboutAlerts } from '../core/inhibition.ts';
import { ownAlerts } from '../core/own-alerts.ts';
import type { Accepted, ObservedSignal, SignalBatch, SignalEnd } from '../core/signal.ts';
import type { TelemetryItem } from '../core/telemetry-item.ts';
import type { Report } from '../log/log-entry.ts';
import { appendEntries, inTable } from '../log/log-table.ts';
import type { TelemetryEntry, TelemetryLog } from '../log/telemetry-log.ts';
import { findAboutAlerts } from '../store/incidents/about-alerts.ts';
import { changePosted } from '../store/integrations/posted-alert-store.ts';
import { findSystems } from '../store/integrations/systems.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import { lockWriters } from '../store/shared/signal-state.ts';
import { describeUnavailable, isStorageUnavailable } from '../store/shared/unavailable.ts';
import { locateAlerts } from '../store/signals/alert-names.ts';
import { createPartitions } from '../store/signals/partitions.ts';
import { type Ended, endSignals, withPossibleTime, writeSignals } from '../store/signals/write-signals.ts';
import { createGroupCommit, QueueFullError } from './group-commit.ts';
import { createNameLimits } from './name-limits.ts';
import { itemsOf } from './telemetry-items.ts';
import { countOutOfTime, DEFAULT_TIME_WINDOW, keepInTime, type OutOfTime, type TimeWindow } from './time-window.ts';

/** Maximum number of folded signals and items of telemetry that wait for the running transaction. */
export const MAX_QUEUED_ITEMS = 100_000;

/** Others wait for a running transaction, and signals are what takes its time: about a second on a slow machine. */
const MAX_SIGNALS_OF_COMMIT = 2_000;
/** A larger batch is stored in parts. */
const MAX_SIGNALS_OF_PART = 1_000;

/** The only path of signals into the store: folds them and commits them in groups, with the telemetry to correlate. */
export interface Intake extends AsyncDisposable {
  /**
   * Resolves once the batch is durable; it is correlated later.
   *
   * @throws {BackPressureError} nothing was kept
   */
  accept(batch: SignalBatch): Promise<Accepted>;
  /** Number of signals and items that wait for the running transaction. */
  queueSize(): number;
}

export function createIntake(deps: {
  readonly db: Kysely<ServiceTables>;
  readonly log: TelemetryLog;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly signalRetentionDays: number | null;
  /** Absent: the default. */
  readonly timeWindow?: TimeWindow;
  /** Called with the number of spans that lost a name, see `NameLimits`. */
  readonly onFolded?: (spans: number) => void;
  /** Called with telemetry whose times are far from now. */
  readonly onOutOfTime?: (sender: string | null, count: OutOfTime, now: Date) => void;
  /** Called once the batch is durable. */
  readonly onAccepted: (signals: SignalBatch['signals']) => void;
  /** Called once there is more for correlation to read. */
  readonly onAppended: () => void;
}): Intake {
  const { db, log, logger, clock, signalRetentionDays, timeWindow = DEFAULT_TIME_WINDOW } = deps;
  const names = createNameLimits();
  const partitions = createPartitions(db, signalRetentionDays);
  const queue = createGroupCommit({
    commit: writeGroup,
    sizeOf: ({ signals, ends = [], telemetry = [] }: SignalBatch) => signals.length + ends.length + telemetry.length,
    maxWaiting: MAX_QUEUED_ITEMS,
    costOf: ({ signals }) => signals.length,
    maxCost: MAX_SIGNALS_OF_COMMIT,
  });

  /** @returns fingerprints of ends of which no signal was ever seen */
  async function writeGroup(received: readonly SignalBatch[]): Promise<ReadonlySet<string>> {
    const at = clock.now();
    const senders = [...new Set(received.flatMap(({ sender = null }) => sender ?? []))];
    const systems = await findSystems(db, senders);
    const batches = Map.groupBy(received, ({ sender = '' }) => systems.get(sender) ?? MAIN_SYSTEM);
    const observed = foldSignals(
      [...batches].flatMap(([system, some]) => some.flatMap((batch) => signalsOf(batch, system))),
    );
    const ends = received.flatMap((batch) => batch.ends ?? []);
    await partitions.ensure(
      observed.map(({ observedAt }) => observedAt),
      at,
    );
    const told = toEntries(
      [...batches].flatMap(([system, some]) => some.map((batch) => reportOf(batch, system, limited(batch, at)))),
      at,
    );
    // Before the transaction, because others wait for that.
    const prepared = await Promise.all([...told].map(([system, entry]) => log.prepare(system, entry)));
    const unseen = await db.transaction().execute(async (tx) => {
      await lockWriters(tx);
      const signals = await locateAlerts(tx, observed, at);
      const live = await writeSignals(tx, signals, at);
      const ended = await endSignals(tx, ends, at);
      const stored = new Map(signals.map((signal) => [foldKeyOf(signal), live.get(foldKeyOf(signal)) ?? signal]));
      const about = await aboutAlerts(tx, { signals, live, senders });
      const alerts = [...batches].flatMap(([system, some]) =>
        some.flatMap((batch) => {
          const placedHere = signalsOf(batch, system).map((one) => placed(one, stored));
          const here = inTime({ ...batch, signals: placedHere, telemetry: [] }, about, at);
          return [
            reportOf(batch, system, here),
            ...endsElsewhere(batch, system, ended).map(([other, over]) =>
              reportOf(batch, other, inTime({ signals: [], ends: over }, NO_ALERTS, at)),
            ),
          ];
        }),
      );
      const entries = [...[...toEntries(alerts, at)].map(([system, entry]) => inTable(system, entry)), ...prepared];
      await appendEntries(
        tx,
        entries.length > 0 ? entries : [inTable(MAIN_SYSTEM, entryAt(at))],
        changePosted(received, at),
      );
      return ended.unseen;
    });
    deps.onAppended();
    return unseen;
  }

  function inTime(batch: SignalBatch, about: AboutAlerts, at: Date): readonly TelemetryItem[] {
    return keepInTime(itemsOf(batch, about, at), at, timeWindow);
  }

  /** The telemetry of a batch, without its alerts. */
  function limited({ telemetry, sender }: SignalBatch, at: Date): readonly TelemetryItem[] {
    const { items, folded } = names.limit(
      sender ?? null,
      inTime({ signals: [], ...(telemetry !== undefined && { telemetry }) }, NO_ALERTS, at),
      at,
    );
    deps.onFolded?.(folded);
    return items;
  }

  return {
    async accept(received) {
      const batch = ownAlerts(received);
      const at = clock.now();
      const signals = foldSignals(batch.signals.map((signal) => withPossibleTime(signal, at)));
      let unseen: readonly ReadonlySet<string>[];
      try {
        unseen = await traced({ name: 'store batch', kind: 'internal', attributes: sizesOf(batch) }, () =>
          queue.add(batch.sender ?? '', partsOf({ ...batch, signals: signedBy(batch.sender, signals) })),
        );
      } catch (cause) {
        if (cause instanceof QueueFullError || isStorageUnavailable(cause)) {
          logger.warn({ err: cause }, 'signals refused for now');
          const reason = cause instanceof QueueFullError ? cause.message : describeUnavailable(cause);
          throw new BackPressureError(`signals cannot be stored now: ${reason}`, { cause });
        }
        throw cause;
      }
      deps.onAccepted(signals);
      deps.onOutOfTime?.(batch.sender ?? null, countOutOfTime(batch, at, timeWindow), at);
      const isUnseen = ({ fingerprint }: SignalEnd) => unseen.some((each) => each.has(fingerprint));
      return { endedNothing: (batch.ends ?? []).filter(isUnseen).length };
    },

    queueSize: () => queue.waitingSize(),

    [Symbol.asyncDispose]: () => queue.close(),
  };
}

const NO_ALERTS: AboutAlerts = { histories: new Map(), rules: new Map() };

interface ReportOfSystem {
  readonly system: string;
  readonly report: Report;
}

function reportOf({ sender }: SignalBatch, system: string, items: Report['items']): ReportOfSystem {
  return { system, report: { sender: sender ?? null, items } };
}

/** An entry for each system, without reports that are empty. */
function toEntries(reports: readonly ReportOfSystem[], at: Date): ReadonlyMap<string, TelemetryEntry> {
  const bySystem = Map.groupBy(
    reports.filter(({ report }) => report.items.length > 0),
    ({ system }) => system,
  );
  return new Map(
    [...bySystem].map(([system, some]) => [system, { ...entryAt(at), reports: some.map(({ report }) => report) }]),
  );
}

function entryAt(at: Date): TelemetryEntry {
  return { kind: 'telemetry', at: at.getTime(), reports: [] };
}

function signalsOf({ signals }: SignalBatch, system: string): readonly ObservedSignal[] {
  return system === MAIN_SYSTEM ? signals : signals.map((signal) => ({ ...signal, system }));
}

/** Ends of what began while the sender's integration was in another system, by that. */
function endsElsewhere(
  { ends = [] }: SignalBatch,
  system: string,
  { systems }: Pick<Ended, 'systems'>,
): readonly (readonly [string, readonly SignalEnd[]])[] {
  const moved = ends.flatMap((end) =>
    (systems.get(end.fingerprint) ?? []).flatMap((other) => (other === system ? [] : [{ other, end }])),
  );
  return [...Map.groupBy(moved, ({ other }) => other)].map(
    ([other, some]) => [other, some.map(({ end }) => end)] as const,
  );
}

/** The alerts that a sender posts are stored with what changes in their list, or not at all. */
function partsOf(batch: SignalBatch): SignalBatch[] {
  const { signals, telemetry = [], ends, posted } = batch;
  const count = Math.ceil(signals.length / MAX_SIGNALS_OF_PART);
  if (count <= 1 || ends !== undefined || posted !== undefined) {
    return [batch];
  }
  const share = <Item>(items: readonly Item[], index: number) =>
    items.slice(Math.floor((index * items.length) / count), Math.floor(((index + 1) * items.length) / count));
  return Array.from({ length: count }, (_, index) => ({
    ...batch,
    signals: share(signals, index),
    telemetry: share(telemetry, index),
  }));
}

/** @param of.live what `writeSignals` returned */
function aboutAlerts(
  tx: Transaction<ServiceTables>,
  of: {
    readonly signals: SignalBatch['signals'];
    readonly live: Awaited<ReturnType<typeof writeSignals>>;
    readonly senders: readonly string[];
  },
): Promise<AboutAlerts> {
  const { signals, live, senders } = of;
  const alerts = signals.filter(({ detail }) => detail.type === 'alert');
  const folded = alerts.filter((each) => live.has(foldKeyOf(each)));
  // The fingerprint of an alert names its sender, who is in one system.
  const incidents = new Map(folded.map((each) => [each.fingerprint, live.get(foldKeyOf(each))?.incidentId ?? null]));
  return findAboutAlerts(tx, { incidents, fresh: alerts.filter((each) => !live.has(foldKeyOf(each))), senders });
}

/** With the service and the place that are stored: an alert stays where it was found first. */
function placed(signal: ObservedSignal, stored: ReadonlyMap<string, Pick<ObservedSignal, 'service' | 'detail'>>) {
  const { service = signal.service, detail = signal.detail } = stored.get(foldKeyOf(signal)) ?? {};
  return signal.detail.type === 'alert' ? { ...signal, service, detail } : signal;
}

function sizesOf({ signals, telemetry = [] }: SignalBatch) {
  return { 'tocsin.signals': signals.length, 'tocsin.telemetry_items': telemetry.length };
}

function signedBy(sender: string | undefined, signals: SignalBatch['signals']): SignalBatch['signals'] {
  return sender === undefined ? signals : signals.map((signal) => ({ ...signal, sender }));
}
