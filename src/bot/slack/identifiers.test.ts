import { expect, it } from 'vitest';
import type { ActionId, ChannelId, IncidentId, MessageId, PlaceId, SlackUserId, StormId } from './identifiers.ts';

it('rejects an identifier of another kind at compile time', () => {
  const person: SlackUserId = 'U1';
  const place: PlaceId = person;
  const incident: IncidentId = 'inc-1';
  const message: MessageId = '1';

  // @ts-expect-error -- a person is no channel
  const channel: ChannelId = person;
  // @ts-expect-error -- a place may be a person
  const channelOfPlace: ChannelId = place;
  // @ts-expect-error -- an incident is no storm
  const storm: StormId = incident;
  // @ts-expect-error -- a message is no action
  const action: ActionId = message;

  expect([channel, channelOfPlace, storm, action]).toEqual(['U1', 'U1', 'inc-1', '1']);
});
