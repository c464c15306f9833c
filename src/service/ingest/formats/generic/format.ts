import { curl } from '../curl.ts';
import type { IncomingFormat } from '../format.ts';

export const GENERIC = {
  words: 'Your own script (JSON)',
  setUp: ({ url, key }) => [{ title: 'Try it', text: curl(url, key, 'application/json', GENERIC_EVENT) }],
} satisfies IncomingFormat;

const GENERIC_EVENT = { service: 'my-service', summary: 'a test of Tocsin', severity: 'warning' };
