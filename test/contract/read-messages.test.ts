import { describe, expect, it } from 'vitest';
import { alertsIn } from '../../src/bot/rooms/read/alerts-in.ts';
import { eventsOf } from '../../src/bot/rooms/read/read-kind.ts';
import type { MappedReading } from '../../src/service/ingest/mapping/mapped-event.ts';
import { readByPreset } from '../support/read-preset.ts';
import { TOOL_SAMPLES } from '../support/tool-messages.ts';

const NOW = new Date('2026-01-31T09:00:00Z');
const ABOUT = { tool: 'Monitor', permalink: 'https://example.slack.com/archives/C1/p1' };

type Change = Parameters<typeof eventsOf>[0]['change'];

/** What the service reads of a message. @param first what the message said at first */
function read(message: unknown, change: Change = 'post', first = message): MappedReading[] {
  const said = { alerts: alertsIn(message), first: alertsIn(first), change, saidAt: '1769846400.000100' };
  return readByPreset('slack_message', eventsOf(said, ABOUT), NOW);
}

const keyOf = (reading: MappedReading | undefined) =>
  reading !== undefined && 'signal' in reading
    ? reading.signal.fingerprint
    : (reading as { fingerprint?: string })?.fingerprint;

describe.each(TOOL_SAMPLES.map((sample) => [sample.tool, sample] as const))('a message of %s', (_tool, sample) => {
  const [failure] = read(sample.failure);

  it('is a failure, apart from another one', () => {
    const [another] = read(sample.another);

    expect(failure).toMatchObject({ kind: 'fails' });
    expect(another).toMatchObject({ kind: 'fails' });
    expect(keyOf(failure)).not.toBe(keyOf(another));
  });

  it('is ended by the end that the tool tells', () => {
    const [end] = sample.isEdited ? read(sample.end, 'edit', sample.failure) : read(sample.end);

    expect(end).toMatchObject({ kind: 'over' });
    expect(keyOf(end)).toBe(keyOf(failure));
  });
});

it('names the service and the severity of a failure, and links to the message', () => {
  const pagerduty = TOOL_SAMPLES.find(({ tool }) => tool === 'PagerDuty');

  expect(read(pagerduty?.failure)).toMatchObject([
    {
      kind: 'fails',
      signal: {
        service: 'web',
        severity: 'error',
        summary: '#17: disk of web-7 is full',
        links: expect.arrayContaining([expect.objectContaining({ url: ABOUT.permalink })]),
      },
    },
  ]);
});

it('asks about an edit whose words nobody knows', () => {
  const [edit] = read({ text: 'zorgle' }, 'edit', { text: 'disk of web-7 is full' });

  expect(edit).toMatchObject({ kind: 'unknown', word: 'zorgle' });
  expect(keyOf(edit)).toBe(keyOf(read({ text: 'disk of web-7 is full' })[0]));
});

it('takes a reply in the thread for nothing, unless it says an end', () => {
  const first = { text: 'disk of web-7 is full' };

  expect(read({ text: 'a picture of the disk' }, 'reply', first)).toMatchObject([{ kind: 'ignored' }]);
  expect(read({ text: 'Resolved: it is empty' }, 'reply', first)).toMatchObject([{ kind: 'over' }]);
});
