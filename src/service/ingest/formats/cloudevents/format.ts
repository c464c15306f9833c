import { curl } from '../curl.ts';
import type { IncomingFormat } from '../format.ts';

export const CLOUDEVENTS = {
  words: 'CloudEvents',
  setUp: ({ url, key }) => [{ title: 'Try it', text: curl(url, key, 'application/cloudevents+json', CLOUD_EVENT) }],
} satisfies IncomingFormat;

const CLOUD_EVENT = {
  specversion: '1.0',
  id: '1',
  source: '/my-service',
  type: 'test.failed',
  service: 'my-service',
  data: { summary: 'a test of Tocsin' },
};
