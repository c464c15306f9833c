import { SlackError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { Message } from './model.ts';

/** Syntax of an emoji name. Whether the emoji exists is not checked. */
const EMOJI_NAME = /^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/;

/** @throws SlackError invalid_name */
export function checkEmojiName(name: string): void {
  if (!EMOJI_NAME.test(name)) {
    throw new SlackError('invalid_name');
  }
}

/** @throws SlackError invalid_name, already_reacted, too_many_reactions, too_many_emoji */
export function addReaction(message: Message, name: string, userId: string): Message {
  checkEmojiName(name);
  const own = message.reactions.filter(({ users }) => users.includes(userId));
  if (own.some((reaction) => reaction.name === name)) {
    throw new SlackError('already_reacted');
  }
  if (own.length >= LIMITS.reactionsPerPerson) {
    throw new SlackError('too_many_reactions');
  }
  if (message.reactions.some((reaction) => reaction.name === name)) {
    const reactions = message.reactions.map((reaction) =>
      reaction.name === name ? { name, users: [...reaction.users, userId] } : reaction,
    );
    return { ...message, reactions };
  }
  if (message.reactions.length >= LIMITS.emojiPerMessage) {
    throw new SlackError('too_many_emoji');
  }
  return { ...message, reactions: [...message.reactions, { name, users: [userId] }] };
}

/** @throws SlackError no_reaction */
export function removeReaction(message: Message, name: string, userId: string): Message {
  if (!message.reactions.some((reaction) => reaction.name === name && reaction.users.includes(userId))) {
    throw new SlackError('no_reaction');
  }
  const reactions = message.reactions
    .map((reaction) =>
      reaction.name === name ? { name, users: reaction.users.filter((user) => user !== userId) } : reaction,
    )
    .filter(({ users }) => users.length > 0);
  return { ...message, reactions };
}
