import { describe, expect, it } from 'vitest';
import { ACTIONS } from '../../src/bot/blocks/ids.ts';
import { type BotTeam, eventually, startBotTeam } from '../support/bot-team.ts';

const COMBINATIONS = [
  { transport: 'socket', shape: 'plain' },
  { transport: 'http', shape: 'odd' },
] as const;

/** The labels of a message's buttons, in order. */
function buttons(message: { blocks: readonly unknown[] }): string[] {
  const labels: string[] = [];
  JSON.stringify(message.blocks, (_key, value: unknown) => {
    const { type, text } = Object(value);
    if (type === 'button') {
      labels.push(text.text);
    }
    return value;
  });
  return labels;
}

function openMany(team: BotTeam, count: number): string[] {
  const start = Date.now() - count * 60_000;
  return Array.from({ length: count }, (_, index) =>
    team.service.openIncident({ service: `service-${index + 1}`, openedAt: new Date(start + index * 60_000) }),
  );
}

describe.each(COMBINATIONS)('over $transport, with a stranger service of the $shape shape', (combination) => {
  /** The odd service tells when its signals were seen, so the person is asked first. */
  async function resolve(team: BotTeam, person: string, words: string): Promise<void> {
    await team.slack.as(person).command('incidents', `/incidents resolve ${words}`);
    if (combination.shape === 'odd') {
      await team.slack
        .as(person)
        .click(await team.ephemeral(person, /still failing.*Resolve anyway\?/), 'Resolve anyway');
    }
  }

  it('posts a card for an incident, with all information in the text', async () => {
    await using team = await startBotTeam(combination);

    team.service.openIncident({ service: 'payments', signals: [{ type: 'trace' }, { type: 'log' }] });

    const card = await team.card(/payments/);
    expect(card.text).toMatch(/Not acknowledged/);
    expect(card.text).toMatch(/2 signals/);
    expect(card.text).toMatch(/ · opened <!date\^\d+\^\{ago\}\|\d{4}-[^>]+ UTC>/);
    expect(buttons(card)).toEqual(['Acknowledge', 'Resolve']); // and a menu
  });

  it('lists the open incidents that are open longest first, ten per page, in place of one another', async () => {
    await using team = await startBotTeam(combination);
    openMany(team, 12);

    await team.slack.as('ana').command('incidents', '/incidents open');
    const first = await team.ephemeral('ana', /^12 open incidents/);
    await team.slack.as('ana').click(first, 'More');
    const second = await team.ephemeral('ana', /11 to 12/);

    const services = (text: string) => [...text.matchAll(/ (service-\d+)$/gm)].map((match) => match[1]);
    expect(services(first.text)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((number) => `service-${number}`));
    expect(services(second.text)).toEqual(['service-11', 'service-12']);
    expect(team.slack.ephemerals('ana', 'incidents')).toHaveLength(1);
  });

  it('shows one incident with its signals', async () => {
    await using team = await startBotTeam(combination);
    const id = team.service.openIncident({ service: 'payments', signals: [{ type: 'metric', service: 'ledger' }] });

    await team.slack.as('ana').command('incidents', `/incidents show ${id}`);

    const shown = await team.ephemeral('ana', /payments/);
    expect(shown.text).toMatch(/metric `ledger`/);
    expect(buttons(shown)).toEqual(['Acknowledge', 'Resolve', 'Signals']);
  });

  it('acknowledges with a button, shows who did it, and confirms it to the person', async () => {
    await using team = await startBotTeam(combination);
    const id = team.service.openIncident({ service: 'payments' });

    await team.slack.as('ana').click(await team.card(/payments/), 'Acknowledge');

    await team.ephemeral('ana', /You acknowledged/);
    const card = await team.card(/Acknowledged by ana /);
    expect(buttons(card)).toEqual(['Resolve', 'Show', 'Signals']);
    expect(team.service.incident(id).acknowledgedBy).toBe('ana@example.com');
    expect(team.cards()).toHaveLength(1);
    await team.slack.as('ben').command('incidents', '/incidents open');
    await team.ephemeral('ben', /^1 open incident [^\n]*\n.*\nAcknowledged by ana/);
  });

  it('acknowledges and resolves with commands, and edits the card in place', async () => {
    await using team = await startBotTeam(combination);
    const id = team.service.openIncident({ service: 'payments' });
    const { ts } = await team.card(/payments/);

    await team.slack.as('ben').command('incidents', `/incidents ack ${id}`);
    await team.ephemeral('ben', /You acknowledged/);
    await resolve(team, 'ben', `${id} rolled back  1.2.3 & <restarted>`);
    await team.ephemeral('ben', /You closed/);

    const card = await team.card(/Closed by ben,/);
    expect(card.ts).toBe(ts);
    expect(card.text).toMatch(/rolled back {2}1\.2\.3 &amp; &lt;restarted&gt;/);
    expect(team.service.incident(id).resolutionNote).toBe('rolled back  1.2.3 & <restarted>');
  });

  it('sends a note from the form to the service exactly as typed', async () => {
    await using team = await startBotTeam(combination);
    const id = team.service.openIncident({ service: 'payments' });
    const note = '  rolled back\n\n\tto 1.2.3 &lt;b&gt; & <!channel> 🚒 :fire: *done*  ';

    await team.slack.as('ana').click(await team.card(/payments/), 'Resolve');
    const { errors } = await team.slack.as('ana').submit(await team.modal('ana'), { 'Resolution note': note });

    expect(errors).toEqual({});
    await team.ephemeral('ana', /You closed/);
    expect(team.service.incident(id)).toMatchObject({ status: 'closed', resolutionNote: note });
    const card = await team.card(/Closed/);
    expect(JSON.stringify(card)).not.toContain('<!channel>');
    expect(team.slack.openViews('ana')).toEqual([]);
  });

  it('answers the second of two concurrent clicks with what the first one did', async () => {
    await using team = await startBotTeam(combination);
    team.service.openIncident({ service: 'payments' });
    const card = await team.card(/payments/);

    await Promise.all(['ana', 'ben'].map((person) => team.slack.as(person).click(card, 'Acknowledge')));

    const answers = await Promise.all(['ana', 'ben'].map((person) => team.ephemeral(person, /acknowledged/)));
    const winners = answers.filter((answer) => answer.text.includes('You acknowledged'));
    const losers = answers.filter((answer) => /already acknowledged.*Acknowledged by (ana|ben),/.test(answer.text));
    expect([winners.length, losers.length]).toEqual([1, 1]);
    expect(team.service.requests.filter(({ path }) => path.endsWith('/acknowledge'))).toHaveLength(1);
  });

  it('answers a late click that the incident is closed, and does not write', async () => {
    await using team = await startBotTeam(combination);
    const id = team.service.openIncident({ service: 'payments' });
    const card = await team.card(/payments/);
    team.service.closeIncident(id);

    await team.slack.as('ana').click(card, 'Acknowledge');

    await team.ephemeral('ana', /is already closed, so nothing was changed/);
    expect(team.service.requests.filter(({ method, path }) => method === 'POST' && path.includes(id))).toEqual([]);
    expect(buttons(await team.card(/Closed/))).toEqual(['Show', 'Signals']);
  });

  it('saves a note while the service is down, shows that on the card, and sends it later', async () => {
    await using team = await startBotTeam(combination);
    const id = team.service.openIncident({ service: 'payments' });
    await team.slack.as('ana').click(await team.card(/payments/), 'Resolve');
    const modal = await team.modal('ana');

    team.service.setAway(true);
    await team.slack.as('ana').submit(modal, { 'Resolution note': 'failed over by hand' });
    await team.ephemeral('ana', /is not responding right now.*Your note is saved/);
    await team.card(/Waiting for the incident service: resolution by ana/);
    team.service.setAway(false);

    await team.directMessage('ana', /You closed/);
    expect(team.service.incident(id).resolutionNote).toBe('failed over by hand');
    const card = await team.card(/Closed by ana,/);
    expect(card.text).not.toMatch(/waits/);
  });

  it('creates no second card and no second integration after a restart', async () => {
    await using team = await startBotTeam(combination);
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    await eventually(() => team.service.integrations.length === 1);

    await team.restartBot();
    await team.startAnotherBot();
    await resolve(team, 'ana', `${id} done`);
    await team.card(/Closed/);

    expect(team.cards()).toHaveLength(1);
    expect(team.service.integrations).toHaveLength(1);
    expect(team.service.integrations[0]?.request).toMatchObject({
      type: 'slack',
      config: { team_id: 'T0LOCAL001', app_id: 'A0LOCAL001' },
    });
  });

  it('posts one card when Slack stores the message but answers 502', async () => {
    await using team = await startBotTeam(combination);
    team.slack.faults.next('chat.postMessage', { kind: 'stored-then-502' });

    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    await resolve(team, 'ana', `${id} done`);
    await team.card(/Closed/);

    expect(team.cards()).toHaveLength(1);
  });
});

