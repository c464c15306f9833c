import { answer as sentence } from '../../blocks/answer.ts';
import { plainHeadline } from '../../incident/incident-words.ts';
import { type Answer, type Asker, answeringResponders } from '../../listeners/answering.ts';
import { pieceOfFile } from '../../listeners/answers.ts';
import { onClick } from '../../listeners/buttons.ts';
import { answers, type CommandHandler, type CommandRequest } from '../../listeners/command-handler.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import { failedReadOf } from '../../listeners/failed-read.ts';
import { findReferences } from '../../listeners/references.ts';
import { nothingOpen, whichIncident } from '../../listeners/which-incident.ts';
import { slackErrorCode } from '../../slack/errors.ts';
import type { IncidentId } from '../../slack/identifiers.ts';
import type { ShareFile, Upload } from '../../slack/upload.ts';
import type { CardStore } from '../card/cards.ts';
import { auditCsv } from './audit-csv.ts';
import { incidentReport } from './incident-report.ts';

/** What this room needs beside what all listeners share. */
export type ExportDeps = ListenerDeps<{ readonly cards: Pick<CardStore, 'findTs'> }> & {
  readonly shareFile: ShareFile;
};

const DAY_MS = 86_400_000;
const AUDIT_DAYS = 30;
const MOST_ENTRIES = 20_000;

/** `export <incident>`: for everybody who may look. `export audit`: for those who may act. */
export const handleExport: CommandHandler<ExportDeps> = async (deps, request) => {
  if (request.references[0]?.toLowerCase() !== 'audit') {
    return answers(exportIncident)(deps, request);
  }
  await request.ack();
  await answeringResponders(deps, request.asker, request.respond, (answer) => exportAudit(deps, request, answer));
};

/** "Export" beside an incident, where the command did not say which. */
export function createExportListener(deps: ExportDeps) {
  return onClick(deps, (click, answer) => exportOne(deps, click, click.value, answer));
}

async function exportIncident(deps: ExportDeps, request: CommandRequest, answer: Answer): Promise<void> {
  const { references, filter, asker } = request;
  if (filter.periodMs !== null) {
    return answer(sentence('A period goes only with `export audit`. Nothing was exported.'));
  }
  const { ids, questions } = await findReferences(deps.store, references, { isUntaken: false, now: deps.now() });
  const [question] = questions;
  const [incidentId] = ids;
  if (question !== undefined) {
    return answer(whichIncident('export', question));
  }
  if (incidentId === undefined) {
    return answer(nothingOpen('export'));
  }
  await exportOne(deps, asker, incidentId, answer);
}

async function exportOne(deps: ExportDeps, asker: Asker, incidentId: IncidentId, answer: Answer): Promise<void> {
  try {
    const incident = await deps.service.getIncident(incidentId);
    const known = await deps.store.incidents.find(incident.id);
    const whole = { ...known?.incident, ...incident };
    const content = incidentReport(whole, await deps.store.auditLog.listOf(incident.id), deps.now());
    const name = incident.number ?? incident.id.replace(/[^\w-]+/g, '_').slice(0, 60);
    const threadTs = asker.channelId === null ? null : await deps.store.cards.findTs(incident.id, asker.channelId);
    const file = { filename: `incident-${name}.md`, title: `Incident ${name}`, content };
    await share(deps, asker, answer, { ...file, threadTs, label: `The timeline of ${plainHeadline(whole)}` });
  } catch (error) {
    await answer(await failedReadOf(deps, error, incidentId, 'export'));
  }
}

async function exportAudit(deps: ExportDeps, request: CommandRequest, answer: Answer): Promise<void> {
  const periodMs = request.filter.periodMs ?? AUDIT_DAYS * DAY_MS;
  const entries = await deps.store.auditLog.listSince(periodMs, MOST_ENTRIES);
  if (entries.length === 0) {
    return answer(sentence('The audit log has no entry in that period.'));
  }
  const day = deps.now().toISOString().slice(0, 10);
  const file = { filename: `audit-${day}.csv`, title: `Audit log until ${day}`, content: auditCsv(entries) };
  await share(deps, request.asker, answer, { ...file, threadTs: null, label: 'The audit log' });
}

/** In the thread of the card, or else to the person alone. As text if Slack does not take the file. */
async function share(
  deps: ExportDeps,
  asker: Asker,
  answer: Answer,
  { label, threadTs, ...file }: Omit<Upload, 'channelId'> & { readonly label: string },
): Promise<void> {
  try {
    if (threadTs !== null && asker.channelId !== null) {
      await deps.shareFile({ ...file, channelId: asker.channelId, threadTs });
      return await answer(sentence(`📄 ${label} is in the thread of its card.`));
    }
    const { channel } = await deps.api.conversations.open({ users: asker.slackUserId });
    await deps.shareFile({ ...file, channelId: channel?.id ?? asker.slackUserId, threadTs: null });
    await answer(sentence(`📄 ${label} is in your direct messages with this app.`));
  } catch (error) {
    deps.logger.warn({ err: error, reason: slackErrorCode(error) }, 'Slack did not take a file; it is sent as text');
    await answer(pieceOfFile(label, file.content));
  }
}
