import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { withDifference } from '../../src/service/ingest/presets/presets.ts';
import type { Sent } from './play.ts';
import type { Vendor } from './strange-vendor.ts';

const PairFile = z.strictObject({
  name: z.string(),
  source: z.string(),
  body: z.record(z.string(), z.unknown()),
  /** In order; each says only what differs from the body. */
  sent: z.array(
    z.strictObject({
      is: z.enum(['fails', 'over', 'acknowledged']),
      failure: z.string(),
      change: z.record(z.string(), z.unknown()).default({}),
      /** Fields at the top that it does not have. */
      absent: z.array(z.string()).default([]),
    }),
  ),
  answers: z.record(z.string(), z.enum(['fails', 'over', 'acknowledged'])).default({}),
});

interface Pair {
  readonly name: string;
  readonly sent: readonly Sent[];
  readonly answers: Vendor['answers'];
}

const FOLDER = new URL('./pairs/', import.meta.url);

/** Payloads as people publish them, in the folder `pairs`. */
export function readPairs(): Pair[] {
  return readdirSync(FOLDER).map((file) => {
    const { name, body, sent, answers } = PairFile.parse(parse(readFileSync(new URL(file, FOLDER), 'utf8')));
    return {
      name,
      answers,
      sent: sent.map(({ is, failure, change, absent }) => ({
        body: without(withDifference(body, change), absent),
        truths: [{ failure, said: is, severity: null }],
      })),
    };
  });
}

function without(body: unknown, absent: readonly string[]): unknown {
  const entries = Object.entries(z.record(z.string(), z.unknown()).parse(body));
  return Object.fromEntries(entries.filter(([name]) => !absent.includes(name)));
}
