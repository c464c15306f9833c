import { describe, expect, it, vi } from 'vitest';
import { createStore } from '../../src/bot/store.ts';
import { type BotTeam, startBotTeam } from '../support/bot-team.ts';
import { HANG_MS } from '../support/hang.ts';
import { withRealTeam } from '../support/real-team.ts';

type View = Awaited<ReturnType<BotTeam['modal']>>;

const textOf = ({ content }: View): string => JSON.stringify(content.blocks);

/** Ben writes a message in #general, and Ana adds it to an incident as a note. */
async function openNote(team: BotTeam, text: string): Promise<View> {
  const { slack } = team;
  await slack.as('ben').message('general', text);
  const message = slack.messages('general').at(-1);
  expect.assert(message);
  await slack.as('ana').shortcut('add_note_to_incident', message);
  return team.modal('ana', /incident_note_text|No open incidents/);
}

describe('"Add to incident as note"', () => {
  it('keeps the message in the timeline of the chosen incident', () =>
    withRealTeam(async (team, service) => {
      await service.failIn(['payments']);
      const { id } = await service.openIncident();
      await team.card(/payments/);

      const form = await openNote(team, 'the pool is full & <closed>');
      const { errors } = await team.slack.as('ana').submit(form, {});

      await team.directMessage('ana', /Your note was added to the timeline of #1 /);
      const { timeline = [] } = (await (await service.call('GET', `/incidents/${id}`)).json()) as {
        timeline?: { event: string; by: string; text: string }[];
      };
      expect(errors).toEqual({});
      expect(timeline.filter(({ event }) => event === 'note')).toMatchObject([
        { by: 'ana@example.com', text: 'the pool is full & <closed>' },
      ]);
    }));

  it.each(['plain', 'odd'] as const)('is a reply in the thread with a %s stranger’s service', async (shape) => {
    await using team = await startBotTeam({ shape });
    const ana = team.slack.as('ana');
    team.service.openIncident({ service: 'payments' });
    const id = team.service.openIncident({ service: 'search' });
    const card = await team.card(/search/);
    await team.card(/payments/);
    await confirmed(team);

    const form = await openNote(team, 'see https://example.com');
    await ana.submit(form, { Incident: id, Note: 'restarted *it*' });

    const reply = await team.slack.waitFor(() => team.replies(card).find((text) => text.includes('Note by')));
    expect(reply).toBe('📝 Note by ana:\n> restarted *it*');
    expect(textOf(form)).toContain('see https://example.com');
    await team.directMessage('ana', /keeps no notes, so your note is a reply in the thread/);
  });

  it('waits for the card of an incident that is still being posted', async () => {
    await using team = await startBotTeam({
      before: ({ slack }) =>
        slack.faults.repeat('chat.postMessage', { kind: 'error', error: 'internal_error' }, { calls: 100 }),
    });
    const id = team.service.openIncident({ service: 'payments' });
    const { incidents, cards } = await createStore(team.database);
    await vi.waitFor(async () => expect(await incidents.find(id)).not.toBeNull(), { timeout: HANG_MS });

    const form = await openNote(team, 'the pool is full');
    await team.slack.as('ana').submit(form, {});
    await vi.waitFor(async () => expect((await cards.countWaiting()).person).toBeGreaterThan(0), { timeout: HANG_MS });
    team.slack.faults.clear();
    const card = await team.card(/payments/);

    await vi.waitFor(() => expect(team.replies(card).filter((text) => text.includes('Note by'))).toHaveLength(1), {
      timeout: HANG_MS,
    });
    await team.directMessage('ana', /your note is a reply in the thread/);
  });

  it('is not lost while the service is away', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    const card = await team.card(/payments/);
    await confirmed(team);
    const form = await openNote(team, 'the pool is full');
    team.service.setAway(true);

    await team.slack.as('ana').submit(form, {});
    const kept = await team.directMessage('ana', /Your note is saved/);
    team.service.setAway(false);

    expect(kept).toContain("I'll send it as soon as the service accepts it");
    await team.slack.waitFor(() => team.replies(card).some((text) => text.includes('> the pool is full')));
  });

  it('says that nothing is open, and is not for guests', async () => {
    await using team = await startBotTeam();

    const form = await openNote(team, 'hello');
    const message = team.slack.messages('general').at(-1);
    expect.assert(message);
    team.slack.changeChannel('general', { members: [team.slack.as('ben').id, team.slack.as('chloe').id] });
    await team.slack.as('chloe').shortcut('add_note_to_incident', message);

    expect(textOf(form)).toContain('No open incidents');
    await team.ephemeral('chloe', /Guests of this workspace can only read/, 'general');
  });
});

describe('"Open incidents"', () => {
  it('lists them in a modal, where they can be acknowledged', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);

    await team.slack.as('ana').shortcut('open_incidents');

    const list = await team.modal('ana', /payments/);
    expect(textOf(list)).toMatch(/1 open incident/);
  });

  it('opens before the service has answered, and tells guests why not', async () => {
    await using team = await startBotTeam();
    const gate = Promise.withResolvers<void>();
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    team.service.failNext({ until: gate.promise }, { path: /^\/incidents$/ });

    const opened = team.slack.as('ana').shortcut('open_incidents');
    const before = textOf(await team.modal('ana'));
    gate.resolve();
    await opened;
    await team.slack.as('chloe').shortcut('open_incidents');

    expect(before).toMatch(/Loading|payments/);
    expect(await team.directMessage('chloe', /Guests of this workspace/)).toContain('Please ask a member');
  });
});

/** A thread can be written to once the bot knows that its card was posted. */
async function confirmed(team: BotTeam): Promise<void> {
  await vi.waitUntil(async () => !/^tocsin_bot_messages_waiting\S* [1-9]/m.test(await team.metrics()), {
    timeout: HANG_MS,
  });
}
