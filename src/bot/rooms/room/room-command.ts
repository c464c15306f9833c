import { type Answer, type Asker, answeringResponders } from '../../listeners/answering.ts';
import { onFormClick } from '../../listeners/buttons.ts';
import type { CommandHandler } from '../../listeners/command-handler.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import { notFoundBut } from '../../listeners/failed-read.ts';
import { findReferences } from '../../listeners/references.ts';
import { whichIncident } from '../../listeners/which-incident.ts';
import type { IncidentId } from '../../slack/identifiers.ts';
import type { Rooms } from './room.ts';
import { noRoomWithout, roomAnswer, whichPrivate } from './room-words.ts';

/** What this room needs beside what all listeners share. */
export type RoomDeps = ListenerDeps & { readonly rooms: Rooms };

/** How long the person waits for the channel; after that, the thread of the card tells. */
const ANSWER_MS = 10_000;
const PRIVATE = 'private';

/** `room [<incident>] [private]`. Acknowledges once the request is stored, or once the person was told why not. */
export const handleRoom: CommandHandler<RoomDeps> = async (deps, request) => {
  const { asker, respond, ack } = request;
  const isPrivate = request.references.at(-1)?.toLowerCase() === PRIVATE;
  const references = isPrivate ? request.references.slice(0, -1) : request.references;
  await answeringResponders(deps, asker, respond, async (answer) => {
    const { ids, questions } = await findReferences(deps.store, references, { isUntaken: false, now: deps.now() });
    const [question] = questions;
    const [incidentId] = ids;
    if (question !== undefined) {
      return answer(isPrivate ? whichPrivate(question.incidents) : whichIncident('room', question));
    }
    await (incidentId === undefined
      ? answer(noRoomWithout())
      : askForRoom(deps, { incidentId, asker, isPrivate }, answer, ack));
  });
  await ack();
};

/** The choice of an incident, after a command that could mean several. */
export function createRoomListener(deps: RoomDeps) {
  return onFormClick(deps, (click, answer, onOpen) =>
    askForRoom(deps, { incidentId: click.value, asker: click, isPrivate: false }, answer, onOpen),
  );
}

async function askForRoom(
  deps: RoomDeps,
  { incidentId, asker, isPrivate }: { incidentId: IncidentId; asker: Asker; isPrivate: boolean },
  answer: Answer,
  onKept: () => Promise<void>,
): Promise<void> {
  const known = await deps.store.incidents.find(incidentId);
  if (known === null) {
    return answer(await notFoundBut(deps, incidentId, 'room'));
  }
  await deps.rooms.keep(known.incident, { by: asker.slackUserId, isPrivate });
  await onKept();
  await answer(roomAnswer(known.incident, await deps.rooms.outcome(incidentId, ANSWER_MS), isPrivate));
}
