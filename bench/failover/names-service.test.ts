import { expect, it } from 'vitest';
import { namesService } from './names-service.ts';

it('finds a service in a text, but not one whose name is longer', () => {
  const texts = ['#7 soak-b fails', '#8 *soak-ba*: Brokensoak-b', 'Lost soak-b.', '#9 old-soak-b'];

  expect(texts.map((text) => namesService(text, 'soak-b'))).toEqual([true, false, true, false]);
});
