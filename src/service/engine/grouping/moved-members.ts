import { addEvidence, removeEvidence } from '../ranking/evidence-sums.ts';
import { type Incident, isOwnBlame, isTelemetry, type Member } from './incident.ts';
import { addTrace } from './traces.ts';

/** Adds a member of another incident with its history. */
export function adopt(incident: Incident, member: Member, isOpenAlert: boolean): void {
  const { evidence, firstAt, lastAt, times, isCounted } = member;
  const { fingerprint } = evidence;
  const known = incident.members.get(fingerprint);
  if (known === undefined) {
    incident.members.set(fingerprint, { ...member });
    if (isCounted) {
      addEvidence(incident.sums, evidence);
    }
  } else {
    known.firstAt = Math.min(known.firstAt, firstAt);
    known.lastAt = Math.max(known.lastAt, lastAt);
    known.seenAt = Math.max(known.seenAt, member.seenAt);
    known.times += times;
  }
  if (isOpenAlert) {
    incident.openAlerts.add(fingerprint);
  }
  addTrace(incident.traces, evidence);
  incident.hasTelemetry ||= isTelemetry(evidence);
  incident.lastAt = Math.max(incident.lastAt, lastAt);
  if (isOwnBlame(incident, evidence)) {
    incident.blamedAt = Math.max(incident.blamedAt ?? lastAt, lastAt);
  }
}

/** Moves members to another incident. */
export function moveMembers(from: Incident, to: Incident, fingerprints: readonly string[]): void {
  for (const fingerprint of fingerprints) {
    const member = from.members.get(fingerprint);
    if (member !== undefined) {
      from.members.delete(fingerprint);
      if (member.isCounted) {
        removeEvidence(from.sums, member.evidence);
      }
      adopt(to, member, from.openAlerts.delete(fingerprint));
    }
  }
  const left = [...from.members.values()];
  from.hasTelemetry = left.some(({ evidence }) => isTelemetry(evidence));
  from.lastAt = left.reduce((last, { lastAt }) => Math.max(last, lastAt), from.openedAt);
}
