import type { PresetFormat } from '../format.ts';

export const ZABBIX = {
  words: 'Zabbix',
  setUp: ({ url, key }) => [
    { title: 'Alerts: Media types: Webhook: parameters', text: ZABBIX_PARAMETERS },
    { title: 'Script', text: zabbixScript(url, key) },
    {
      title: 'Message templates: Problem, Problem recovery, Problem update (and Service): message',
      text: '{EVENT.NAME}',
    },
    {
      title: 'Alerts: Actions: operation for a user with this media; recovery and update operations',
      text: 'Notify all involved',
    },
  ],
  preset: { operationId: 'sendZabbixEvent', what: 'an event of Zabbix' },
} satisfies PresetFormat;

const ZABBIX_PARAMETERS = `event_id             {EVENT.ID}
event_value          {EVENT.VALUE}
event_update_status  {EVENT.UPDATE.STATUS}
event_update_action  {EVENT.UPDATE.ACTION}
event_update_message {EVENT.UPDATE.MESSAGE}
user                 {USER.FULLNAME}
event_name           {EVENT.NAME}
event_nseverity      {EVENT.NSEVERITY}
event_timestamp      {EVENT.TIMESTAMP}
event_tags           {EVENT.TAGSJSON}
event_opdata         {EVENT.OPDATA}
host_name            {HOST.NAME}
trigger_id           {TRIGGER.ID}
trigger_url          {TRIGGER.URL}
service_name         {SERVICE.NAME}
`;

function zabbixScript(url: string, key: string): string {
  return `var request = new HttpRequest();
request.addHeader('Content-Type: application/json');
request.addHeader('Authorization: Bearer ${key}');
var answer = request.post('${url}', value);
if (request.getStatus() !== 200) {
  throw 'Tocsin answered ' + request.getStatus() + ': ' + answer;
}
return 'OK';
`;
}
