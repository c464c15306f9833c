import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { migrations } from '../../src/bot/migrations.ts';
import { createStore } from '../../src/bot/store.ts';
import { BOT_SCHEMA, type Tables } from '../../src/bot/tables.ts';
import { type BotTeam, eventually, problemOf, startBotTeam } from '../support/bot-team.ts';

const RESOLVE = { method: 'POST', path: /resolve$/ };
const ACKNOWLEDGE = { method: 'POST', path: /acknowledge$/ };

function refusal(status: number, body = 'no') {
  return { status, contentType: 'text/plain', body };
}

async function openAndShown(team: BotTeam): Promise<string> {
  const id = team.service.openIncident({ service: 'payments' });
  await team.card(/payments/);
  return id;
}

function writes(team: BotTeam, action: string): number {
  return team.service.requests.filter(({ method, path }) => method === 'POST' && path.endsWith(action)).length;
}

describe('a write whose response is lost', () => {
  it('is read back and not sent again', async () => {
    await using team = await startBotTeam();
    const id = await openAndShown(team);
    team.service.failNext('drop after', RESOLVE);

    await team.slack.as('ana').command('incidents', `/incidents resolve ${id} done`);

    await team.ephemeral('ana', /You closed/);
    expect(writes(team, '/resolve')).toBe(1);
    expect((await team.card(/Closed by ana/)).text).toContain('> done');
  });

  it('is saved if it did not happen, and its outcome is reported later', async () => {
    await using team = await startBotTeam();
    const id = await openAndShown(team);
    team.service.failNext(refusal(500), RESOLVE);

    await team.slack.as('ana').command('incidents', `/incidents resolve ${id} done`);

    await team.ephemeral('ana', /is returning errors right now.*Your note is saved/);
    await team.directMessage('ana', /You closed/);
    expect(team.service.incident(id).resolutionNote).toBe('done');
  });
});

describe('a write that the service refuses', () => {
  it('because of the API key is saved, and sent once the key may write', async () => {
    await using team = await startBotTeam();
    const id = await openAndShown(team);
    team.service.failNext(refusal(403), ACKNOWLEDGE);

    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);

    await team.ephemeral('ana', /refuses my API key.*INCIDENTS_API_KEY.*Your acknowledgement is saved/);
    await team.directMessage('ana', /You acknowledged/);
    expect(team.service.incident(id).acknowledgedBy).toBe('ana@example.com');
  });

  it('is answered with the reason and the note', async () => {
    await using team = await startBotTeam();
    const id = await openAndShown(team);
    team.service.failNext(refusal(422, 'a note needs a verb'), RESOLVE);

    await team.slack.as('ana').command('incidents', `/incidents resolve ${id} done`);

    const answer = await team.ephemeral('ana', /refused the request/);
    expect(answer.text).toContain('a note needs a verb');
    expect(answer.text).toContain('Your note was not added. Here it is:\ndone');
    expect(writes(team, '/resolve')).toBe(1);
  });
});

describe('a write that the service shows with another spelling', () => {
  it('counts as done if only white space of the note differs', async () => {
    await using team = await startBotTeam();
    team.service.showMore(({ resolutionNote }) => ({ resolution_note: resolutionNote?.replace(/\s+/g, ' ').trim() }));
    await openAndShown(team);
    await team.slack.as('ana').click(await team.card(/payments/), 'Resolve');
    await team.slack.as('ana').submit(await team.modal('ana'), { 'Resolution note': ' disk full\nrotated logs\n' });

    await team.ephemeral('ana', /You closed .* Your note was added/);
    const audit = (await createStore(team.database)).auditLog.list(team.slack.as('ana').id);
    expect((await audit).map(({ outcome }) => outcome)).toEqual(['done']);
  });

  it('is reported as the service shows it, if the name may be of another person', async () => {
    await using team = await startBotTeam();
    team.service.showMore(({ acknowledgedBy }) => ({ acknowledged_by: acknowledgedBy === null ? null : 'Ana Lima' }));
    await openAndShown(team);

    await team.slack.as('ana').click(await team.card(/payments/), 'Acknowledge');

    const { text } = await team.ephemeral('ana', /accepted your acknowledgement of/);
    expect(text).toMatch(/ payments and shows: Acknowledged by Ana Lima\.$/);
    await team.slack.as('ben').command('incidents', '/incidents ack incident-1');
    await team.ephemeral('ben', /already acknowledged, so nothing was changed\. Acknowledged by Ana Lima/);
  });

  it('is not reported as done if the service does not show it', async () => {
    await using team = await startBotTeam();
    team.service.showMore(() => ({ acknowledged: false }));
    await openAndShown(team);

    await team.slack.as('ana').click(await team.card(/payments/), 'Acknowledge');

    const { text } = await team.ephemeral('ana', /accepted your acknowledgement of/);
    expect(text).toContain('payments but still shows it as not acknowledged');
    expect(team.cards()).toMatchObject([{ text: expect.stringContaining('Not acknowledged') }]);
  });

  it('is answered with both notes if the service shows another one', async () => {
    await using team = await startBotTeam();
    team.service.showMore(({ resolutionNote }) => ({ resolution_note: resolutionNote?.slice(0, 4) }));
    const id = await openAndShown(team);

    await team.slack.as('ana').command('incidents', `/incidents resolve ${id} rolled back`);

    const { text } = await team.ephemeral('ana', /accepted your resolution of/);
    expect(text).toMatch(/shows: Closed by ana.*:\n> roll\nYour note as you typed it:\nrolled back$/);
  });
});

