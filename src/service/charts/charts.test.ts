import { expect, it } from 'vitest';
import { FailuresChart } from './failures-chart.tsx';
import { ServiceMap } from './service-map.tsx';
import { Sparkline } from './sparkline.tsx';

const svgOf = (element: unknown) => String(element);
const count = (svg: string, part: string) => svg.split(part).length - 1;

it('draws a bar for each minute with failures, and a line for each mark within its time', () => {
  const from = new Date('2026-11-22T10:00:00Z');
  const marks = [
    { at: new Date('2026-11-22T10:02:30Z'), kind: 'deploy', label: 'deploy payments <1.4.2>' },
    { at: new Date('2026-11-22T09:00:00Z'), kind: 'deploy', label: 'too early' },
  ];

  const svg = svgOf(
    FailuresChart({ chart: { from, minutesPerBar: 1, counts: [0, 3, 0, 40], marks }, name: 'failures', size: 'wide' }),
  );

  expect(count(svg, 'class="bar"')).toBe(2);
  expect(count(svg, 'mark-deploy')).toBe(1);
  expect(svg).toContain('deploy payments &lt;1.4.…');
  expect(svg).toContain('>50</text>');
  expect(svg).not.toContain('style=');
});

it('gives a phone a chart of half the width with letters of the same size, and no more times than fit', () => {
  const from = new Date('2026-11-22T10:00:00Z');
  const marks = [{ at: new Date('2026-11-22T10:58:00Z'), kind: 'deploy', label: 'deploy payments 1.4.2' }];
  const chart = { from, minutesPerBar: 1, counts: Array.from({ length: 60 }, () => 1), marks };

  const [wide = '', narrow = ''] = (['wide', 'narrow'] as const).map((size) =>
    svgOf(FailuresChart({ chart, name: 'failures', size })),
  );

  const xs = [...narrow.matchAll(/ x="([\d.]+)"/g)].map(([, x]) => Number(x));
  expect(narrow).toContain('viewBox="0 0 360 ');
  expect(Math.max(...xs)).toBeLessThanOrEqual(344);
  expect([wide, narrow].map((svg) => count(svg, 'text-anchor="middle"'))).toEqual([6, 4]);
  expect([wide, narrow].map((svg) => count(svg, 'class="bar"'))).toEqual([60, 60]);
});

it('draws a sparkline of nothing without bars', () => {
  expect(svgOf(Sparkline({ counts: [] }))).not.toContain('<rect');
});

it('lays out forty services without overlaps, and labels only the calls that fail', () => {
  const names = Array.from({ length: 40 }, (_, index) => `service-${index}`);
  const services = names.map((name, index) => ({ name, isRoot: index === 0, isFailing: index < 4 }));
  const calls = names.slice(1).map((from, index) => ({
    from,
    to: names[Math.floor(index / 3)] ?? '',
    label: index < 3 ? '5 of 9 failed' : '',
  }));

  const svg = svgOf(ServiceMap({ map: { services, calls }, name: 'calls' }));
  const boxes = [...svg.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="(\d+)" height="34"/g)].map((match) =>
    match.slice(1).map(Number),
  );
  const overlap = boxes.some(([x = 0, y = 0, width = 0], index) =>
    boxes.slice(index + 1).some(([otherX = 0, otherY = 0, otherWidth = 0]) => {
      const isBeside = x + width <= otherX || otherX + otherWidth <= x;
      return !isBeside && Math.abs(y - otherY) < 34;
    }),
  );

  expect([boxes.length, overlap]).toEqual([40, false]);
  expect(count(svg, '5 of 9 failed')).toBe(3);
  expect(count(svg, '★')).toBe(1);
});

it('names the opening on a phone beside six deployments a quarter of an hour later', () => {
  const from = new Date('2026-11-22T10:00:00Z');
  const at = (minutes: number) => new Date(from.getTime() + minutes * 60_000);
  const marks = [
    { at: at(5), kind: 'opened', label: 'opened' },
    ...[1, 2, 3, 4, 5, 6].map((patch) => ({ at: at(18), kind: 'deploy', label: `deploy orders-db 1.8.${patch}` })),
  ];
  const chart = { from, minutesPerBar: 1, counts: Array.from({ length: 50 }, () => 1), marks };

  const svg = svgOf(FailuresChart({ chart, name: 'failures', size: 'narrow' }));

  expect(svg).toContain('>opened</text>');
  expect(svg).toMatch(/>deploy orders-db[^<]* \+2<\/text>/);
});

it('prints no label over another, with eight marks within a minute, and counts those without room', () => {
  const from = new Date('2026-11-22T10:00:00Z');
  const marks = Array.from({ length: 8 }, (_, index) => ({
    at: new Date(from.getTime() + 5 * 60_000 + index * 7_000),
    kind: 'deploy',
    label: `deploy service ${index}`,
  }));
  const chart = { from, minutesPerBar: 1, counts: Array.from({ length: 20 }, () => 1), marks };

  for (const size of ['wide', 'narrow'] as const) {
    const svg = svgOf(FailuresChart({ chart, name: 'failures', size }));
    const labels = [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)" text-anchor="(?:start|end)">(deploy[^<]*)</g)];

    expect(count(svg, 'class="mark mark-deploy"')).toBe(8);
    expect(new Set(labels.map(([, , y]) => y)).size).toBe(labels.length); // so close together, each needs a row
    expect(labels.at(-1)?.[3]).toBe('deploy service 4 +4'); // the last ones have a label
  }
});
