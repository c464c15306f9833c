import type { Attributes, Span } from './telemetry.ts';

/** More is a mistake of the sender. */
const MOST = 1_000_000;

/**
 * How many spans one stands for, as its sender says: by OpenTelemetry's `tracestate` (`ot=th:c`, formerly `ot=p:2`), or
 * by an attribute with the rate or the probability of sampling. 1: the sender says nothing.
 */
export function weightOf({ traceState, attributes }: Pick<Span, 'traceState' | 'attributes'>): number {
  const weight = fromTraceState(traceState ?? '') ?? fromAttributes(attributes) ?? 1;
  return weight >= 1 && weight <= MOST ? Math.round(weight * 1_000) / 1_000 : 1;
}

/** A span is kept if 56 random bits are at least the threshold, which is given without the zeros at its end. */
const THRESHOLD = /^th:([0-9a-f]{1,14})$/;
const POWER = /^p:(\d{1,2})$/;

function fromTraceState(traceState: string): number | null {
  const own = traceState
    .split(',')
    .map((member) => member.trim())
    .find((member) => member.startsWith('ot='));
  for (const part of own?.slice('ot='.length).split(';') ?? []) {
    const threshold = THRESHOLD.exec(part)?.[1];
    if (threshold !== undefined) {
      return 1 / (1 - Number.parseInt(threshold, 16) / 16 ** threshold.length);
    }
    const power = POWER.exec(part)?.[1];
    if (power !== undefined) {
      return 2 ** Number(power);
    }
  }
  return null;
}

function fromAttributes(attributes: Attributes): number | null {
  const rate = numberIn(attributes, ['SampleRate', 'sampleRate']);
  const probability = numberIn(attributes, ['sampling.probability', '_dd.rule_psr']);
  return rate ?? (probability === null ? null : 1 / probability);
}

function numberIn(attributes: Attributes, keys: readonly string[]): number | null {
  for (const key of keys) {
    const value = attributes[key];
    const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
    if (number > 0) {
      return number;
    }
  }
  return null;
}