describe('an incident that is resolved twice', () => {
  it('is closed by the second attempt if the service accepted the first one without closing it', async () => {
    await using team = await startBotTeam();
    const id = await openAndShown(team);
    team.service.failNext({ status: 202 }, RESOLVE);
    await team.slack.as('ana').command('incidents', `/incidents resolve ${id} a first try`);
    await team.ephemeral('ana', /accepted your resolution .* but still shows it as open/);

    await team.slack.as('ben').command('incidents', `/incidents resolve ${id} rolled back`);

    await team.ephemeral('ben', /You closed/);
    expect((await team.card(/Closed by ben/)).text).toContain('> rolled back');
  });

  it('can be acknowledged and closed again after the service has reopened it', async () => {
    await using team = await startBotTeam();
    const id = await openAndShown(team);
    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    await team.ephemeral('ana', /You acknowledged/);
    await team.slack.as('ana').command('incidents', `/incidents resolve ${id} a first try`);
    await team.card(/Closed by ana/);

    team.service.reopenIncident(id);
    await team.slack.as('ben').click(await team.card(/Not acknowledged/), 'Acknowledge');
    await team.card(/Acknowledged by ben/);
    await team.slack.as('ben').command('incidents', `/incidents resolve ${id} rolled back`);

    await team.ephemeral('ben', /You closed/);
    expect((await team.card(/Closed by ben/)).text).toContain('> rolled back');
  });
});

it('does not acknowledge a click that the database refuses, so that Slack shows an error', async () => {
  await using team = await startBotTeam();
  const id = await openAndShown(team);
  const db = await team.database.open<Tables>(BOT_SCHEMA, migrations);
  await sql`alter table actions add check (kind <> 'acknowledge')`.execute(db);

  const { ack } = await team.slack.as('ana').click(await team.card(/payments/), 'Acknowledge');

  expect(ack?.kind).not.toBe('acked');
  expect(team.service.incident(id).acknowledgedBy).toBeNull();
});

describe('a pending action', () => {
  it('survives a restart of the bot', async () => {
    await using team = await startBotTeam();
    const id = await openAndShown(team);
    team.service.setAway(true);
    await team.slack.as('ana').command('incidents', `/incidents resolve ${id} by hand`);
    await team.ephemeral('ana', /Your note is saved/);

    await team.restartBot();
    const kept = await problemOf(team, 'pending actions');
    team.service.setAway(false);

    await team.directMessage('ana', /You closed/);
    expect(kept).toMatch(/^1 wait/);
    expect(team.service.incident(id).resolutionNote).toBe('by hand');
  });

  it('is answered with its note if somebody else closed the incident meanwhile', async () => {
    await using team = await startBotTeam();
    const id = await openAndShown(team);
    team.service.setAway(true);
    await team.slack.as('ana').command('incidents', `/incidents resolve ${id} my words`);
    await team.ephemeral('ana', /Your note is saved/);

    team.service.closeIncident(id);
    team.service.setAway(false);

    expect(await team.directMessage('ana', /already closed/)).toContain('Here it is:\nmy words');
    expect((await team.card(/Closed(?![\s\S]*waits)/)).text).toContain('payments');
  });

  it('is one line on the card and one write in the audit log, even after several clicks', async () => {
    await using team = await startBotTeam();
    await openAndShown(team);
    const ana = team.slack.as('ana');
    const waiting = () =>
      team.cards()[0]?.text.match(/Waiting for the incident service: acknowledgement by ana/g)?.length;
    const { auditLog } = await createStore(team.database);
    const ends = async () =>
      (await auditLog.list(ana.id)).map(({ outcome }) => outcome).filter((end) => end !== 'kept');
    team.service.setAway(true);
    for (let clicks = 1; clicks <= 3; clicks += 1) {
      await ana.click(await team.card(/payments/), 'Acknowledge');
      await eventually(() => team.slack.ephemerals('ana', 'incidents').length === clicks);
    }

    await eventually(() => waiting() === 1);
    team.service.setAway(false);

    await team.card(/Acknowledged by ana/);
    await eventually(async () => (await ends()).length === 3);
    expect((await ends()).toSorted()).toEqual(['already', 'already', 'done']);
    expect(writes(team, '/acknowledge')).toBe(1);
  });

  it('is reported in the channel if Slack refuses the direct message', async () => {
    await using team = await startBotTeam();
    const id = await openAndShown(team);
    team.service.setAway(true);
    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    await team.ephemeral('ana', /is saved/);
    const refused = () => team.slack.calls.some(({ verdict }) => verdict === 'not_allowed');

    team.slack.faults.next('chat.postMessage', { kind: 'error', error: 'not_allowed' });
    team.service.setAway(false);
    await team.slack.waitFor(refused);

    expect((await team.ephemeral('ana', /You acknowledged/)).text).toContain('payments');
    expect(writes(team, '/acknowledge')).toBe(1);
  });
});
