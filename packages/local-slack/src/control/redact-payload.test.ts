import { expect, it } from 'vitest';
import { redactPayload } from './redact-payload.ts';

it('masks what opens something, however deep it is', () => {
  const payload = {
    token: 'local-slack-verification',
    trigger_id: '1772366400000.3.0123456789abcdef01234567',
    text: 'xoxb-local-slack and xapp-1-local-slack',
    nested: [{ response_url: 'http://127.0.0.1:3100/response/0123456789abcdef' }],
    url: 'ws://127.0.0.1:3100/link?ticket=0123456789abcdef&app_id=A0LOCAL001',
    upload_url: 'http://127.0.0.1:3100/upload/0123456789abcdef',
  };

  expect(redactPayload(payload)).toEqual({
    token: '•••',
    trigger_id: '•••',
    text: 'xoxb-••• and xapp-•••',
    nested: [{ response_url: 'http://127.0.0.1:3100/response/•••' }],
    url: 'ws://127.0.0.1:3100/link?ticket=•••&app_id=A0LOCAL001',
    upload_url: 'http://127.0.0.1:3100/upload/•••',
  });
});

it('opens JSON that came in a form, and leaves alone what only looks like it', () => {
  expect(redactPayload({ view: '{"type":"modal","token":"x"}', text: '[not JSON' })).toEqual({
    view: { type: 'modal', token: '•••' },
    text: '[not JSON',
  });
});

it('cuts what is long and says how long it was', () => {
  expect(redactPayload({ text: 'a'.repeat(20_000) })).toEqual({
    cut: true,
    characters: 20_011,
    start: `{"text":"${'a'.repeat(16_375)}`,
  });
});
