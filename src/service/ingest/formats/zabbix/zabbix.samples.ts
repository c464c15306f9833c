/** Written by hand from the references that the preset names. Names and ids are made up. */

export const zabbixEvent = (value: '0' | '1') => ({
  event_id: '55001',
  event_value: value,
  event_update_status: '0',
  event_name: 'Disk space is low on /var',
  event_nseverity: '4',
  event_timestamp: '1769846400',
  event_tags: '[{"tag":"service","value":"payments"},{"tag":"scope","value":"capacity"}]',
  event_opdata: '97 %',
  host_name: 'db-1',
  trigger_id: '13501',
  trigger_url: '',
  service_name: '{SERVICE.NAME}',
});

/** Of a business service: macros of triggers and hosts stay as they are (zabbix.com/documentation 7.0, 2026-11-25). */
export const zabbixServiceEvent = (value: '0' | '1', id: string) => ({
  ...zabbixEvent(value),
  event_id: id,
  event_name: 'Status of service "payments" changed to High',
  event_tags: '[]',
  event_opdata: '{EVENT.OPDATA}',
  host_name: '*UNKNOWN*',
  trigger_id: '{TRIGGER.ID}',
  trigger_url: '{TRIGGER.URL}',
  service_name: 'payments',
});
