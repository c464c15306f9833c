import type { MAPPED_FIELDS } from './mapping.ts';

type Field = (typeof MAPPED_FIELDS)[number];

/**
 * Names under which senders have each field, the most telling first, without case, accents and separators. They were taken
 * from the documented webhooks of Azure Monitor, Google Cloud Monitoring, Pingdom, Better Stack, Healthchecks.io, Uptime
 * Robot, Dynatrace, Splunk, Nagios (its macros) and others (read on 2026-11-26). Those of PagerDuty, Statuspage, Netdata,
 * Rollbar, LogicMonitor and VictorOps were not compared with their pages. They only begin what comparing decides.
 */
export const FIELD_NAMES: Readonly<Record<Exclude<Field, 'key'>, readonly string[]>> = {
  title: words(
    'title problemtitle subject headline alertname alertrule rulename policyname checkname monitorname',
    'monitorfriendlyname searchname conditionname entitydisplayname summary servicedescription servicedesc name label message',
    'msg text statemessage description reason serviceoutput hostoutput pluginoutput output',
    'titel titre titulo titolo betreff objet asunto assunto oggetto onderwerp nachricht mensaje messaggio bericht',
    'meldung beschreibung descripcion descricao descrizione omschrijving libelle motif',
  ),
  service: words(
    'service servicename application appname app component subsystem configurationitems resourcedisplayname resourcename',
    'impactedentitynames impactedentities impactedentity monitoredentity entityname checkname monitorname monitorfriendlyname hostname host',
    'nodename node servername server instance device target resource entity project dienst anwendung servicio aplicacion',
    'servico aplicacao servizio applicazione toepassing rechner hote serveur equipo maquina macchina apparaat',
  ),
  severity: words(
    'severity alertseverity severitylevel priority urgency importancelevel importance criticality level alertlevel impact',
    'sev prio schweregrad prioritat dringlichkeit gravite severite priorite urgence niveau gravedad severidad prioridad',
    'urgencia nivel score riskscore stufe gravidade severidade prioridade gravita priorita livello ernst prioriteit urgentie syslogseverity pri',
  ),
  state: words(
    'monitorcondition currentstate newstate alertstate alertstatus servicestate hoststate state status alerttypefriendlyname',
    'transition eventtype alertaction notificationtype messagetype eventaction event action phase lifecycle condition kind',
    'zustand etat statut estado situacao stato toestand actie aktion accion acao azione evento ereignis type',
  ),
  link: words(
    'link permalink weburl htmlurl alerturl incidenturl problemurl dashboardurl portallink resultslink url href',
  ),
};

/** Names of ids that are those of one failure. Other ids may be of a rule, which is the same for different failures. */
export const FAILURE_IDS: readonly string[] = words(
  'dedupkey deduplicationkey dedupid fingerprint incidentkey incidentid problemid issueid alertcorrelationid correlationid',
  'correlationkey incidentnumber caseid ticketid outageid eventkey alertkey alertcyclekey vorfallid',
);

function words(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(' '));
}
