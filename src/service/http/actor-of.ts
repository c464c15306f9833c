import { type Actor, idOfKey } from '../../contract/actor.ts';

interface Named<User> {
  readonly user: User;
  readonly user_id?: string | undefined;
}

/** Who acts by a request: the person whom the caller vouches for, or a name that a holder of the key typed. */
export function actorOf({ user, user_id: userId }: Named<string>, keyName: string): Actor {
  return { by: user, byId: userId ?? idOfKey({ name: keyName }) };
}

/** @returns null: the request names nobody */
export function somebody({ user, user_id }: Partial<Named<string | undefined>>, keyName: string): Actor | null {
  return user === undefined ? null : actorOf({ user, user_id }, keyName);
}
