import type { Person } from '../../core/session.ts';

/** The columns of a session or a link that say who the person is. */
export interface PersonColumns {
  readonly user_name: string;
  readonly person_name: string;
  readonly slack_user_id: string | null;
}

export function personColumns({ user, name, slackUserId }: Person): PersonColumns {
  return { user_name: user, person_name: name, slack_user_id: slackUserId };
}

export function toPerson({ user_name, person_name, slack_user_id }: PersonColumns): Person {
  return { user: user_name, name: person_name, slackUserId: slack_user_id };
}
