import fc from 'fast-check';
import { anyIncident, hostile, strangersIncident } from './any-incident.ts';

export const NOW = new Date('2026-01-31T08:20:00.000Z');
export const STORM_ID = '00000000-0000-4000-8000-000000000000';
export const TRACE_URL = 'https://traces.example/{trace_id}';
export const KEPT_REASONS = ['unreachable', 'failing', 'key', 'slack'] as const;

export const count = fc.constantFrom(0, 1, 2_000_000);
export const incident = fc.oneof({ weight: 4, arbitrary: anyIncident }, { weight: 1, arbitrary: strangersIncident });
export const note = fc.oneof(hostile, fc.constant('&'.repeat(3_000)), fc.constant(`${'🚒 '.repeat(4_000)}the end`));
