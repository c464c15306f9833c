import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../contract/problem.ts';
import { readProblem } from './read-problem.ts';

const keep = (text: string) => text;

describe('readProblem', () => {
  it('reads problem details unchanged', () => {
    const problem = {
      type: 'about:blank',
      title: 'Conflict',
      status: 409,
      code: 'incident-closed',
      detail: 'incident inc_7 is already closed',
      request_id: 'r1',
      errors: [{ pointer: '/user', detail: 'must not be empty' }],
    };

    expect(readProblem(409, JSON.stringify(problem), keep)).toEqual(problem);
  });

  it.each([
    ['an error text', '{"error": "already closed"}'],
    ['a message', '{"message": "already closed"}'],
    ['a nested message', '{"error": {"message": "already closed"}}'],
    ['a list of errors', '{"errors": [{"detail": "already closed"}, {"detail": "and more"}]}'],
    ['an OAuth error', '{"error": "conflict", "error_description": "already closed"}'],
    ['a JSON text', '"already closed"'],
    ['plain text', 'already closed\n'],
    [
      'a web page with a title',
      '<!DOCTYPE html>\n<html><head><title>already closed</title></head><body>x</body></html>',
    ],
    ['a web page without one', '<html><style>p {}</style><body><p>already <b>closed</b></p></body></html>'],
  ])('finds the error message in %s', (_, body) => {
    expect(readProblem(409, body, keep)).toMatchObject({ title: 'Conflict', status: 409, detail: 'already closed' });
  });

  it('reads a code from a nested object', () => {
    expect(readProblem(400, '{"error": {"code": "bad-note", "message": "too long"}}', keep)).toMatchObject({
      code: 'bad-note',
      detail: 'too long',
    });
  });

  it('has the name of the status if there is no body', () => {
    expect(readProblem(503, '', keep)).toEqual({ title: 'Service Unavailable', status: 503 });
    expect(readProblem(599, ' ', keep)).toEqual({ title: 'Unknown Status', status: 599 });
  });

  it('uses the status of the response, not of the body', () => {
    expect(readProblem(502, '{"status": 200}', keep).status).toBe(502);
  });

  it('returns a problem of bounded size for any body', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.string({ minLength: 1_000 })), (body) => {
        const problem = readProblem(500, body, keep);

        expect(Problem.safeParse(problem).success).toBe(true);
        expect(problem.detail?.length ?? 0).toBeLessThanOrEqual(500);
      }),
    );
  });

  it('redacts every text, including escaped JSON', () => {
    const redact = (text: string) => text.replaceAll('k"ey', '***');

    const body = '{"title": "k\\"ey", "errors": [{"detail": "bad k\\u0022ey"}]}';
    expect(readProblem(401, body, redact)).toEqual({
      title: '***',
      status: 401,
      detail: 'bad ***',
      errors: [{ detail: 'bad ***' }],
    });
    expect(readProblem(401, 'bad k"ey', redact).detail).toBe('bad ***');
  });
});
