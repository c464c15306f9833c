import type { TelemetryItem } from '../core/telemetry-item.ts';
import {
  advance,
  close,
  correlateAlerts,
  type EngineState,
  obey,
  observe,
  type SlotFindings,
  takeAlerts,
} from '../engine/engine.ts';
import type { CorrelationEvent } from '../engine/grouping/correlation-state.ts';
import { SLOT_MS } from '../engine/judging/constants.ts';
import { slotOfWork } from '../engine/requests/trace-assembly.ts';
import type { LogEntry } from '../log/log-entry.ts';
import { decodeEntry } from '../log/log-format.ts';
import type { LogRow } from '../log/telemetry-log.ts';
import type { SetAside, Suspect } from '../store/log/set-aside.ts';
import type { Progress } from './progress.ts';

/** Relatives of a span may be sent this much later than the span itself. */
const SENDER_DELAY_MS = 1_000;
/** A tick judges no more slots once it has so many spans, or so many slots with spans: about a second's work. */
const MOST_OF_TICK = { spans: 50_000, slots: 60 };

/** Whether a tick at `now` judges a slot that the one at `tickedAt` did not. */
export function isSlotOver(tickedAt: number, now: number): boolean {
  return slotAt(now) > slotAt(tickedAt);
}

/** The time of the next tick. It may be before `now`, so that no tick judges much, however much waits. */
export function nextTickAt({ state: { judge }, tickedAt }: Replayed, now: number): number {
  const slot = slotOfWork(judge.assembly, MOST_OF_TICK);
  const end = (Math.max(slot ?? 0, judge.nextSlot ?? 0) + 1) * SLOT_MS + SENDER_DELAY_MS;
  return Math.max(tickedAt, slot === null ? now : Math.min(now, end));
}

function slotAt(at: number): number {
  return Math.floor((at - SENDER_DELAY_MS) / SLOT_MS);
}

/** The engine's state, and the time of its last tick. */
export interface Replayed {
  readonly state: EngineState;
  tickedAt: number;
}

/** Result of replaying entries of the log. */
export interface Outcome extends SlotFindings {
  readonly events: readonly CorrelationEvent[];
  /** Items of telemetry. */
  readonly items: number;
  /** When the last telemetry was received, in milliseconds since 1970; null: there was none. */
  readonly receivedAt: number | null;
}

/** The engine failed at an entry. The state is inconsistent and must be restored. */
export class EntryFailedError extends Error {
  override readonly name = 'EntryFailedError';
  readonly suspect: Suspect;

  constructor(suspect: Suspect, cause: unknown) {
    super(`entry ${suspect.sequence} of the log cannot be correlated: ${suspect.cause}`, { cause });
    this.suspect = suspect;
  }
}

/**
 * Gives entries of the log to the engine. The same entries always lead to the same state and outcome.
 *
 * @param skipped entries and reports to leave out
 * @throws {EntryFailedError}
 */
export function replay(
  replayed: Replayed,
  rows: readonly LogRow[],
  skipped: readonly SetAside[],
  progress: Progress,
): Outcome {
  const found = { ...noFindings(), items: 0 };
  let receivedAt: number | null = null;
  for (const { sequence, bytes } of rows) {
    const covering = skipped.filter(({ first, last }) => first <= sequence && sequence <= last);
    if (covering.some(({ report }) => report === null)) {
      continue;
    }
    let report: number | null = null;
    const begin = (next: number | null) => {
      report = next;
      progress.begin(sequence, next);
    };
    try {
      begin(null);
      const entry = decodeEntry(bytes);
      if (entry.kind === 'telemetry') {
        receivedAt = entry.at;
        for (const [index, { sender, items }] of entry.reports.entries()) {
          if (!covering.some((one) => one.report === index)) {
            begin(index);
            observeAll(replayed.state, sender, items);
            found.items += items.length;
          }
        }
      } else {
        obeyEntry(replayed, entry, found);
      }
    } catch (cause) {
      throw new EntryFailedError({ sequence, report, cause: String(cause) }, cause);
    } finally {
      progress.end();
    }
  }
  return { ...found, receivedAt };
}

function observeAll(state: EngineState, sender: string | null, items: readonly TelemetryItem[]): void {
  for (const item of items) {
    observe(state, item, sender);
  }
}

/** Grows with each entry. */
type Findings = { -readonly [Name in 'events' | keyof SlotFindings]: Outcome[Name][number][] };

function noFindings(): Findings {
  return { events: [], evidence: [], placements: [] };
}

function obeyEntry(replayed: Replayed, entry: Exclude<LogEntry, { kind: 'telemetry' }>, found: Findings): void {
  const { state } = replayed;
  const collect = ({ evidence, placements }: SlotFindings) => {
    append(found.evidence, evidence);
    append(found.placements, placements);
  };
  if (entry.kind === 'decision') {
    append(found.events, obey(state, entry.decision, collect));
    return;
  }
  const { closed } = entry.tick;
  const at = Math.max(entry.tick.at, replayed.tickedAt); // two processes may have ticked, with clocks of their own
  replayed.tickedAt = at;
  for (const { number, at: closedAt } of closed) {
    close(state, number, closedAt);
  }
  const alerts = takeAlerts(state); // before `advance`, since no slot before their arrival may have them
  append(found.events, advance(state, at - SENDER_DELAY_MS, collect, entry.tick.budgetBytes));
  append(found.events, correlateAlerts(state, at, alerts, collect));
}

/** Pushes one by one, since the arguments of a call have a limit of about 125,000. */
function append<T>(list: T[], more: readonly T[]): void {
  for (const one of more) {
    list.push(one);
  }
}