describe('a person is told', () => {
  it('which word was probably meant', async () => {
    await using team = await startBotTeam();

    await team.slack.as('ana').command('incidents', '/incidents shwo <!channel>');

    const answer = await team.ephemeral('ana', /Unknown command/);
    expect(answer.text).toContain('Did you mean `/incidents show`?');
  });

  it('that an incident does not exist', async () => {
    await using team = await startBotTeam();

    await team.slack.as('ana').command('incidents', '/incidents ack #404');

    const answer = await team.ephemeral('ana', /has no incident 404/);
    expect(answer.text).toContain('`/incidents open` lists the open ones');
  });

  it('that the service is not responding', async () => {
    await using team = await startBotTeam();
    team.service.setAway(true);

    await team.slack.as('ana').command('incidents', '/incidents show never-seen');

    const answer = await team.ephemeral('ana', /is not responding right now/);
    expect(answer.text).toContain('Please try again');
  });

  it('the unused note if somebody else was faster', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    await team.slack.as('ana').click(await team.card(/payments/), 'Resolve');
    const modal = await team.modal('ana');
    team.service.closeIncident(id);

    await team.slack.as('ana').submit(modal, { 'Resolution note': 'my *own* words <here>' });

    const answer = await team.ephemeral('ana', /is already closed/);
    expect(answer.text).toContain('Your note was not added. Here it is:\nmy *own* words &lt;here&gt;');
    expect(JSON.stringify(answer.blocks)).toContain('my *own* words <here>');
  });
});

it('has buttons that work although the card was edited while one was pressed', async () => {
  await using team = await startBotTeam();
  const id = team.service.openIncident({ service: 'payments' });
  const drawn = await team.card(/payments/);
  const blockId = String(Object(drawn.blocks.at(-1)).block_id);

  team.service.addSignals(
    id,
    Array.from({ length: 20 }, () => ({ type: 'log' as const })),
  );
  const edited = await team.card(/21 signals/);
  await team.slack.as('ana').click(edited, { blockId, actionId: ACTIONS.acknowledge });

  expect(buttons(await team.card(/Acknowledged by ana/))).toContain('Resolve');
});

describe('text from the service', () => {
  it('never becomes a mention, a link or a forged line in the channel', async () => {
    await using team = await startBotTeam();

    team.service.openIncident({ service: '<!channel> <@U0ANA00001> @here\n✅ *Closed* <https://evil.example|ok>' });

    const card = await team.card(/evil/);
    const whole = JSON.stringify([card.text, card.blocks]);
    expect(whole).not.toMatch(/<(?!!date\^)/);
    expect(card.text).toMatch(/&lt;!channel&gt;/);
    expect(card.text.split('\n')).toHaveLength(4);
  });
});
