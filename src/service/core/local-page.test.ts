import { expect, it } from 'vitest';
import { returnTo } from './local-page.ts';

it.each([
  '/dashboard',
  '/dashboard/incidents/7',
  '/dashboard/incidents?status=closed&q=a%20b',
  '/dashboard/incidents/7#notes',
])('returns to %s', (page) => {
  expect(returnTo(page)).toBe(page);
});

it.each([
  undefined,
  '',
  'https://evil.test/dashboard',
  'https:evil.test/dashboard',
  'javascript:alert(1)',
  'dashboard',
  '//evil.test/dashboard',
  '///evil.test/dashboard',
  '/\\evil.test/dashboard',
  '/\t/evil.test/dashboard',
  '/\n\\evil.test/dashboard',
  '\\/evil.test/dashboard',
  '/dashboard/..//evil.test',
  '/dashboard/../..//evil.test',
  '/dashboard/%2e%2e//evil.test',
  '/dashboardx',
  '/v1/incidents',
  '/dashboard/sign-in?return_to=/dashboard',
  '/dashboard/sign-out',
])('goes to the incidents instead of %j', (page) => {
  expect(returnTo(page)).toBe('/dashboard/incidents');
});

it('keeps an encoded address of another site inside a path of ours', () => {
  expect(returnTo('/dashboard/%2f%2fevil.test')).toBe('/dashboard/%2f%2fevil.test');
});
