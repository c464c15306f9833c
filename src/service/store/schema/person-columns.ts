import { idOfSlackUser } from '../../../contract/actor.ts';
import type { KeyActor, Person } from '../../core/session.ts';

/** The columns of a session or a link that say who the person is. */
export interface PersonColumns {
  readonly user_name: string;
  readonly person_name: string;
  readonly slack_user_id: string | null;
  /** null: written by the version before this column, which knew less. */
  readonly user_id: string | null;
}

export function personColumns({ user, name, slackUserId, userId }: Person): PersonColumns {
  return { user_name: user, person_name: name, slack_user_id: slackUserId, user_id: userId };
}

export function toPerson({
  user_name,
  person_name,
  slack_user_id: slackUserId,
  user_id: userId,
}: PersonColumns): Person {
  const known = slackUserId === null ? `unknown:${user_name}` : idOfSlackUser(slackUserId);
  return { user: user_name, name: person_name, slackUserId, userId: userId ?? known };
}

export function actorColumns(actor: KeyActor) {
  return typeof actor === 'string' ? { actor, actor_id: null } : { actor: actor.by, actor_id: actor.byId ?? null };
}
