import type { Operation, System } from './system.ts';

/** How often a request visits what `keyOf` tells of an operation, on average, over all entries. */
export function visitsOf<Key>({ entries }: System, keyOf: (operation: Operation) => Key): Map<Key, number> {
  const visits = new Map<Key, number>();
  const total = entries.reduce((sum, { weight }) => sum + weight, 0);
  const visit = (operation: Operation, share: number) => {
    const key = keyOf(operation);
    visits.set(key, (visits.get(key) ?? 0) + share);
    for (const { to, share: called, onMissOf } of operation.calls) {
      visit(to, share * called * (onMissOf === null ? 1 : 0.15));
    }
  };
  for (const { operation, weight } of entries) {
    visit(operation, weight / total);
  }
  return visits;
}

/** Rows that a request causes, about. */
export function rowsPerRequest(system: System): number {
  let rows = 0;
  for (const [{ kind, habit }, visits] of visitsOf(system, ({ place }) => place)) {
    const lines = habit.logs === 'all' || habit.logs === 'untraced' ? 1 : 0;
    const spans = habit.spans === 'none' ? 0 : 1 + habit.steps.length;
    rows += visits * (kind === 'service' ? spans + lines + 1 : 1);
  }
  return rows;
}
