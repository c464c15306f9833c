import { describe, expect, it } from 'vitest';
import type { Incident } from '../../src/contract/resources.ts';
import { advance, type BotTeam, eventually, startBotTeam } from '../support/bot-team.ts';
import { createTestClock } from '../support/test-clock.ts';

type Fields = Partial<Incident>;

/** A team whose service adds fields to each incident, and lets the test change them. */
async function startWith(fields: Record<string, Fields>): Promise<BotTeam> {
  return startBotTeam({
    before: ({ service }) => service.showMore(({ rootService }) => fields[rootService] ?? {}),
  });
}

const NOW = new Date().toISOString();
const CORRELATION = {
  method: 'm',
  services: [],
  edges: [],
  window: { from: NOW, to: NOW },
  evidence: ['checkout -> payments: 40 of 40 calls failed', 'payments: new error: pool exhausted'],
};
const candidates = ['payments', 'inventory'].map((service) => ({ service, score: 0.5, reasons: [] }));
const FIX = { id: 'inc_1', number: 1, closed_at: NOW, resolution_note: 'rolled back 1.2.3', resolved_by: 'Ana' };

describe('a service that reports activity', () => {
  it('has it on the card and in the list, and the card follows within a poll', async () => {
    const fields: Record<string, Fields> = { payments: { activity: 'failing', last_seen_at: NOW } };
    await using team = await startWith(fields);
    team.service.openIncident({ service: 'payments' });
    const failing = await team.card(/\nStill failing\n/);
    await team.slack.as('ana').command('incidents', '/incidents open');
    await team.ephemeral('ana', /· Still failing/);

    fields.payments = { activity: 'recovered', activity_since: NOW, last_seen_at: NOW };

    expect((await team.card(/\nRecovered <!date/)).ts).toBe(failing.ts);
  });

  it('has impact, doubt and earlier fixes from the single incident on the card', async () => {
    const payments: Fields = {
      activity: 'failing',
      impact: [{ from: 'checkout', to: 'payments', calls: 216, failed: 208 }],
      correlation: { ...CORRELATION, confidence: 0.2, candidates },
      similar: [FIX],
    };
    const fields: Record<string, Fields> = { payments };
    await using team = await startWith(fields);
    team.service.openIncident({ service: 'payments' });

    const card = await team.card(/unsure: `payments` or `inventory`/);
    fields.payments = {
      ...payments,
      last_seen_at: NOW,
      correlation: { ...CORRELATION, confidence: 0.8, candidates },
    };
    const sure = await team.card(/208 of 216(?![\s\S]*unsure)/);
    await team.slack.as('ana').command('incidents', '/incidents show incident-1');

    expect(card.text).toContain('208 of 216 calls');
    expect(card.text).toMatch(/\nFixed before: #1, rolled back.* · 1 signal$/);
    expect(sure.ts).toBe(card.ts);
    const { text } = await team.ephemeral('ana', /Happened before/);
    expect(text).toContain('Why payments\npayments: new error: pool exhausted'); // the failing calls are its impact
    expect(text).not.toContain('40 of 40');
  });

  it('has the merged incident point to the other one, without a Resolve button', async () => {
    const fields: Record<string, Fields> = { payments: { number: 5 }, inventory: { number: 3 } };
    await using team = await startWith(fields);
    const into = team.service.openIncident({ service: 'inventory' });
    const gone = team.service.openIncident({ service: 'payments' });
    await eventually(() => team.cards().length === 2);

    fields.payments = { number: 5, merged_into: into, resolution_note: 'Part of #3: inventory.', resolved_by: null };
    team.service.closeIncident(gone);

    const card = await team.card(/^#5 payments\nPart of #3: inventory/);
    expect(JSON.stringify(card.blocks)).not.toMatch(/"Resolve"|> Part of/);
  });

  it('says in the form and in the receipt that a closed incident may come back, and names it on the next card', async () => {
    const fields: Record<string, Fields> = { payments: { number: 12, activity: 'failing' } };
    await using team = await startWith(fields);
    const first = team.service.openIncident({ service: 'payments' });
    const ana = team.slack.as('ana');
    await ana.click(await team.card(/^#12 .*\nNot acknowledged/), 'Resolve');
    await team.modal('ana', /Still failing.*I'll post a new card if it goes on after 10 minutes/);
    await ana.command('incidents', `/incidents resolve ${first} rolled back`);
    await ana.click(await team.ephemeral('ana', /#12 .* is still failing, so it was not closed/), 'Resolve anyway');
    const receipt = await team.ephemeral('ana', /You closed #12 /);
    await team.card(/Closed by ana,/);

    fields.payments = { activity: 'failing', previous_incident_id: first };
    team.service.openIncident({ service: 'payments' });

    const next = await team.card(/\nContinues /);
    await ana.click(next, 'Acknowledge');
    const edited = await team.card(/Acknowledged[\s\S]*\nContinues /);
    expect(receipt.text).toContain("\n⚠️ Still failing: I'll post a new card if it goes on after 10 minutes.");
    expect(next.text).toContain('\nContinues #12, closed by ana: rolled back');
    expect(JSON.stringify(edited.blocks)).toContain(`Continues #12, closed by <@${ana.id}>: rolled back`);
  });

  it('closes what its card calls quiet without asking, although signals came in the last minutes', async () => {
    await using team = await startWith({
      payments: { number: 7, activity: 'quiet', activity_since: '2026-01-31T08:12:00Z' },
    });
    const id = team.service.openIncident({ service: 'payments', signals: [{ type: 'log' }, { type: 'trace' }] });
    await team.card(/Quiet since/);

    await team.slack.as('ana').command('incidents', `/incidents resolve ${id} rolled back`);

    await team.ephemeral('ana', /You closed #7 /);
    expect(team.service.incident(id).status).toBe('closed');
  });

  it('has each later change of the root in the thread once, also after a restart', async () => {
    const clock = createTestClock();
    const fields: Record<string, Fields> = {};
    const change = (seconds: number, to: string) => ({
      at: new Date(clock.now().getTime() + seconds * 1_000).toISOString(),
      from: 'orders-db',
      to,
      because: `checkout -> ${to}: 40 of 40 calls failed`,
    });
    await using team = await startBotTeam({
      clock,
      before: ({ service }) => service.showMore(({ rootService }) => fields[rootService] ?? {}),
    });
    team.service.openIncident({ service: 'payments', openedAt: clock.now() });
    const card = await team.card(/payments/);
    const repliesAfter = (count: number) =>
      eventually(async () => {
        await advance(team, clock, 1_000);
        return team.replies(card).length >= count;
      });

    fields.payments = { root_changes: [change(10, 'web'), change(40, 'bank')] };
    await repliesAfter(1);
    await team.restartBot();
    fields.payments = { root_changes: [...(fields.payments.root_changes ?? []), change(60, 'ledger')] };
    await repliesAfter(2);

    expect(team.replies(card)).toEqual(
      ['bank', 'ledger'].map(
        (to) => `Root changed: \`orders-db\` -&gt; \`${to}\`, because checkout -&gt; ${to}: 40 of 40 calls failed.`,
      ),
    );
  });
});

it('mentions people only by edits, which notify nobody, and names them in the text', async () => {
  await using team = await startBotTeam();
  const { id: anaId } = team.slack.as('ana');
  const id = team.service.openIncident({ service: 'payments' });
  const first = await team.card(/payments/);

  team.slack.faults.next('chat.update', { kind: 'error', error: 'cant_update_message' });
  await team.slack.as('ana').click(first, 'Acknowledge');
  const anew = await team.card(/Acknowledged by ana /);
  await team.slack.as('ana').command('incidents', `/incidents resolve ${id} rolled back`);
  const closed = await team.card(/Closed by ana,/);

  expect(JSON.stringify(anew.blocks)).toContain('*Acknowledged* by ana ');
  expect(JSON.stringify(closed.blocks)).toContain(`*Closed* by <@${anaId}>`);
  const posts = team.slack.calls.filter(({ method }) => method === 'chat.postMessage');
  expect(JSON.stringify(posts.map(({ args }) => args))).not.toContain('<@');
});

it('shows none of it with a service that reports none of it', async () => {
  await using team = await startBotTeam();
  const id = team.service.openIncident({ service: 'payments' });
  const ana = team.slack.as('ana');
  const card = await team.card(/payments/);
  await ana.command('incidents', '/incidents open');
  const list = await team.ephemeral('ana', /1 open incident/);
  await ana.command('incidents', `/incidents show ${id}`);
  const details = await team.ephemeral('ana', /\nSignals/);
  await ana.click(card, 'Resolve');
  const form = await team.modal('ana');
  await ana.command('incidents', `/incidents resolve ${id} rolled back`);
  const receipt = await team.ephemeral('ana', /You closed/);
  const closed = await team.card(/Closed by ana/);

  const shown = [card, list, details, receipt, closed].flatMap(({ text, blocks }) => [text, JSON.stringify(blocks)]);
  expect(card.text).toMatch(/^\S+ payments\nNot acknowledged · opened <[^>]+>\n1 signal$/);
  expect([...shown, JSON.stringify(form.content.blocks)].join('\n')).not.toMatch(
    /undefined|null|NaN|\[object|Impact|unsure|Happened|Continues|Part of|seen|Quiet|Recovered|go(es)? on|""|\n\n/,
  );
});
