import type { Generated } from 'kysely';

export const BOT_SCHEMA = 'bot';

/**
 * The bot's tables. Each is declared beside the statements of its owner, which adds it to this interface. Times are from
 * the database's clock (`clock_now()`) unless stated otherwise.
 */
export interface Tables {
  /** See `effects/kept-effects.ts`, which alone reads and writes it. */
  effects: { id: Generated<string>; subject: string };
}
