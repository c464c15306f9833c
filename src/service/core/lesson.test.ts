import { expect, it } from 'vitest';
import { describeTaught } from './lesson.ts';

it('shows people no mask of what differs between lines', () => {
  const line = 'POST /<service> failed: <service> answered <n>';
  const root = {
    kind: 'root',
    found: 'payments',
    foundShows: ['failed requests'],
    foundShare: 1,
    root: 'checkout',
    rootShows: [`the line "${line}"`],
  } as const;
  const finding = { kind: 'finding', service: 'web', family: 'error_log', subject: line, size: 3 } as const;

  expect(describeTaught(root)).toContain('the line "POST /… failed: … answered …"');
  expect(describeTaught(finding)).toBe('web: the line "POST /… failed: … answered …", 3 a minute');
});
