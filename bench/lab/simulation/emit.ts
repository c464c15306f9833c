import type { Row } from '../../correlation/rows.ts';
import { chance, type Random, wholeBetween } from '../random.ts';
import type { Call, Operation, Place, System } from '../systems/system.ts';
import type { Effects } from './effects.ts';
import type { Failure, Request } from './world.ts';

/** A request that a place has served, from its own point of view. */
export interface Served {
  readonly operation: Operation;
  readonly instance: number;
  /** True time, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly span: string;
  readonly parent: string | null;
  readonly failure: Failure | null;
  /** The place failed it, not one of its callees. */
  readonly isOwnFailure: boolean;
  /** Refused for its content: 4xx. */
  readonly isRejected: boolean;
}

/** A call that a place has made. */
export interface Called {
  readonly operation: Operation;
  readonly instance: number;
  readonly call: Call;
  readonly at: number;
  readonly end: number;
  readonly span: string;
  readonly parent: string | null;
  readonly failure: Failure | null;
}

/** Turns what happens into rows, by the habits of each place. */
export interface Emitter {
  readonly served: (request: Request, served: Served) => void;
  readonly called: (request: Request, called: Called) => void;
  readonly line: (place: Place, instance: number, at: number, text: string, level: string) => void;
}

/** A row with the time at which Tocsin receives it, in milliseconds since 1970. */
export type Send = (row: Row, at: number) => void;

/** What is counted of the requests of an instance, for its metrics. */
export type CountServed = (place: Place, instance: number, ms: number, isFailed: boolean) => void;

interface EmitterDeps {
  readonly system: System;
  readonly random: Random;
  readonly effects: Effects;
  readonly send: Send;
  readonly count: CountServed;
}

/** Spans and lines are sent in batches this long. */
const BATCH_MS = 2_000;
/** A sender that gets no answer sends a batch again. */
const REPEATED_AFTER_MS = 12_000;

export function createEmitter({ system, random, effects, send, count }: EmitterDeps): Emitter {
  const { lostShare, lostBatchShare, repeatedBatchShare } = system.traffic;
  const sendLater = (place: Place, instance: number, row: Row, at: number) => {
    const phase = (place.id * 377) % BATCH_MS;
    const batchEnd = Math.ceil((at + phase) / BATCH_MS) * BATCH_MS - phase;
    const isOrdinary = lostBatchShare + repeatedBatchShare === 0;
    const fate = isOrdinary ? 0 : random.fork([place.id, instance, row.kind, batchEnd].join(' ')).next();
    if (fate >= lostBatchShare) {
      send(row, batchEnd + place.lateMs);
    }
    if (fate >= 1 - repeatedBatchShare) {
      send(row, batchEnd + place.lateMs + REPEATED_AFTER_MS);
    }
  };
  const span = (place: Place, instance: number, request: Request, about: SpanAbout) => {
    if (request.isSampled && !chance(random, lostShare)) {
      sendLater(place, instance, spanRow(place, instance, request, about), about.to);
    }
  };
  const line = (place: Place, instance: number, at: number, message: string, severity: string, request?: Request) => {
    const traced = request === undefined || place.habit.logs === 'untraced' ? {} : { trace_id: request.traceId };
    const row: Row = {
      kind: 'log',
      service: place.name,
      timestamp: iso(at + place.skewMs),
      message: message.replaceAll('{n}', String(wholeBetween(random, 1, 9_999))),
      severity,
      instance: place.instances[instance] ?? '',
      ...traced,
    };
    sendLater(place, instance, row, at);
  };
  return {
    served: (request, served) => {
      const { operation, instance, from, to, failure, isRejected, parent } = served;
      const { place } = operation;
      const { habit } = place;
      count(place, instance, to - from, failure !== null);
      if (place.kind !== 'service') {
        return;
      }
      if (habit.spans !== 'none') {
        const status = statusOf(habit.status, failure, isRejected);
        span(place, instance, request, {
          id: served.span,
          parent,
          name: operation.name,
          from,
          to,
          status,
          role: 'server',
        });
        for (const [index, name] of habit.steps.entries()) {
          const start = from + ((to - from) * (index + 0.5)) / (habit.steps.length + 1);
          const about = { id: nextSpan(request), parent: served.span, name, from: start, status: null } as const;
          span(place, instance, request, {
            ...about,
            to: start + ((to - from) * 0.3) / (habit.steps.length + 1),
            role: 'internal',
          });
        }
      }
      const text = lineOf(served, effects.of(place, instance, operation).isLogged);
      if (text !== null) {
        line(place, instance, to, text, failure === null ? 'INFO' : 'ERROR', request);
      }
    },
    called: (request, { operation, instance, call, at, end, span: id, parent, failure }) => {
      const { place } = operation;
      if (place.habit.spans !== 'all') {
        return;
      }
      const peer = call.queue?.place ?? call.to.place;
      const about = { id, parent, name: call.to.name, from: at, to: end, role: 'client' } as const;
      const status = statusOf(place.habit.status, failure, false);
      span(place, instance, request, { ...about, status, ...(place.habit.namesPeers ? { peer: peer.name } : {}) });
    },
    line: (place, instance, at, text, level) => {
      if (place.habit.logs !== 'none') {
        line(place, instance, at, text, level);
      }
    },
  };

  function lineOf({ operation, failure, isOwnFailure }: Served, isLogged: boolean): string | null {
    const { logs, infoLine, errorLine } = operation.place.habit;
    if (logs === 'none') {
      return null;
    }
    if (failure === null) {
      return logs === 'errors' ? null : infoLine.replace('{op}', operation.name);
    }
    const isSilentFault = isOwnFailure && failure.fault !== null && !isLogged;
    return isSilentFault ? null : errorLine.replace('{op}', operation.name).replace('{reason}', failure.reason);
  }
}

interface SpanAbout {
  readonly id: string;
  readonly parent: string | null;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly status: string | null;
  readonly role: 'server' | 'client' | 'internal';
  readonly peer?: string;
}

function spanRow(place: Place, instance: number, { traceId }: Request, about: SpanAbout): Row {
  const { id, parent, name, from, to, status, role, peer } = about;
  return {
    kind: 'trace',
    service: place.name,
    timestamp: iso(from + place.skewMs),
    name,
    duration_ms: Math.round((to - from) * 1_000) / 1_000,
    trace_id: traceId,
    span_id: id,
    parent_span_id: parent,
    instance: place.instances[instance] ?? '',
    ...(status === null ? {} : { status }),
    ...(peer === undefined ? {} : { peer_service: peer }),
    ...(place.habit.tellsKind ? { span_kind: role } : {}),
  };
}

function statusOf(habit: 'error' | 'http' | 'none', failure: Failure | null, isRejected: boolean): string | null {
  if (habit === 'none') {
    return null;
  }
  if (habit === 'http') {
    return String(failure?.status ?? (isRejected ? 404 : 200));
  }
  return failure === null ? null : 'error';
}

/** 16 hexadecimal digits. */
export function nextSpan(request: Request): string {
  request.spans += 1;
  return `${request.traceId.slice(0, 12)}${request.spans.toString(16).padStart(4, '0')}`;
}

export function iso(at: number): string {
  return new Date(at).toISOString();
}
