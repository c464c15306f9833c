import { findPreset, setUpOf } from '../../presets/presets.ts';
import { curl } from '../curl.ts';
import type { IncomingFormat } from '../format.ts';

export const JSON_BY_MAPPING = {
  words: 'Any JSON, by a mapping',
  setUp: ({ url, key, preset: id = '' }) => {
    const preset = findPreset(id);
    const { failure = { title: 'a test of Tocsin' } } = preset ?? {};
    return [
      ...(preset === null ? [] : setUpOf(preset, { url, key })),
      { title: 'URL, for senders that can set no header', text: `${url}?token=${key}` },
      { title: 'Try it', text: curl(url, key, 'application/json', failure) },
    ];
  },
} satisfies IncomingFormat;
