import { describe, expect, it } from 'vitest';
import { openFrontDoor } from '../../src/app/front-door.ts';
import { createServiceClient } from '../../src/client/service-client.ts';
import { type BotTeam, eventually, startBotTeam } from '../support/bot-team.ts';
import { chooseFromMenu } from '../support/menu.ts';
import { startTestService } from '../support/test-service.ts';

type Modal = Awaited<ReturnType<BotTeam['modal']>>;

function wordsOf(modal: Modal): string {
  return JSON.stringify(modal.content.blocks);
}

async function openForm(team: BotTeam, service: string): Promise<{ readonly id: string; readonly modal: Modal }> {
  const id = team.service.openIncident({ service });
  await team.slack.as('ana').click(await team.card(new RegExp(`${id} ${service}`)), 'Resolve');
  return { id, modal: await team.modal('ana') };
}

describe('the resolve form', () => {
  it('asks once for confirmation of a one-word note, keeps it in the field, and then accepts it', async () => {
    await using team = await startBotTeam();
    const { id, modal } = await openForm(team, 'payments');

    await team.slack.as('ana').submit(modal, { 'Resolution note': 'fixed' });
    const asking = await team.modal('ana', /A one-word note may not help/);
    expect(team.service.incident(id).status).toBe('open');
    expect(wordsOf(asking)).toContain('"initial_value":"fixed"');

    await team.slack.as('ana').submit(asking, { 'Resolution note': 'fixed' });
    await team.ephemeral('ana', /You closed/);
    expect(team.service.incident(id).resolutionNote).toBe('fixed');
  });

  it('adds the note of the person who closed second to the timeline, once', async () => {
    await using team = await startBotTeam({ hasAdditions: true });
    const { id, modal } = await openForm(team, 'payments');
    await team.slack.as('ben').command('incidents', `/incidents resolve ${id} rolled back`);
    await team.ephemeral('ben', /You closed/);

    await team.slack.as('ana').submit(modal, { 'Resolution note': 'I restarted the pods' });
    const late = await team.ephemeral('ana', /already closed[\s\S]*I restarted the pods/);
    await team.slack.as('ana').click(late, 'Add to the timeline');
    await team.ephemeral('ana', /Your note was added to the timeline/);
    await team.slack.as('ana').click(late, 'Add to the timeline');

    const incident = await createServiceClient({
      baseUrl: team.service.baseUrl,
      apiKey: team.service.apiKey,
    }).getIncident(id);
    expect(incident.resolution_note).toBe('rolled back');
    expect(incident.timeline?.filter(({ event }) => event === 'note').map(({ text }) => text)).toEqual([
      'I restarted the pods',
    ]);
  });

  it('offers earlier notes of the same root service, and appends one to what was typed', async () => {
    await using team = await startBotTeam();
    const first = await openForm(team, 'payments');
    await team.slack.as('ana').submit(first.modal, { 'Resolution note': 'rolled back 1.2.3' });
    await team.card(/Closed by ana/);
    const other = team.service.openIncident({ service: 'orders' });
    await team.slack.as('ana').command('incidents', `/incidents resolve ${other} a note of another service`);
    await team.ephemeral('ana', /You closed .*orders/);

    const { id, modal } = await openForm(team, 'payments');
    expect(wordsOf(modal)).toMatch(/How `payments` was fixed before.*> rolled back 1\.2\.3.*Closed by ana/);
    expect(wordsOf(modal)).not.toContain('another service');
    await team.slack.as('ana').click(modal, 'Use this note', null, { 'Resolution note': 'again:' });
    const filled = await team.modal('ana', /"initial_value":"again:\\nrolled back 1\.2\.3"/);

    await team.slack.as('ana').submit(filled, {});
    await eventually(() => team.service.incident(id).status === 'closed');
    expect(team.service.incident(id).resolutionNote).toBe('again:\nrolled back 1.2.3');
  });

  it('warns about firing signals, without changing what is being typed', async () => {
    await using service = await startTestService();
    await using door = await openFrontDoor('127.0.0.1', 0);
    door.handlers.service = service.service.fetch;
    const address = { baseUrl: `${door.url}/v1`, apiKey: service.readWriteKey };
    await using team = await startBotTeam({ service: address, pollMs: 50 });
    await service.failIn(['payments']);
    await service.openIncident();
    await team.slack.as('ana').click(await team.card(/payments/), 'Resolve');

    const modal = await team.modal('ana', /Still failing.*1 signal from/);

    expect(wordsOf(modal)).toMatch(/1 signal from `payments`, last seen <!date/);
    service.service.endStreams();
  });
});

describe('a form that is submitted again because Slack did not show the acknowledgement', () => {
  it('stays open with the second note, because the first one was processed', async () => {
    await using team = await startBotTeam();
    const { id, modal } = await openForm(team, 'payments');
    team.slack.faults.dropAcks(1);

    await team.slack.as('ana').submit(modal, { 'Resolution note': 'the first words' });
    await team.ephemeral('ana', /You closed/);
    const again = await team.slack.as('ana').submit(modal, { 'Resolution note': 'some other words' });

    expect(Object.values(again.errors)).toEqual([expect.stringMatching(/already submitted and processed/)]);
    expect(again.shown).toBeNull();
    expect(team.service.incident(id).resolutionNote).toBe('the first words');
  });
});

describe('a pending action', () => {
  it('can be cancelled by its person, who gets the note back, and disappears from the card', async () => {
    await using team = await startBotTeam();
    const { id, modal } = await openForm(team, 'payments');
    team.service.setAway(true);
    await team.slack.as('ana').submit(modal, { 'Resolution note': 'my own words' });
    const kept = await team.ephemeral('ana', /Your note is saved/);
    await team.card(/Waiting for the incident service: resolution by /);

    await team.slack.as('ana').click(kept, 'Cancel');

    const answer = await team.ephemeral('ana', /Your resolution is cancelled/);
    expect(answer.text).toMatch(
      /accepted an earlier attempt, the card will show it\.\nYour note as you typed it:\nmy own words$/,
    );
    await team.slack.waitFor(() => team.cards().find(({ text }) => !text.includes('waiting for')));
    team.service.setAway(false);
    await team.slack.as('ana').click(kept, 'Cancel');
    await team.ephemeral('ana', /nothing left to cancel/);
    expect(team.service.incident(id).status).toBe('open');
  });
});

it('adds a note from the menu of a card, also of a closed one', async () => {
  await using team = await startBotTeam({ hasAdditions: true });
  const ana = team.slack.as('ana');
  const id = team.service.openIncident({ service: 'payments' });
  const write = async (note: string) => {
    await chooseFromMenu(team.slack, 'ana', await team.card(new RegExp(`${id} payments`)), 'Add a note');
    await ana.submit(await team.modal('ana', /Incident/), { Note: note });
    await eventually(() => team.service.notes.some(({ text }) => text === note));
  };

  await write('the vendor is informed');
  team.service.closeIncident(id);
  await team.card(/Closed/);
  await write('it was a certificate');

  expect(team.service.notes.map(({ text }) => text)).toEqual(['the vendor is informed', 'it was a certificate']);
});
