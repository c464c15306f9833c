import { describe, expect, it } from 'vitest';
import { openFrontDoor } from '../../src/app/front-door.ts';
import { NotOfferedError, ServiceResponseError } from '../../src/client/errors.ts';
import { Incident } from '../../src/contract/resources.ts';
import { startLoopback } from '../support/loopback.ts';
import { startStrangerService } from '../support/stranger-service.ts';
import { SHAPES, type ShapeName } from '../support/stranger-shapes.ts';
import { startTestService } from '../support/test-service.ts';
import { clientOf, failure, reply } from './client-fixture.ts';

const SHAPE_NAMES = Object.keys(SHAPES) as ShapeName[]; // what Object.keys gives

type Client = ReturnType<typeof clientOf>['client'];

const CALLS: readonly [string, (client: Client) => Promise<unknown>][] = [
  ['unacknowledgeIncident', (client) => client.unacknowledgeIncident('inc_7', { user: 'ana' })],
  ['reopenIncident', (client) => client.reopenIncident('inc_7', { user: 'ana' })],
  ['addNote', (client) => client.addNote('inc_7', { user: 'ana', text: 'looking' })],
  ['listMutes', (client) => client.listMutes()],
  ['createMute', (client) => client.createMute({ target: 'service', value: 'cart', until: new Date(), user: 'ana' })],
  ['deleteMute', (client) => client.deleteMute('mut_1', { user: 'ana' })],
];

describe.each(CALLS)('%s', (_name, call) => {
  it.each([404, 405, 501])('says that a service that answers %i does not offer it', async (status) => {
    await using server = await startLoopback(reply(status, 'not here'));
    await using calls = clientOf(server);

    expect(await failure(call(calls.client))).toBeInstanceOf(NotOfferedError);
  });

  it.each(['incident-not-found', 'mute-not-found'])('takes the code %s of ours for what it says', async (code) => {
    await using server = await startLoopback(reply(404, JSON.stringify({ status: 404, code })));
    await using calls = clientOf(server);

    const error = await failure(call(calls.client));

    expect(error).toBeInstanceOf(ServiceResponseError);
    expect(error).not.toBeInstanceOf(NotOfferedError);
  });

  it.each(SHAPE_NAMES)('is not offered by a service that knows only the API document, in shape %s', async (shape) => {
    await using stranger = await startStrangerService({ shape });
    await using calls = clientOf({ url: stranger.baseUrl.replace(/\/v1$/, '') }, { apiKey: stranger.apiKey });

    expect(await failure(call(calls.client))).toBeInstanceOf(NotOfferedError);
  });
});

/** A client of our service, and an incident that Ana has acknowledged. */
async function startAcknowledged() {
  await using scope = new AsyncDisposableStack();
  const tocsin = scope.use(await startTestService());
  const door = scope.use(await openFrontDoor('127.0.0.1', 0));
  door.handlers.service = tocsin.service.fetch;
  const { client } = scope.use(clientOf(door, { apiKey: tocsin.readWriteKey }));
  const declared = { title: 'no payments', service: 'payments', severity: 'error' } as const; // only people change it
  const { id } = Incident.parse(await (await tocsin.call('POST', '/incidents', { body: declared })).json());
  await client.acknowledgeIncident(id, { user: 'ana' });
  const resources = scope.move();
  return { tocsin, client, id, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

it('refuses an undo of a state that has changed since it was read', async () => {
  await using acknowledged = await startAcknowledged();
  const { client, id } = acknowledged;
  const { etag: old } = await client.getTaggedIncident(id);
  await client.addNote(id, { user: 'ben', text: 'looking' });

  const refused = await failure(client.unacknowledgeIncident(id, { user: 'ana', ifMatch: old }));
  const { etag } = await client.getTaggedIncident(id);
  const undone = await client.unacknowledgeIncident(id, { user: 'ana', ifMatch: etag });

  expect(refused).toMatchObject({ status: 412, problem: { code: 'incident-changed' } });
  expect(undone).toMatchObject({ acknowledged: false });
});

it('undoes, notes and mutes at our service', async () => {
  await using acknowledged = await startAcknowledged();
  const { tocsin, client, id } = acknowledged;

  const unacknowledged = await client.unacknowledgeIncident(id, { user: 'ana', reason: 'not mine' });
  await client.resolveIncident(id, { resolutionNote: 'restarted', user: 'ana' });
  const reopened = await client.reopenIncident(id, { user: 'ana' });
  const noted = await client.addNote(id, { user: 'ana', text: 'looking' });
  const until = new Date(tocsin.now().getTime() + 3_600_000);
  const mute = await client.createMute({ target: 'service', value: 'payments', until, user: 'ana' });

  expect(unacknowledged).toMatchObject({ acknowledged: false, mute: null });
  expect(reopened).toMatchObject({ status: 'open' });
  expect(noted?.timeline?.at(-1)).toMatchObject({ event: 'note', by: 'ana (by key test)', text: 'looking' });
  expect(await client.listMutes()).toEqual([mute]);
  expect(await client.getIncident(id)).toMatchObject({ mute });
  await client.deleteMute(mute.id, { user: 'ana' });
  expect(await client.listMutes()).toEqual([]);
});
