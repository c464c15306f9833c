import { ACTIONS } from '../../blocks/ids.ts';
import { NOTHING } from '../../listeners/commands.ts';
import type { Feature } from '../../listeners/feature.ts';
import { createExportListener, type ExportDeps, handleExport } from './export-command.ts';

export const exporting = {
  words: {
    export: {
      aliases: [],
      takes: { ...NOTHING, references: 'one', filters: ['period'] },
      usage: '<#number, id or service> or export audit [7d]',
      help: 'writes the timeline of an incident to its thread as Markdown, or sends you the audit log as CSV',
      example: '#142',
      handle: handleExport,
    },
  },
  listeners: (deps) => ({
    buttons: { [ACTIONS.export]: createExportListener(deps) },
  }),
} satisfies Feature<ExportDeps>;
