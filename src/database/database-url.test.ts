import { describe, expect, it } from 'vitest';
import { isDatabaseUrl, parseDatabaseUrl } from './database-url.ts';

describe('parseDatabaseUrl', () => {
  it.each([
    ['postgres://ana:s%40fe@db.example:6432/tocsin', [['db.example', 6432]]],
    ['postgresql://db/tocsin', [['db', 5432]]],
    [
      'postgres://ana@one,two:5433,[::1]:5434/tocsin',
      [
        ['one', 5432],
        ['two', 5433],
        ['::1', 5434],
      ],
    ],
    ['postgres://postgres@%2Frun%2Fpostgresql/tocsin', [['/run/postgresql', 5432]]],
    [
      'postgres:///tocsin?host=/run/a,/run/b&port=5433',
      [
        ['/run/a', 5433],
        ['/run/b', 5433],
      ],
    ],
    [
      'postgres:///tocsin?host=one,two&port=5433,5434',
      [
        ['one', 5433],
        ['two', 5434],
      ],
    ],
  ])('finds the hosts of %s', (url, hosts) => {
    expect(isDatabaseUrl(url)).toBe(true);
    expect(parseDatabaseUrl(url).hosts.map(({ host, port }) => [host, port])).toEqual(hosts);
  });

  it('decodes the user, the password and the database, and hides the password in the name', () => {
    const { connection, name } = parseDatabaseUrl('postgres://a%40b:s%3Afe:ty@one,two/my%20db?options=-c%20a%3D1');

    expect(connection).toEqual({ user: 'a@b', password: 's:fe:ty', database: 'my db', options: '-c a=1' });
    expect(name).toBe('one,two/my db');
  });

  it.each([
    ['postgres://one/tocsin', false],
    ['postgres://one/tocsin?target_session_attrs=read-write', true],
    ['postgres://one,two/tocsin', true],
    ['postgres://one,two/tocsin?target_session_attrs=any', false],
  ])('demands writes of %s: %s', (url, demandsWrites) => {
    expect(parseDatabaseUrl(url).demandsWrites).toBe(demandsWrites);
  });

  it.each([
    ['postgres://one/tocsin?target_session_attrs=standby', 'does not work, because Tocsin writes'],
    ['postgres://one/tocsin?sslmod=require', 'has the parameter sslmod, which libpq does not know'],
    ['postgres://one/tocsin?sslmode=always', 'sslmode in DATABASE_URL must be one of disable, allow'],
    ['postgres://one/tocsin?sslmode=verify-ca', 'needs sslrootcert'],
    [
      'postgres://one/tocsin?sslmode=require&sslrootcert=/not/there',
      'the file of sslrootcert in DATABASE_URL cannot be read (ENOENT)',
    ],
    ['postgres://one:many/tocsin', 'must be like postgres://'],
    ['postgres:///tocsin?host=a,b,c&port=1,2', 'has 3 hosts and 2 ports'],
  ])('refuses %s', (url, message) => {
    expect(() => parseDatabaseUrl(url)).toThrow(message);
  });
});
