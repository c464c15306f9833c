import type { StoredAttempt } from '../store/pages/page-store.ts';
import type { Sent } from './ways/way.ts';
import type { WriteMessage } from './write-message.ts';

/** What the provider of an attempt is asked about. */
export async function sentOf<Address>(
  { id, reference, beganAt, dueAt }: StoredAttempt,
  address: Address,
  write: Pick<WriteMessage, 'answersOf'>,
): Promise<Sent<Address>> {
  return { id, address, reference, at: beganAt ?? dueAt, ...(await write.answersOf(id)) };
}
