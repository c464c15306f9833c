import { expect, it } from 'vitest';
import { type Claims, grantsOfClaims, type OpenIdRoles, personOfClaims, roleOfGrants } from './openid-role.ts';

const ROLES: OpenIdRoles = {
  claim: 'groups',
  lists: { viewer: ['staff'], responder: ['on-call', 'Ben@Example.com'], admin: ['sre'] },
};

const roleOfClaims = (claims: Claims, roles: OpenIdRoles) => roleOfGrants(grantsOfClaims(claims, roles), roles);

it.each([
  [{ groups: ['staff'] }, 'viewer'],
  [{ groups: ['staff', 'sre', 'on-call'] }, 'admin'],
  [{ groups: 'on-call' }, 'responder'],
  [{ email: 'ben@example.com', email_verified: true }, 'responder'],
  [{ email: 'ben@example.com', email_verified: false }, null],
  [{ email: 'ben@example.com' }, null],
  [{ groups: ['*'] }, null],
  [{ groups: [7, null, {}] }, null],
  [{}, null],
])('gives %j the role %s', (claims, role) => {
  expect(roleOfClaims(claims, ROLES)).toBe(role);
});

it('lets everybody in whose role has a star', () => {
  const roles = { claim: 'groups', lists: { viewer: ['*'], responder: [], admin: ['sre'] } };

  expect(roleOfClaims({}, roles)).toBe('viewer');
  expect(roleOfClaims({ groups: ['sre'] }, roles)).toBe('admin');
});

it('reads a claim of Slack', () => {
  const roles = { claim: 'https://slack.com/team_id', lists: { viewer: [], responder: ['T1'], admin: [] } };
  const claims = { sub: 'U1', 'https://slack.com/team_id': 'T1', 'https://slack.com/user_id': 'U1', name: 'Ana' };

  expect(roleOfClaims(claims, roles)).toBe('responder');
  expect(personOfClaims(claims)).toEqual({ user: 'Ana', name: 'Ana', slackUserId: 'U1', userId: 'slack:U1' });
});

it.each([
  [
    { sub: '1', name: 'Ana', email: 'Ana@Example.com', email_verified: true },
    { user: 'ana@example.com', name: 'Ana', userId: 'email:ana@example.com' },
  ],
  [
    { sub: '1', email: 'ceo@example.com', email_verified: false },
    { user: '1', name: '1', userId: 'openid:1' },
  ],
  [
    { sub: '1', preferred_username: 'ana\0' },
    { user: 'ana', name: 'ana', userId: 'openid:1' },
  ],
  [
    { sub: '1', name: 'ben@example.com', email: 'ana@example.com', email_verified: true },
    { user: 'ana@example.com', name: 'ana@example.com', userId: 'email:ana@example.com' },
  ],
])('names %j', (claims, person) => {
  expect(personOfClaims(claims)).toEqual({ ...person, slackUserId: null });
});
