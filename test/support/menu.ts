import type { LocalSlack } from 'local-slack';
import { ACTIONS } from '../../src/bot/blocks/ids.ts';

/** Chooses from the menu below an incident, by its label. */
export async function chooseFromMenu(
  slack: LocalSlack,
  person: string,
  message: ReturnType<LocalSlack['messages']>[number],
  label: string,
) {
  const options = (message.blocks ?? []).flatMap((block): { text: { text: string }; value: string }[] =>
    (Object(block).elements ?? []).flatMap((element: object) => Object(element).options ?? []),
  );
  const value = options.find(({ text }) => text.text === label)?.value ?? '';
  return slack.as(person).click(message, ACTIONS.more, value);
}
