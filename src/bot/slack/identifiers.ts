/**
 * Identifiers that the compiler tells apart: one that is declared with its kind is not accepted where another kind is
 * asked for, for example a person in place of a channel. A plain string, as Slack and the service send it, is accepted
 * where it enters. They are strings when the bot runs.
 */
type Identifier<Kind extends string> = string & { readonly [kindOf]?: Kind };
declare const kindOf: unique symbol;

export type IncidentId = Identifier<'incident'>;
export type StormId = Identifier<'storm'>;
/** A stored action of a person, unlike the `action_id` of a button. */
export type ActionId = Identifier<'action'>;
/** A message of the protocol, unlike the `ts` by which Slack knows it. */
export type MessageId = Identifier<'message'>;
export type ChannelId = Identifier<'channel'>;
export type SlackUserId = Identifier<'person'>;
/** Where messages go: a channel, or a person's direct messages or Home tab. */
export type PlaceId = ChannelId | SlackUserId;

export function isPerson(placeId: PlaceId): placeId is SlackUserId {
  return /^[UW]/.test(placeId);
}
