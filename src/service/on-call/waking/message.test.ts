import { expect, it } from 'vitest';
import { askMessage, takenMessage } from './message.ts';

const OF = { id: 'attempt_1', tag: 'wake ana', url: 'https://tocsin.test', answerUrl: null, code: null, isLoud: true };
const incident = { number: 7, title: 'checkout loses requests', severity: 'critical', rootService: 'checkout' };

it('says in one line what fails, and how much more', () => {
  const { title, lines } = askMessage([incident, { ...incident, number: 8 }], OF);

  expect(title).toBe('#7 critical: checkout loses requests and 1 more');
  expect(lines).toContain('#8 critical: checkout loses requests');
});

it('cuts what senders wrote, and takes its line breaks and marks of direction', () => {
  const { title } = askMessage([{ ...incident, title: `a\r\nBcc: x@y.z\u202E${'b'.repeat(200)}` }], OF);

  expect(title).toHaveLength(100);
  expect(title).toMatch(/^#7 critical: a Bcc: x@y\.z b+…$/);
});

it('says who has it by a name, never by an address', () => {
  expect(takenMessage([incident], 'ben@example.com', OF).title).toBe(
    'Taken by ben: #7 critical: checkout loses requests',
  );
  expect(takenMessage([incident], null, OF).title).toMatch(/^Over: /);
});
