import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { withDifference } from '../../src/service/ingest/presets/presets.ts';
import { judge, type Reading, readerOf, type Sent, setUp, type Verdict } from './play.ts';
import type { Vendor } from './strange-vendor.ts';

const OneOf = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());

/** What a careful reader takes from a failure; of several, any will do. */
const Expected = z.strictObject({
  severity: OneOf.optional(),
  service: OneOf.optional(),
  /** A part of it. */
  title: OneOf.optional(),
  link: OneOf.optional(),
});

const PairFile = z.strictObject({
  name: z.string(),
  source: z.string(),
  body: z.record(z.string(), z.unknown()),
  /** What is read wrong, and why that is left. Absent: nothing is. */
  fault: z.string().optional(),
  /** Of the first failure; its severity is that of all. */
  expect: Expected.default({}),
  /** In order; each says only what differs from the body. */
  sent: z.array(
    z.strictObject({
      is: z.enum(['fails', 'over', 'acknowledged']),
      failure: z.string(),
      change: z.record(z.string(), z.unknown()).default({}),
      /** Fields at the top that it does not have. */
      absent: z.array(z.string()).default([]),
      expect: Expected.default({}),
    }),
  ),
  answers: z.record(z.string(), z.enum(['fails', 'over', 'acknowledged'])).default({}),
});

interface SentPayload extends Sent {
  readonly is: 'fails' | 'over' | 'acknowledged';
  readonly failure: string;
  readonly expect: z.output<typeof Expected>;
}

interface Pair {
  readonly name: string;
  readonly fault: string | null;
  readonly sent: readonly SentPayload[];
  readonly answers: Vendor['answers'];
}

const FOLDER = new URL('./pairs/', import.meta.url);

/** Payloads as people publish them, in the folder `pairs`. */
export function readPairs(): Pair[] {
  return readdirSync(FOLDER).map((file) => {
    const {
      sent,
      body,
      expect,
      fault = null,
      ...pair
    } = PairFile.parse(parse(readFileSync(new URL(file, FOLDER), 'utf8')));
    return {
      ...pair,
      fault,
      sent: sent.map(({ is, failure, change, absent, ...own }) => ({
        body: without(withDifference(body, change), absent),
        truths: [{ failure, said: is, severity: null }],
        is,
        failure,
        expect: { severity: expect.severity, ...(failure === sent[0]?.failure ? expect : {}), ...own.expect },
      })),
    };
  });
}

const LOST = { verdict: 'wrong, and said so', why: 'no title was found', faults: [] } as const;

/**
 * Sets a sender up by its first failure and the end of that, as its page asks, and sends all. Then each failure begins again
 * beside the others, is sent twice, and ends.
 *
 * @returns also what is read wrong in single payloads
 */
export function judgePair({ sent, answers }: Pair): { verdict: Verdict; why: string; faults: readonly string[] } {
  const [first] = sent;
  const end = sent.find(({ is, failure }) => is === 'over' && failure === first?.failure);
  const reading = setUp([first, end].flatMap((each) => (each === undefined ? [] : [each.body])));
  if (reading === null) {
    return LOST;
  }
  const failing = sent.filter(({ is }) => is === 'fails');
  const firstOf = (among: readonly SentPayload[]) => [
    ...new Map(among.toReversed().map((each) => [each.failure, each])).values(),
  ];
  const lastOf = [...new Map(failing.map((each) => [each.failure, each])).values()];
  const again = [...firstOf(failing), ...lastOf, ...firstOf(sent.filter(({ is }) => is === 'over'))];
  return {
    ...judge([...sent, ...again], reading, answers),
    faults: sent.flatMap((each, at) => faultsIn(each, at, reading)),
  };
}

function faultsIn({ body, is, expect }: SentPayload, at: number, reading: Reading): string[] {
  const fault = (what: string, got: unknown, wanted: unknown) =>
    `payload ${at + 1}: ${what} is ${String(got)}, not ${String(wanted)}`;
  const [read] = readerOf(reading)(body);
  // A word that nobody knows counts as a failure, or is asked about.
  if (read?.kind !== is && !(read?.kind === 'unknown' && is === 'fails')) {
    return [fault('it', read?.kind, is)];
  }
  if (read.kind !== 'fails' && read.kind !== 'unknown') {
    return [];
  }
  const { severity, service, summary, links = [] } = read.signal;
  const urls = links.map(({ url }) => url);
  const { link = urls, title = [summary] } = expect;
  return [
    ...(expect.severity?.includes(severity) === false ? [fault('the severity', severity, expect.severity)] : []),
    ...(expect.service?.includes(service) === false ? [fault('the service', service, expect.service)] : []),
    ...(title.some((part) => summary.includes(part)) ? [] : [fault('the title', summary, title)]),
    ...(link.every((url) => urls.includes(new URL(url).href)) ? [] : [fault('the link', urls, link)]),
  ];
}

function without(body: unknown, absent: readonly string[]): unknown {
  const entries = Object.entries(z.record(z.string(), z.unknown()).parse(body));
  return Object.fromEntries(entries.filter(([name]) => !absent.includes(name)));
}
