import type { Client } from 'pg';
import { BOT_SCHEMA } from '../../src/bot/tables.ts';
import { SERVICE_SCHEMA } from '../../src/service/store/schema/tables.ts';

/** Rows of a larger table are not deleted one by one. */
const LARGE_BYTES = 256 * 1024;

const IS_OURS = `relnamespace in ('${BOT_SCHEMA}'::regnamespace, '${SERVICE_SCHEMA}'::regnamespace)`;

/** Empties a database whose template was made resettable. The answer is false if a test has changed its tables. */
export const RESET = 'select tocsin_test.reset() as done';

/**
 * Lets copies of a template be reset to the rows that it has now. A day's partition of signals stays, and `clock_now()`
 * tells the time again. Needs a superuser.
 */
export async function makeResettable(client: Client): Promise<void> {
  await client.query(`
    create schema tocsin_test;
    create table tocsin_test.changes (command text);
    create table tocsin_test.clock
      (schema text primary key, ahead interval not null default '0', stopped timestamptz);
    create table tocsin_test.first_rows (name text, copy text);
    create table tocsin_test.clocks as
      select oid::regprocedure::text as name, prosrc as source, pg_get_functiondef(oid) as definition
      from pg_proc where proname = 'clock_now';
    do $$
      declare
        name text;
        has_rows bool;
      begin
        for name in select oid::regclass from pg_class where ${IS_OURS} and relkind = 'r' loop
          execute format('select exists (select from %s)', name) into has_rows;
          if has_rows then
            insert into tocsin_test.first_rows values (name, format('tocsin_test.%I', name));
            execute format('create table tocsin_test.%I as table %s', name, name);
          end if;
        end loop;
      end $$;
    create function tocsin_test.reset() returns bool language plpgsql set session_replication_role = replica as $$
      declare
        name text;
        other text;
      begin
        if exists (select from tocsin_test.changes) then
          return false;
        end if;
        for name in
          select oid::regclass from pg_class where ${IS_OURS} and relkind = 'r' and pg_relation_size(oid) > 0
        loop
          if pg_relation_size(name::regclass) > ${LARGE_BYTES} then
            execute format('truncate %s cascade', name);
          else
            execute format('delete from only %s', name);
          end if;
        end loop;
        for name, other in select * from tocsin_test.first_rows loop
          execute format('insert into %s overriding system value table %s', name, other);
        end loop;
        perform setval(seqrelid::regclass, seqstart, false)
        from pg_sequence join pg_class on pg_class.oid = seqrelid where ${IS_OURS};
        delete from tocsin_test.clock;
        for other in
          select definition from tocsin_test.clocks join pg_proc on pg_proc.oid = clocks.name::regprocedure
          where prosrc <> source
        loop
          execute other;
        end loop;
        return true;
      end $$;
    create function tocsin_test.note_change() returns event_trigger language plpgsql as $$
      begin
        insert into tocsin_test.changes
        select tg_tag from pg_event_trigger_ddl_commands()
        where schema_name <> 'pg_temp' and object_identity !~ '\\.(signals_\\d{8}|clock_now\\()';
      end $$;
    create function tocsin_test.note_drop() returns event_trigger language plpgsql as $$
      begin
        insert into tocsin_test.changes select tg_tag from pg_event_trigger_dropped_objects() where not is_temporary;
      end $$;
    create event trigger note_change on ddl_command_end execute function tocsin_test.note_change();
    create event trigger note_drop on sql_drop execute function tocsin_test.note_drop();
  `);
}
