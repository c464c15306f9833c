import type { ButtonArgs } from './buttons.ts';

/** Slack opens the page of a link button itself, but sends the click too. */
export async function onLink({ ack }: Pick<ButtonArgs, 'ack'>): Promise<void> {
  await ack();
}
