import { expect, it } from 'vitest';
import { componentsOf } from './components.ts';

it('joins what calls connect, in whatever direction and order', () => {
  const calls = [
    ['web', 'orders'],
    ['jobs', 'mail'],
    ['payments', 'database'],
    ['orders', 'payments'],
  ] as const;

  const components = componentsOf(['web', 'orders', 'payments', 'jobs', 'alone'], calls);

  expect(components.map((component) => component.toSorted())).toEqual([
    ['database', 'orders', 'payments', 'web'],
    ['jobs', 'mail'],
    ['alone'],
  ]);
});
