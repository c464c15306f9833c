import type { WayKind } from '../../../contract/waking.ts';
import { WayError } from './way.ts';

/** Ways whose calls cost money. */
export const COSTLY: readonly WayKind[] = ['sms', 'call'];

/** SMS and calls cost money, and a loop or a thief must not spend without end. */
const BUDGET = { ofPersonADay: 60, ofAllADay: 1_000, testsOfNumberAnHour: 3 } as const;

/** What an attempt and those before it used. */
interface Spending {
  readonly ofPerson: number;
  readonly ofAll: number;
  readonly testsOfAddress: number;
}

/** @throws {WayError} */
export function checkSpending({ ofPerson, ofAll, testsOfAddress }: Spending): void {
  const reached = [
    ofPerson > BUDGET.ofPersonADay && `a person gets at most ${BUDGET.ofPersonADay} SMS and calls a day`,
    ofAll > BUDGET.ofAllADay && `there are at most ${BUDGET.ofAllADay} SMS and calls a day`,
    testsOfAddress > BUDGET.testsOfNumberAnHour &&
      `a number gets at most ${BUDGET.testsOfNumberAnHour} codes and tests an hour`,
  ].find((fault) => fault !== false);
  if (reached !== undefined) {
    throw new WayError('refused', reached);
  }
}
