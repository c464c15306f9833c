create extension if not exists pg_trgm schema public;
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA bot;
CREATE SCHEMA tocsin_service;
CREATE FUNCTION bot.clock_now() RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$select statement_timestamp()$$;
CREATE FUNCTION tocsin_service.clock_now() RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$select statement_timestamp()$$;
CREATE FUNCTION tocsin_service.count_incident() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'tocsin_service'
    AS $$
  begin
    insert into incident_counts as counted
    select service, closed, severity, acknowledged, sum(change)
    from (
      select unnest(old.services || ''::text) as service, old.closed_at is not null as closed, old.severity as severity,
        old.acknowledged_at is not null as acknowledged, -1 as change
      where tg_op <> 'INSERT'
      union
      select unnest(new.services || ''::text), new.closed_at is not null, new.severity, new.acknowledged_at is not null, 1
      where tg_op <> 'DELETE'
    ) as changes
    group by service, closed, severity, acknowledged
    having sum(change) <> 0
    on conflict (service, closed, severity, acknowledged) do update
    set incidents = counted.incidents + excluded.incidents;
    return null;
  end
  $$;
CREATE FUNCTION tocsin_service.incident_search_text(title text, services text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ select lower(title || E'\n' || array_to_string(services, E'\n')) $$;
CREATE FUNCTION tocsin_service.severity_rank(severity text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ select array_position(array['info', 'warning', 'error', 'critical'], severity) $$;
CREATE FUNCTION tocsin_service.signal_search_text(service text, summary text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ select lower(service || E'\n' || summary) $$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE bot.actions (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    source text NOT NULL,
    number bigint NOT NULL,
    kind text NOT NULL,
    incident_id text,
    data jsonb NOT NULL,
    slack_user_id text NOT NULL,
    channel_id text,
    user_name text,
    origin text NOT NULL,
    created_at timestamp with time zone DEFAULT bot.clock_now() NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    retry_at timestamp with time zone,
    leased_until timestamp with time zone,
    settled_at timestamp with time zone,
    outcome text,
    effect_at timestamp with time zone,
    answer jsonb,
    CONSTRAINT actions_check CHECK (((incident_id IS NULL) = (kind = ANY (ARRAY['mute'::text, 'unmute'::text, 'declare'::text]))))
);
ALTER TABLE bot.actions ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME bot.actions_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE bot.audit_log (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT bot.clock_now() NOT NULL,
    action text NOT NULL,
    incident_id text,
    slack_user_id text NOT NULL,
    user_name text,
    channel_id text,
    origin text,
    outcome text NOT NULL,
    detail text
);
ALTER TABLE bot.audit_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME bot.audit_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE bot.channels (
    channel_id text NOT NULL,
    subscribed_as text,
    tokens double precision DEFAULT 5 NOT NULL,
    counted_at timestamp with time zone DEFAULT bot.clock_now() NOT NULL,
    next_audit_at timestamp with time zone,
    audited_until timestamp with time zone,
    audit_threads text[] DEFAULT '{}'::text[] NOT NULL,
    edit_tokens double precision DEFAULT 5 NOT NULL
);
CREATE TABLE bot.deleted_rules (
    id uuid NOT NULL,
    rule jsonb NOT NULL,
    deleted_at timestamp with time zone DEFAULT bot.clock_now() NOT NULL
);
CREATE TABLE bot.effects (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    detail text NOT NULL,
    lane text DEFAULT ''::text NOT NULL,
    data jsonb NOT NULL,
    due_at timestamp with time zone DEFAULT bot.clock_now() NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    attempted_at timestamp with time zone,
    leased_until timestamp with time zone,
    lease bigint DEFAULT 0 NOT NULL,
    settled_at timestamp with time zone,
    outcome jsonb,
    is_refused boolean DEFAULT false NOT NULL,
    last_error text,
    is_kept_true boolean NOT NULL
);
CREATE TABLE bot.incidents (
    incident_id text NOT NULL,
    number bigint,
    snapshot jsonb NOT NULL,
    confirmations jsonb DEFAULT '[]'::jsonb NOT NULL,
    incident jsonb NOT NULL,
    is_open boolean NOT NULL,
    is_acknowledged boolean NOT NULL,
    root_service text NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    closed_at timestamp with time zone,
    as_of timestamp with time zone NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    first_signal_count bigint NOT NULL,
    is_gone boolean DEFAULT false NOT NULL,
    is_unread boolean DEFAULT false NOT NULL
);
CREATE TABLE bot.installation (
    is_only boolean DEFAULT true NOT NULL,
    team_id text,
    service_id text,
    watermark timestamp with time zone,
    answered_at timestamp with time zone,
    failing_since timestamp with time zone,
    stale_since timestamp with time zone,
    registered_as text,
    integration_id text,
    rules_version bigint DEFAULT 1 NOT NULL,
    forgotten_until timestamp with time zone,
    CONSTRAINT installation_is_only_check CHECK (is_only)
);
CREATE TABLE bot.kysely_migration (
    name text NOT NULL,
    "timestamp" text NOT NULL,
    fingerprint text
);
CREATE TABLE bot.messages (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    kind text NOT NULL,
    channel_id text NOT NULL,
    thread_ts text,
    subject text NOT NULL,
    data jsonb DEFAULT '{}'::jsonb NOT NULL,
    ts text,
    digest text,
    needs_redraw boolean DEFAULT true NOT NULL,
    revision bigint DEFAULT 1 NOT NULL,
    urgency smallint NOT NULL,
    due_since timestamp with time zone DEFAULT bot.clock_now() NOT NULL,
    shown_at timestamp with time zone,
    attempt_id uuid,
    attempt_first_at timestamp with time zone,
    attempt_last_at timestamp with time zone,
    attempt_data jsonb,
    next_call text GENERATED ALWAYS AS (
CASE
    WHEN (kind = 'home'::text) THEN 'views.publish'::text
    WHEN (ts IS NOT NULL) THEN 'chat.update'::text
    WHEN (attempt_id IS NULL) THEN 'chat.postMessage'::text
    WHEN (thread_ts IS NULL) THEN 'conversations.history'::text
    ELSE 'conversations.replies'::text
END) STORED NOT NULL,
    retry_at timestamp with time zone,
    held_until timestamp with time zone,
    failures integer DEFAULT 0 NOT NULL,
    refusals integer DEFAULT 0 NOT NULL,
    last_error text,
    leased_until timestamp with time zone,
    lease uuid DEFAULT gen_random_uuid() NOT NULL,
    storm_id uuid,
    is_withheld boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT bot.clock_now() NOT NULL
);
CREATE TABLE bot.people (
    slack_user_id text NOT NULL,
    name text NOT NULL,
    standing text NOT NULL,
    looked_up_at timestamp with time zone DEFAULT bot.clock_now() NOT NULL,
    user_id text
);
CREATE TABLE bot.rules (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    channel_id text NOT NULL,
    filter jsonb NOT NULL,
    escalation jsonb NOT NULL,
    quiet_hours jsonb,
    handover jsonb,
    is_default boolean DEFAULT false NOT NULL,
    source text,
    created_by text,
    changed_at timestamp with time zone DEFAULT bot.clock_now() NOT NULL
);
CREATE TABLE bot.slack_pauses (
    call text,
    channel_id text,
    reason text NOT NULL,
    failures integer NOT NULL,
    since timestamp with time zone NOT NULL,
    until timestamp with time zone NOT NULL
);
CREATE TABLE tocsin_service.api_key_events (
    id bigint NOT NULL,
    key_id text NOT NULL,
    type text NOT NULL,
    actor text NOT NULL,
    successor_id text,
    occurred_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT api_key_events_type_check CHECK ((type = ANY (ARRAY['created'::text, 'bootstrapped'::text, 'rotated'::text, 'revoked'::text])))
);
ALTER TABLE tocsin_service.api_key_events ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tocsin_service.api_key_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE tocsin_service.api_keys (
    id text NOT NULL,
    lookup text NOT NULL,
    name text NOT NULL,
    scope text NOT NULL,
    salt bytea NOT NULL,
    hash bytea NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    last_used_at timestamp(3) with time zone,
    expires_at timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    integration_id text,
    CONSTRAINT api_keys_scope_check CHECK ((scope = ANY (ARRAY['read-only'::text, 'read-write'::text, 'ingest'::text])))
);
CREATE TABLE tocsin_service.asked_states (
    integration_id text NOT NULL,
    word text NOT NULL,
    fingerprint text NOT NULL,
    first_at timestamp(3) with time zone NOT NULL,
    last_at timestamp(3) with time zone NOT NULL,
    times bigint DEFAULT 1 NOT NULL,
    is_waiting boolean NOT NULL,
    signal jsonb NOT NULL
);
CREATE TABLE tocsin_service.correlation (
    leader text,
    leased_until timestamp(3) with time zone,
    "position" bigint NOT NULL,
    snapshot bytea,
    snapshot_version integer NOT NULL,
    snapshot_position bigint NOT NULL,
    calls jsonb,
    changes jsonb
);
ALTER TABLE ONLY tocsin_service.correlation ALTER COLUMN snapshot SET STORAGE EXTERNAL;
CREATE TABLE tocsin_service.effects (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    detail text NOT NULL,
    lane text DEFAULT ''::text NOT NULL,
    data jsonb NOT NULL,
    due_at timestamp with time zone DEFAULT tocsin_service.clock_now() NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    attempted_at timestamp with time zone,
    leased_until timestamp with time zone,
    lease bigint DEFAULT 0 NOT NULL,
    settled_at timestamp with time zone,
    outcome jsonb,
    is_refused boolean DEFAULT false NOT NULL,
    last_error text,
    is_kept_true boolean NOT NULL
);
CREATE TABLE tocsin_service.event_sequence (
    last bigint NOT NULL
);
CREATE TABLE tocsin_service.events (
    sequence bigint NOT NULL,
    id text NOT NULL,
    type text NOT NULL,
    occurred_at timestamp(3) with time zone NOT NULL,
    incident jsonb,
    integration jsonb,
    sign_in jsonb,
    page jsonb,
    schedule jsonb,
    CONSTRAINT events_check CHECK ((num_nonnulls(incident, integration, sign_in, page, schedule) = 1))
);
CREATE TABLE tocsin_service.idempotency_keys (
    api_key_id text NOT NULL,
    idempotency_key text NOT NULL,
    claim text NOT NULL,
    request_digest text NOT NULL,
    claimed_at timestamp(3) with time zone NOT NULL,
    status integer,
    headers jsonb,
    body text
);
CREATE TABLE tocsin_service.incident_cards (
    incident_id text NOT NULL,
    place text NOT NULL,
    url text NOT NULL
);
CREATE TABLE tocsin_service.incident_counts (
    service text NOT NULL,
    closed boolean NOT NULL,
    severity text NOT NULL,
    acknowledged boolean NOT NULL,
    incidents bigint NOT NULL
);
CREATE TABLE tocsin_service.incident_failures (
    incident_id text NOT NULL,
    minute timestamp(0) with time zone NOT NULL,
    failures bigint NOT NULL
);
CREATE TABLE tocsin_service.incident_service_failures (
    incident_id text NOT NULL,
    service text NOT NULL,
    minute timestamp(0) with time zone NOT NULL,
    signals bigint NOT NULL
);
CREATE TABLE tocsin_service.incidents (
    id text NOT NULL,
    number bigint NOT NULL,
    title text NOT NULL,
    severity text NOT NULL,
    root_service text NOT NULL,
    services text[] NOT NULL,
    search_text text GENERATED ALWAYS AS (tocsin_service.incident_search_text(title, services)) STORED NOT NULL,
    signal_counts jsonb NOT NULL,
    correlation jsonb NOT NULL,
    opened_at timestamp(3) with time zone NOT NULL,
    last_signal_at timestamp(3) with time zone NOT NULL,
    signals_ended_at timestamp(3) with time zone,
    updated_at timestamp(3) with time zone NOT NULL,
    acknowledged_at timestamp(3) with time zone,
    acknowledged_by text,
    closed_at timestamp(3) with time zone,
    resolution_note text,
    resolved_by text,
    previous_incident_id text,
    similar_numbers bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    activity text DEFAULT 'failing'::text NOT NULL,
    active_since timestamp(3) with time zone DEFAULT now() NOT NULL,
    impact jsonb DEFAULT '[]'::jsonb NOT NULL,
    root_changes jsonb DEFAULT '[]'::jsonb NOT NULL,
    merged_into text,
    links jsonb DEFAULT '[]'::jsonb NOT NULL,
    trace_id text,
    changes jsonb DEFAULT '[]'::jsonb NOT NULL,
    integrations jsonb DEFAULT '[]'::jsonb NOT NULL,
    sole_integration text,
    failures bigint DEFAULT 0 NOT NULL,
    recurrences integer DEFAULT 0 NOT NULL,
    declared_by text,
    by_hand jsonb DEFAULT '{}'::jsonb NOT NULL,
    found jsonb DEFAULT '{}'::jsonb NOT NULL,
    labels text[] DEFAULT '{}'::text[] NOT NULL,
    teachable jsonb DEFAULT '[]'::jsonb NOT NULL,
    is_no_problem boolean DEFAULT false NOT NULL,
    acknowledged_by_id text,
    resolved_by_id text,
    declared_by_id text,
    service_totals jsonb DEFAULT '{}'::jsonb,
    CONSTRAINT incidents_activity_check CHECK ((activity = ANY (ARRAY['failing'::text, 'quiet'::text, 'recovered'::text])))
);
ALTER TABLE tocsin_service.incidents ALTER COLUMN number ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME tocsin_service.incidents_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE tocsin_service.integration_changes (
    id bigint NOT NULL,
    type text NOT NULL,
    integration_id text NOT NULL,
    integration_type text NOT NULL,
    integration_name text,
    actor text NOT NULL,
    occurred_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT integration_changes_type_check CHECK ((type = ANY (ARRAY['created'::text, 'mapping-changed'::text, 'secret-rotated'::text, 'enabled'::text, 'deleted'::text])))
);
ALTER TABLE tocsin_service.integration_changes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tocsin_service.integration_changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE tocsin_service.integrations (
    id text NOT NULL,
    type text NOT NULL,
    name text,
    config jsonb NOT NULL,
    natural_key text,
    created_at timestamp(3) with time zone NOT NULL,
    secret text,
    previous_secret text,
    previous_secret_until timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone,
    last_error text,
    disabled_at timestamp(3) with time zone,
    unkept text,
    unkept_at timestamp(3) with time zone
);
CREATE TABLE tocsin_service.kysely_migration (
    name text NOT NULL,
    "timestamp" text NOT NULL,
    fingerprint text
);
CREATE TABLE tocsin_service.lessons (
    id text NOT NULL,
    incident_id text NOT NULL,
    taught jsonb NOT NULL,
    created_by text,
    created_at timestamp(3) with time zone NOT NULL,
    until timestamp(3) with time zone NOT NULL,
    forgotten_at timestamp(3) with time zone
);
CREATE TABLE tocsin_service.monitor_look (
    looked_at timestamp(3) with time zone NOT NULL
);
CREATE TABLE tocsin_service.monitors (
    integration_id text NOT NULL,
    kind text NOT NULL,
    service text NOT NULL,
    interval_ms bigint NOT NULL,
    grace_ms bigint NOT NULL,
    seen_at timestamp(3) with time zone,
    usual_ms double precision,
    due_at timestamp(3) with time zone,
    late_since timestamp(3) with time zone,
    told_at timestamp(3) with time zone,
    CONSTRAINT monitors_kind_check CHECK ((kind = ANY (ARRAY['heartbeat'::text, 'silence'::text])))
);
CREATE TABLE tocsin_service.mute_plans (
    id text NOT NULL,
    target text NOT NULL,
    value text NOT NULL,
    starts_at timestamp(3) with time zone NOT NULL,
    until timestamp(3) with time zone NOT NULL,
    repeat text,
    time_zone text NOT NULL,
    reason text,
    created_by text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    created_by_id text,
    first_starts_at timestamp(3) with time zone,
    first_until timestamp(3) with time zone,
    CONSTRAINT mute_plans_repeat_check CHECK ((repeat = ANY (ARRAY['day'::text, 'week'::text])))
);
CREATE TABLE tocsin_service.mutes (
    id text NOT NULL,
    target text NOT NULL,
    value text NOT NULL,
    until timestamp(3) with time zone NOT NULL,
    reason text,
    created_by text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    patterns jsonb,
    created_by_id text,
    CONSTRAINT mutes_target_check CHECK ((target = ANY (ARRAY['incident'::text, 'service'::text, 'integration'::text, 'labels'::text])))
);
CREATE TABLE tocsin_service.page_attempts (
    id text NOT NULL,
    page_id text,
    cycle integer NOT NULL,
    step integer NOT NULL,
    person_id text,
    way_id text,
    kind text NOT NULL,
    address jsonb,
    state text NOT NULL,
    detail text,
    due_at timestamp(3) with time zone NOT NULL,
    began_at timestamp(3) with time zone,
    settled_at timestamp(3) with time zone,
    answered_at timestamp(3) with time zone,
    listed text[] DEFAULT '{}'::text[] NOT NULL,
    reference text,
    doubts integer DEFAULT 0 NOT NULL,
    CONSTRAINT page_attempts_state_check CHECK ((state = ANY (ARRAY['planned'::text, 'sending'::text, 'accepted'::text, 'answered'::text, 'failed'::text, 'void'::text, 'retracted'::text])))
);
CREATE TABLE tocsin_service.pages (
    id text NOT NULL,
    incident_id text,
    policy jsonb NOT NULL,
    state text NOT NULL,
    cycle integer DEFAULT 0 NOT NULL,
    step integer DEFAULT '-1'::integer NOT NULL,
    reached_cycle integer DEFAULT '-1'::integer NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    ended_at timestamp(3) with time zone,
    ended_by text,
    ended_by_id text,
    is_reminder boolean DEFAULT false NOT NULL,
    CONSTRAINT pages_check CHECK (((state = ANY (ARRAY['taken'::text, 'ended'::text])) = (ended_at IS NOT NULL))),
    CONSTRAINT pages_state_check CHECK ((state = ANY (ARRAY['held'::text, 'waking'::text, 'exhausted'::text, 'taken'::text, 'ended'::text])))
);
CREATE TABLE tocsin_service.people (
    id text NOT NULL,
    name text NOT NULL,
    email text,
    slack_user_id text,
    openid_subject text,
    time_zone text,
    created_at timestamp(3) with time zone NOT NULL,
    gone_at timestamp(3) with time zone,
    quiet_from text,
    quiet_until text,
    merged_into text
);
CREATE TABLE tocsin_service.policies (
    id text NOT NULL,
    "position" bigint NOT NULL,
    name text NOT NULL,
    plan jsonb NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    changed_at timestamp(3) with time zone NOT NULL,
    changed_by text NOT NULL,
    changed_by_id text
);
ALTER TABLE tocsin_service.policies ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tocsin_service.policies_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE tocsin_service.posted_alerts (
    sender text NOT NULL,
    fingerprint text NOT NULL,
    alert jsonb NOT NULL,
    starts_at timestamp(3) with time zone NOT NULL,
    ends_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL
);
CREATE TABLE tocsin_service.refused_payloads (
    id bigint NOT NULL,
    integration_id text NOT NULL,
    refused_at timestamp(3) with time zone NOT NULL,
    fault text,
    payload text,
    kind text,
    outcome text
);
ALTER TABLE tocsin_service.refused_payloads ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tocsin_service.refused_payloads_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE tocsin_service.schedule_calendars (
    schedule_id text NOT NULL,
    url text NOT NULL,
    etag text,
    body text,
    read_at timestamp(3) with time zone,
    expanded_at timestamp(3) with time zone,
    fault text,
    unknown text[] DEFAULT '{}'::text[] NOT NULL,
    unread integer DEFAULT 0 NOT NULL
);
CREATE TABLE tocsin_service.schedule_changes (
    id bigint NOT NULL,
    schedule_id text NOT NULL,
    type text NOT NULL,
    actor text NOT NULL,
    text text,
    occurred_at timestamp(3) with time zone NOT NULL
);
ALTER TABLE tocsin_service.schedule_changes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tocsin_service.schedule_changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE tocsin_service.schedule_feeds (
    id text NOT NULL,
    schedule_id text NOT NULL,
    token_hash bytea NOT NULL,
    created_by text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);
CREATE TABLE tocsin_service.schedule_gaps (
    schedule_id text NOT NULL,
    starts_at timestamp(3) with time zone NOT NULL,
    ends_at timestamp(3) with time zone NOT NULL,
    person_id text,
    because text NOT NULL,
    elsewhere text,
    is_warned boolean NOT NULL
);
CREATE TABLE tocsin_service.schedule_layers (
    id text NOT NULL,
    schedule_id text NOT NULL,
    "position" integer NOT NULL,
    rotation jsonb NOT NULL,
    valid_from timestamp(3) with time zone NOT NULL,
    valid_until timestamp(3) with time zone
);
CREATE TABLE tocsin_service.schedule_overrides (
    id text NOT NULL,
    schedule_id text NOT NULL,
    starts_at timestamp(3) with time zone NOT NULL,
    ends_at timestamp(3) with time zone NOT NULL,
    person_id text,
    replaces text,
    reason text,
    created_by text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);
CREATE TABLE tocsin_service.schedule_spans (
    schedule_id text NOT NULL,
    starts_at timestamp(3) with time zone NOT NULL,
    ends_at timestamp(3) with time zone NOT NULL,
    person_id text NOT NULL
);
CREATE TABLE tocsin_service.schedule_swaps (
    id text NOT NULL,
    schedule_id text NOT NULL,
    starts_at timestamp(3) with time zone NOT NULL,
    ends_at timestamp(3) with time zone NOT NULL,
    asker text NOT NULL,
    taker text,
    state text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    offered_to text,
    override_id text,
    answered_at timestamp(3) with time zone,
    CONSTRAINT schedule_swaps_state_check CHECK ((state = ANY (ARRAY['asked'::text, 'taken'::text, 'declined'::text, 'withdrawn'::text])))
);
CREATE TABLE tocsin_service.schedules (
    id text NOT NULL,
    name text NOT NULL,
    time_zone text NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    gone_at timestamp(3) with time zone,
    slack_group jsonb
);
CREATE TABLE tocsin_service.sessions (
    id text NOT NULL,
    token_hash bytea NOT NULL,
    identity text NOT NULL,
    user_name text NOT NULL,
    person_name text NOT NULL,
    slack_user_id text,
    role text NOT NULL,
    method text NOT NULL,
    api_key_id text,
    address text NOT NULL,
    user_agent text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    last_seen_at timestamp(3) with time zone NOT NULL,
    granted_by text[] DEFAULT '{}'::text[] NOT NULL,
    user_id text,
    CONSTRAINT sessions_method_check CHECK ((method = ANY (ARRAY['api-key'::text, 'link'::text, 'openid'::text]))),
    CONSTRAINT sessions_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'responder'::text, 'admin'::text])))
);
CREATE TABLE tocsin_service.set_aside (
    id bigint NOT NULL,
    kind text NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    report integer,
    cause text NOT NULL,
    is_pending boolean NOT NULL,
    entry bytea,
    set_aside_at timestamp(3) with time zone DEFAULT tocsin_service.clock_now() NOT NULL,
    CONSTRAINT set_aside_kind_check CHECK ((kind = ANY (ARRAY['report'::text, 'entries'::text, 'learnt'::text, 'incident'::text])))
);
ALTER TABLE tocsin_service.set_aside ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tocsin_service.set_aside_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE tocsin_service.sign_in_events (
    id bigint NOT NULL,
    type text NOT NULL,
    actor text NOT NULL,
    person_name text NOT NULL,
    role text NOT NULL,
    method text NOT NULL,
    address text NOT NULL,
    user_agent text NOT NULL,
    occurred_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT sign_in_events_type_check CHECK ((type = ANY (ARRAY['signed-in'::text, 'signed-out'::text, 'ended'::text])))
);
ALTER TABLE tocsin_service.sign_in_events ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tocsin_service.sign_in_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE tocsin_service.sign_in_links (
    token_hash bytea NOT NULL,
    identity text NOT NULL,
    user_name text NOT NULL,
    person_name text NOT NULL,
    slack_user_id text,
    role text NOT NULL,
    api_key_id text,
    return_to text,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    user_id text,
    CONSTRAINT sign_in_links_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'responder'::text, 'admin'::text])))
);
CREATE TABLE tocsin_service.signals (
    id text NOT NULL,
    observed_at timestamp(3) with time zone NOT NULL,
    received_at timestamp(3) with time zone NOT NULL,
    last_seen_at timestamp(3) with time zone NOT NULL,
    type text NOT NULL,
    service text NOT NULL,
    summary text NOT NULL,
    severity text NOT NULL,
    fingerprint text NOT NULL,
    occurrences bigint NOT NULL,
    incident_id text,
    trace_id text,
    span_id text,
    attributes jsonb NOT NULL,
    source jsonb NOT NULL,
    detail jsonb NOT NULL,
    ended_at timestamp(3) with time zone,
    sender text,
    links jsonb DEFAULT '[]'::jsonb NOT NULL,
    split_to text,
    labels text[]
)
PARTITION BY RANGE (observed_at);
CREATE TABLE tocsin_service.signals_20261129 (
    id text NOT NULL,
    observed_at timestamp(3) with time zone NOT NULL,
    received_at timestamp(3) with time zone NOT NULL,
    last_seen_at timestamp(3) with time zone NOT NULL,
    type text NOT NULL,
    service text NOT NULL,
    summary text NOT NULL,
    severity text NOT NULL,
    fingerprint text NOT NULL,
    occurrences bigint NOT NULL,
    incident_id text,
    trace_id text,
    span_id text,
    attributes jsonb NOT NULL,
    source jsonb NOT NULL,
    detail jsonb NOT NULL,
    ended_at timestamp(3) with time zone,
    sender text,
    links jsonb DEFAULT '[]'::jsonb NOT NULL,
    split_to text,
    labels text[]
)
WITH (fillfactor='75');
CREATE TABLE tocsin_service.signals_default (
    id text NOT NULL,
    observed_at timestamp(3) with time zone NOT NULL,
    received_at timestamp(3) with time zone NOT NULL,
    last_seen_at timestamp(3) with time zone NOT NULL,
    type text NOT NULL,
    service text NOT NULL,
    summary text NOT NULL,
    severity text NOT NULL,
    fingerprint text NOT NULL,
    occurrences bigint NOT NULL,
    incident_id text,
    trace_id text,
    span_id text,
    attributes jsonb NOT NULL,
    source jsonb NOT NULL,
    detail jsonb NOT NULL,
    ended_at timestamp(3) with time zone,
    sender text,
    links jsonb DEFAULT '[]'::jsonb NOT NULL,
    split_to text,
    labels text[]
);
CREATE TABLE tocsin_service.telemetry_log (
    sequence bigint NOT NULL,
    entry bytea NOT NULL
);
ALTER TABLE ONLY tocsin_service.telemetry_log ALTER COLUMN entry SET STORAGE EXTERNAL;
ALTER TABLE tocsin_service.telemetry_log ALTER COLUMN sequence ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tocsin_service.telemetry_log_sequence_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE tocsin_service.timeline_entries (
    incident_id text NOT NULL,
    sequence bigint NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    event text NOT NULL,
    author text,
    text text,
    author_id text
);
ALTER TABLE tocsin_service.timeline_entries ALTER COLUMN sequence ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tocsin_service.timeline_entries_sequence_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE tocsin_service.wake_history (
    incident_id text NOT NULL,
    sequence bigint NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    facts jsonb NOT NULL
);
ALTER TABLE tocsin_service.wake_history ALTER COLUMN sequence ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tocsin_service.wake_history_sequence_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE tocsin_service.waking_keys (
    vapid_public text NOT NULL,
    vapid_private text NOT NULL,
    answer_secret bytea NOT NULL
);
CREATE TABLE tocsin_service.ways (
    id text NOT NULL,
    person_id text NOT NULL,
    kind text NOT NULL,
    address jsonb NOT NULL,
    loud_after_s integer,
    quiet_after_s integer,
    created_at timestamp(3) with time zone NOT NULL,
    verified_at timestamp(3) with time zone,
    last_answered_at timestamp(3) with time zone,
    unusable_because text,
    code_hash bytea,
    code_until timestamp(3) with time zone,
    code_tries integer DEFAULT 0 NOT NULL
);
CREATE TABLE tocsin_service.webhook_attempts (
    id text NOT NULL,
    integration_id text NOT NULL,
    sequence bigint,
    event_id text NOT NULL,
    event_type text NOT NULL,
    attempt integer NOT NULL,
    attempted_at timestamp(3) with time zone NOT NULL,
    duration_ms integer NOT NULL,
    http_status integer,
    error text,
    response text,
    next_attempt_at timestamp(3) with time zone
);
CREATE TABLE tocsin_service.webhook_deliveries (
    sequence bigint NOT NULL,
    integration_id text NOT NULL,
    subject_id text NOT NULL,
    queued_at timestamp(3) with time zone NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp(3) with time zone,
    gave_up_at timestamp(3) with time zone
);
CREATE TABLE tocsin_service.webhook_endpoints (
    integration_id text NOT NULL,
    "position" bigint NOT NULL,
    not_before timestamp(3) with time zone NOT NULL,
    failing_since timestamp(3) with time zone,
    failures integer DEFAULT 0 NOT NULL,
    delivered_at timestamp(3) with time zone,
    stopped_because text,
    CONSTRAINT webhook_endpoints_stopped_because_check CHECK ((stopped_because = ANY (ARRAY['failing'::text, 'gone'::text])))
);
ALTER TABLE ONLY tocsin_service.signals ATTACH PARTITION tocsin_service.signals_20261129 FOR VALUES FROM ('2026-11-29 00:00:00+00') TO ('2026-11-30 00:00:00+00');
ALTER TABLE ONLY tocsin_service.signals ATTACH PARTITION tocsin_service.signals_default DEFAULT;
INSERT INTO bot.installation VALUES (true, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL);
INSERT INTO bot.kysely_migration VALUES ('0001-initial', '2026-11-29T12:50:15.649Z', '7b1ec75e60fae2dc7e43a2875ea3633b384e92681f2d1ea9989b8111e0f2af1b');
INSERT INTO bot.kysely_migration VALUES ('0002-declarations', '2026-11-29T12:50:15.653Z', '923b15ae341c850aae2ce74c79578ce3741bf25315bbe868fd8f265aa9b3191b');
INSERT INTO bot.kysely_migration VALUES ('0003-open-views', '2026-11-29T12:50:15.656Z', '251ea49e2588dec0db4feaee43c939c0bb549d0fbb1dc7ff1d5590b881280e95');
INSERT INTO bot.kysely_migration VALUES ('0004-retention', '2026-11-29T12:50:15.664Z', 'e6ddef48cfecf785ab8b58c738b644e1a1170d463182cfcb18764974819393a3');
INSERT INTO bot.kysely_migration VALUES ('0005-user-ids', '2026-11-29T12:50:15.665Z', 'b03c283b9433091b81f0661d681b7a27c643115ea5b13bdef105e07249e1001a');
INSERT INTO bot.kysely_migration VALUES ('0006-read-what-is-due', '2026-11-29T12:50:15.683Z', '3459d9d8d2bc9f8c01b7de6ac050c10260cf8b11f467b6418111fe507fa77eb5');
INSERT INTO bot.kysely_migration VALUES ('0007-effects', '2026-11-29T12:50:15.689Z', '666297852d4fe43e3a32f0c1ddd72ccff4c20e147782612f287788d15ecad514');
INSERT INTO bot.kysely_migration VALUES ('0008-edit-tokens', '2026-11-29T12:50:15.692Z', 'd16cec53dfe660fb0e11b8d8075224405a56b8d12e29a6e7c7bceca86f562bd5');
INSERT INTO bot.kysely_migration VALUES ('0009-wakes', '2026-11-29T12:50:15.694Z', 'e5fb12913aee0c7bffda0f0040b5ca7c25cdcf656793496b0b4f24c744da9967');
INSERT INTO bot.kysely_migration VALUES ('0010-effects-by-kind', '2026-11-29T12:50:15.696Z', '4e700af7a51ce7d83d46dd5d012e4cbe8c946f949e60f224a1c6edaa006b9e51');
INSERT INTO tocsin_service.api_key_events OVERRIDING SYSTEM VALUE VALUES (1, 'key_01m8knpd84eret8beva1a0vhqk', 'created', 'the start of the service', NULL, '2026-11-29 12:50:18.5+00');
INSERT INTO tocsin_service.api_key_events OVERRIDING SYSTEM VALUE VALUES (2, 'key_01m8knpe60eeya9nhyh2zmjg70', 'created', 'the start of the service', NULL, '2026-11-29 12:50:19.456+00');
INSERT INTO tocsin_service.api_key_events OVERRIDING SYSTEM VALUE VALUES (3, 'key_01m8knphrqe9v8gqdzbnr1jx9n', 'created', 'key_01m8knpd84eret8beva1a0vhqk', NULL, '2026-11-29 12:50:23.127+00');
INSERT INTO tocsin_service.api_keys VALUES ('key_01m8knpe60eeya9nhyh2zmjg70', 'tqICpfZLXb', 'test reader', 'read-only', '\x7cd8717a048626634924ebbcc3263a04', '\x80498f5b723127a95e884ef91a737e94d6e4712be120e7b6427d352e505c17f8', '2026-11-29 12:50:19.456+00', NULL, NULL, NULL, NULL);
INSERT INTO tocsin_service.api_keys VALUES ('key_01m8knpd84eret8beva1a0vhqk', '4S9uNsNswt', 'test', 'read-write', '\xa3a123381effd0bdac4f6ca7c84c08cc', '\x5b731b0f30f24800ea04b785969280e9edd6dd94a2ee8b5ea9a36bdd7c7b31fc', '2026-11-29 12:50:18.5+00', '2026-11-29 12:50:20.112+00', NULL, NULL, NULL);
INSERT INTO tocsin_service.api_keys VALUES ('key_01m8knphrqe9v8gqdzbnr1jx9n', 'TsTLwRU9bn', 'checks', 'ingest', '\xa8455346dbec8554a27363af89a48a35', '\x2ea000b2c20c2f48223e465a6d0cceb0b6d2dc8be9295087091fddd5419761d7', '2026-11-29 12:50:23.127+00', NULL, NULL, NULL, 'int_01m8knphrqfgga6f7p2at34r5t');
INSERT INTO tocsin_service.correlation VALUES ('ad3fdba4-281e-4792-b25a-c1ec305be024', '2026-11-29 12:50:23.973+00', 4, '\x28b52ffd60ae09a52900ea44140d3c504f9a0320d68eab8e6b6459887133330bcd7ea36e2415b053a23842762792d2c818bef04306683555cb1f7404c250af896609a166bb91d0264b8d04bb00cb00bc005f91b652b7b670950431b256282dd4d176e7f9d6e99a09e579aff232bb35086a166ec27bcf0863e44718717c81aba06d7fba758c505aa97b88c16249858cd1edb9f37655ce387528277c3c278c8fa3c454b6701584b67c5859dbc0551adbce997c68235d433ddb504ea1e690ac4ff939537e38252bc200d9260102caec8f339513e226f06641b699502e2a2dcadadbe66695b13b9436c68b46c3944f3d70be55907558a8589182fa9e961fc154dae6cbda4240dbfcf01dda1610230e8db61d8ac25518399f7da8ca55b669886c4faeb5a306455b7a65ccbb2c86b6310dd60bda021dbda43fe8a25244edcca35b5fa0a9657004572cb07860e25987cab445250828f9cab362b14559a36bad40334d456854885902ac33812cc55d5aa7cbaabcd08e00d6993c5d435d5452bad5b712b89715d6681bcae209247643e1e21dce685bc1c4112d08d6028e0b83b8c1808323c2469c1e34d8e0b078da8060298800c1410306257e6b1191b15802cec816c752fca2b2cacbdb09bf3fb2bc7386a9843dc2e2c3ccdb8c2e99ce58ae1d1d7a549c1f5ad2a2304656428bc87e777db683abcf194fee708849a2c83a13a8a370513925bc04d866b239e44caa90e9e9909d502c8fb6299e6dfeac3379dd04f9df76584cc125641d2a7a27d07d6d8d6b641fcd8147a5a126dc7c83d6a1324d33b67a44e5256b473b557088493b59144758ffad43617f51aeefd2d24c5b065c1aa030603f72886af3b75365d69e85969b328397689fcaaa55bea8bc68ecc491c2772a25e8acb46f9b23654b6258e2ecc16841596b69038e7c6933ba001d44e38cbffd20d947028742606574834cf80e6da4b23d82587c9bf1fd952dae8a6cd31c6834c94ba97b92c89a6f2eed230102cfe447897915e2aa689d09f5a87470d5a32c7095814e5a3803fb0639bcf345df722f31f227ea8409ca33ccee18f19e51dae9c9e0aca49d2e1bacee79796b816763205cbeaf508310074130d6415bda891f5e9eee0e95b1ef4855db2b28453b7d65caba5a78393587ecd44f298bafca596427df5a62b86a5246c7d57e97d87bba4773c0e9a4440380d0a821a14346313433928224c9300620426290293c0f12e0954908191b1919250565a54eed015a45b0cbb84c1e8d89269ec157063191b8842448c78828296dccf26b1183505b12b18864281f1b83cb4c69035cbc14b096aab00dfe84ed63d1c604626181f0df1398446ca7f72e3f09f11d724101b9a2442e10c15271abf219715597e3abef25bd471a61e2b14312ff3f1ff6b3fce48d23d5e00020c04508b1c8cd41f20517f76b8cdb0508fb10234dd37550245790a73deec47f3f2ab3679432ac8a551c51078e30a9558d0c7893ce2e7ad845148abbaf2b7a08202bc1b9a86751498e51f6095be7820cd60486dc03e2289544e35e9202c4fd62e1a346f638c3782e5550370e0202fdcff9027c19c3005c44492aa9c2c24a72bf13aacdc4550f96d50f5e1bf45b60422a5c06d8a0f22b647200a1d6a07dac3e3e043ea82054e43aa12448fe3c5d25545e7a49093888458bd1cd3fced761a072607261b80f11f92eb3fa1e720617cc408699aeb0404db0fdf699cc839e898677f6cd0fb0d133172d09b0960b8073522141c6b6db056874381db8dbe59f3a923e9b7a8c2a509d185123056aea9a85afa19716fd9d49488d487554fe7dad5519e437d983c793eaae9a50aeb36384fd021583e5af89e0238ccfb1bf68f6fc21b5851135361c6879788fdec209f85c1572a00a', 38, 2, '[]', '[]');
INSERT INTO tocsin_service.effects VALUES ('c7aea3b2-1b73-453b-a9fd-a6b1f04405f4', 'schedule-gaps', 'all', '', '', '{}', '2026-11-29 12:55:20.538483+00', 0, '2026-11-29 12:50:20.467656+00', NULL, 1, NULL, NULL, false, NULL, false);
INSERT INTO tocsin_service.event_sequence VALUES (3);
INSERT INTO tocsin_service.events VALUES (1, 'evt_01m8knpfzeeavstja6yyz6wg3f', 'incident.opened', '2026-11-29 12:50:21.294+00', '{"id": "inc_01m8knpfzefg3tqvhwj1x593p4", "harm": null, "mute": null, "found": {"title": "checkout: Checkout is down", "severity": "critical"}, "links": [], "title": "Checkout is down", "byHand": {"title": "Checkout is down", "severity": "critical"}, "impact": [], "labels": [], "number": 1, "changes": [], "closing": null, "traceId": null, "activity": "failing", "failures": [], "openedAt": "2026-11-29T12:50:21.294Z", "services": ["checkout"], "severity": "critical", "updatedAt": "2026-11-29T12:50:21.294Z", "declaredBy": "ana", "lastSeenAt": "2026-11-29T12:50:21.294Z", "mergedInto": null, "activeSince": "2026-11-29T12:50:21.294Z", "correlation": {"harm": null, "path": [], "edges": [], "method": "harm-and-blame/1", "window": {"to": "2026-11-29T12:50:21.294Z", "from": "2026-11-29T12:50:21.040Z"}, "evidence": ["checkout: Checkout is down"], "services": [{"name": "checkout", "score": 1, "is_root": true, "signals": 1}], "candidates": [{"score": 1, "reasons": ["checkout: Checkout is down"], "service": "checkout"}], "comparison": null, "confidence": 0.5}, "recurrences": 0, "rootChanges": [], "rootService": "checkout", "declaredById": null, "integrations": [], "signalCounts": {"log": 0, "trace": 0, "metric": 1, "unended": 1, "declared": 1}, "signalsEndedAt": null, "similarNumbers": [], "acknowledgement": null, "soleIntegration": null, "previousIncidentId": null}', NULL, NULL, NULL, NULL);
INSERT INTO tocsin_service.events VALUES (2, 'evt_01m8knpgfrejkbbfanv8r1haz7', 'incident.updated', '2026-11-29 12:50:21.816+00', '{"id": "inc_01m8knpfzefg3tqvhwj1x593p4", "harm": null, "mute": null, "found": {"title": "checkout: Checkout is down", "severity": "critical"}, "links": [], "title": "Checkout is down", "byHand": {"title": "Checkout is down", "severity": "critical"}, "impact": [], "labels": [], "number": 1, "changes": [], "closing": null, "traceId": null, "activity": "failing", "failures": [], "openedAt": "2026-11-29T12:50:21.294Z", "services": ["checkout"], "severity": "critical", "timeline": [{"at": "2026-11-29T12:50:21.294Z", "by": null, "text": null, "event": "opened"}, {"at": "2026-11-29T12:50:21.816Z", "by": "ana", "byId": "key:test", "text": "Checkout is down", "event": "declared"}], "updatedAt": "2026-11-29T12:50:21.816Z", "declaredBy": "ana", "lastSeenAt": "2026-11-29T12:50:21.294Z", "mergedInto": null, "activeSince": "2026-11-29T12:50:21.294Z", "recurrences": 0, "rootChanges": [], "rootService": "checkout", "declaredById": "key:test", "integrations": [], "signalCounts": {"log": 0, "trace": 0, "metric": 1, "unended": 1, "declared": 1}, "signalsEndedAt": null, "similarNumbers": [], "acknowledgement": null, "soleIntegration": null, "previousIncidentId": null}', NULL, NULL, NULL, NULL);
INSERT INTO tocsin_service.events VALUES (3, 'evt_01m8knphmaf99r742ynpprxmfc', 'incident.updated', '2026-11-29 12:50:22.986+00', '{"id": "inc_01m8knpfzefg3tqvhwj1x593p4", "harm": null, "mute": null, "found": {"title": "checkout: Checkout is down", "severity": "critical"}, "links": [], "title": "Checkout is down", "byHand": {"title": "Checkout is down", "severity": "critical"}, "impact": [], "labels": [], "number": 1, "changes": [], "closing": null, "traceId": null, "activity": "failing", "failures": [], "openedAt": "2026-11-29T12:50:21.294Z", "services": ["checkout"], "severity": "critical", "timeline": [{"at": "2026-11-29T12:50:21.294Z", "by": null, "text": null, "event": "opened"}, {"at": "2026-11-29T12:50:21.816Z", "by": "ana", "byId": "key:test", "text": "Checkout is down", "event": "declared"}, {"at": "2026-11-29T12:50:22.986Z", "by": "ana", "byId": "key:test", "text": "The pool of connections is used up.", "event": "note"}], "updatedAt": "2026-11-29T12:50:22.986Z", "declaredBy": "ana", "lastSeenAt": "2026-11-29T12:50:21.294Z", "mergedInto": null, "activeSince": "2026-11-29T12:50:21.294Z", "recurrences": 0, "rootChanges": [], "rootService": "checkout", "declaredById": "key:test", "integrations": [], "signalCounts": {"log": 0, "trace": 0, "metric": 1, "unended": 1, "declared": 1}, "signalsEndedAt": null, "similarNumbers": [], "acknowledgement": null, "soleIntegration": null, "previousIncidentId": null}', NULL, NULL, NULL, NULL);
INSERT INTO tocsin_service.incident_counts VALUES ('', false, 'critical', false, 1);
INSERT INTO tocsin_service.incident_counts VALUES ('checkout', false, 'critical', false, 1);
INSERT INTO tocsin_service.incidents VALUES ('inc_01m8knpfzefg3tqvhwj1x593p4', 1, 'Checkout is down', 'critical', 'checkout', '{checkout}', DEFAULT, '{"log": 0, "trace": 0, "metric": 1, "unended": 1, "declared": 1}', '{"harm": null, "path": [], "edges": [], "method": "harm-and-blame/1", "window": {"to": "2026-11-29T12:50:21.294Z", "from": "2026-11-29T12:50:21.040Z"}, "evidence": ["checkout: Checkout is down"], "services": [{"name": "checkout", "score": 1, "is_root": true, "signals": 1}], "candidates": [{"score": 1, "reasons": ["checkout: Checkout is down"], "service": "checkout"}], "comparison": null, "confidence": 0.5}', '2026-11-29 12:50:21.294+00', '2026-11-29 12:50:21.294+00', NULL, '2026-11-29 12:50:22.986+00', NULL, NULL, NULL, NULL, NULL, NULL, '{}', 'failing', '2026-11-29 12:50:21.294+00', '[]', '[]', NULL, '[]', NULL, '[]', '[]', NULL, 0, 0, 'ana', '{"title": "Checkout is down", "severity": "critical"}', '{"title": "checkout: Checkout is down", "severity": "critical"}', '{}', '[]', false, NULL, NULL, 'key:test', '{}');
INSERT INTO tocsin_service.integration_changes OVERRIDING SYSTEM VALUE VALUES (1, 'created', 'int_01m8knphrqfgga6f7p2at34r5t', 'generic', 'checks', 'key_01m8knpd84eret8beva1a0vhqk', '2026-11-29 12:50:23.127+00');
INSERT INTO tocsin_service.integrations VALUES ('int_01m8knphrqfgga6f7p2at34r5t', 'generic', 'checks', '{}', 'b19624271391b45065c8972f86d942eec5fc731c83603de7d401dc6b28874d82', '2026-11-29 12:50:23.127+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO tocsin_service.kysely_migration VALUES ('0001-initial', '2026-11-29T12:50:16.626Z', '0bb8d0e79310b9d0e525a68adb0bdd99d8e15c546c83a6451238e33edcf81f1f');
INSERT INTO tocsin_service.kysely_migration VALUES ('0002-by-hand', '2026-11-29T12:50:16.632Z', '33450ed491075aedf09b36c4c5966fd44d72cb356d9952a8feb569059fcc672a');
INSERT INTO tocsin_service.kysely_migration VALUES ('0003-access', '2026-11-29T12:50:16.638Z', '8b12f6166a4860dcc03d4e0f144b1a1068111a85bd057f82ae9920767f0c5bba');
INSERT INTO tocsin_service.kysely_migration VALUES ('0004-labels', '2026-11-29T12:50:16.640Z', '2200a30adfe8af152b7c2869bfd08f3c9e95bba463aa7c904f5297d195afff93');
INSERT INTO tocsin_service.kysely_migration VALUES ('0005-lessons', '2026-11-29T12:50:16.648Z', '8df67ce4e69977b618a6fb602a50067d1430b9b56ff6c2fb83b3ca140064f1e2');
INSERT INTO tocsin_service.kysely_migration VALUES ('0006-mute-plans', '2026-11-29T12:50:16.655Z', 'fdc6d7c3009fd9353c549843d24effd0c9bad254d79878adf4ee89185e801713');
INSERT INTO tocsin_service.kysely_migration VALUES ('0007-actor-ids', '2026-11-29T12:50:16.663Z', 'f2b7c30e900a9577c35b28dbe60516277ef1f45d99206e0448687ca7f71c84c7');
INSERT INTO tocsin_service.kysely_migration VALUES ('0008-service-failures', '2026-11-29T12:50:16.670Z', '0c41aa0e3c0a836e4869b5b318ea4a0f70ae87eeafa9f230e66f223c9bfdfc0c');
INSERT INTO tocsin_service.kysely_migration VALUES ('0009-longest-open', '2026-11-29T12:50:16.682Z', '970f2766d71ded4605633129a55a3e1e6e0649842566b4c72e686c1a243a607f');
INSERT INTO tocsin_service.kysely_migration VALUES ('0010-asked-states', '2026-11-29T12:50:16.693Z', '2cd94f386dbacbf24e9e150d4687cbc02aa8ec0192846b1a7e04562165a4121a');
INSERT INTO tocsin_service.kysely_migration VALUES ('0011-alert-names', '2026-11-29T12:50:16.720Z', '6d0cf51245d3c21c0227b5565cde4dd888b42911e1eab9da6c159c5d0aecfb93');
INSERT INTO tocsin_service.kysely_migration VALUES ('0012-first-times', '2026-11-29T12:50:16.753Z', '724ecd190092c0141d692ba2cb69ad467a2f05a95e085bcc359ce687bb8f7d4b');
INSERT INTO tocsin_service.kysely_migration VALUES ('0013-unkept', '2026-11-29T12:50:16.809Z', '764334c93ec076e24aa48133ab35709364d06875465d03908caac0c0f3b043ca');
INSERT INTO tocsin_service.kysely_migration VALUES ('0014-effects', '2026-11-29T12:50:16.876Z', '1a1713fd729129d06baf7ff9beef53a4686f729e72b5c9fc291e3d53069f3a1e');
INSERT INTO tocsin_service.kysely_migration VALUES ('0015-on-call', '2026-11-29T12:50:16.904Z', 'b5eba190e3c9424a6173bd254b1e0674a9ddf7d3fbeb2298219ad404031328a0');
INSERT INTO tocsin_service.kysely_migration VALUES ('0016-waking', '2026-11-29T12:50:16.914Z', 'ac7ddfd7d72fd57b215bf24b5dbb1e9f8c4dc3031926086ff8d227cf0dc555f9');
INSERT INTO tocsin_service.kysely_migration VALUES ('0017-ways', '2026-11-29T12:50:16.917Z', '5e9048d0b1caaa843ce99768e26213b82d16026e52203873fa342dc359c50a3a');
INSERT INTO tocsin_service.kysely_migration VALUES ('0018-slack-arm', '2026-11-29T12:50:16.920Z', '1ac511848734f0616376f375cb76f8ede42a9e56e1c06e8b8bfdff79f5c3fcd9');
INSERT INTO tocsin_service.kysely_migration VALUES ('0019-wake-history', '2026-11-29T12:50:16.929Z', '7faa6188ca7a9569a9188ed32fed649b336fecc82ec8423e46ab1f67fc51950a');
INSERT INTO tocsin_service.kysely_migration VALUES ('0020-calendars', '2026-11-29T12:50:16.941Z', 'e062a19cefd25591bd9fd7866e266347860023f3e0ae35b5c6afed741d69a0ce');
INSERT INTO tocsin_service.kysely_migration VALUES ('0021-answered-index', '2026-11-29T12:50:16.943Z', '523d54ebad1c4a52b5c4eb5e9ea829d74137cd67af3c8650a6dd031ec781af7f');
INSERT INTO tocsin_service.kysely_migration VALUES ('0022-effects-by-kind', '2026-11-29T12:50:16.952Z', '4e700af7a51ce7d83d46dd5d012e4cbe8c946f949e60f224a1c6edaa006b9e51');
INSERT INTO tocsin_service.monitor_look VALUES ('2026-11-29 12:50:21.623+00');
INSERT INTO tocsin_service.signals_20261129 VALUES ('sig_01m8knpfqgffav4jy5a9gg7fkm', '2026-11-29 12:50:21.04+00', '2026-11-29 12:50:21.046+00', '2026-11-29 12:50:21.04+00', 'metric', 'checkout', 'Checkout is down', 'critical', 'declaration|checkout|345781d7-0ed9-460c-8993-c3f92d7dc901', 1, 'inc_01m8knpfzefg3tqvhwj1x593p4', NULL, NULL, '{"declared_by": "ana"}', '{"format": "declaration"}', '{"type": "alert", "reportsEnd": false}', NULL, NULL, '[]', NULL, NULL);
INSERT INTO tocsin_service.telemetry_log OVERRIDING SYSTEM VALUE VALUES (3, '\x01ce0000007b226b696e64223a226465636973696f6e222c226465636973696f6e223a7b226b696e64223a2272656f70656e222c226174223a313739353935363632313738322c22696e636964656e74223a7b226e756d626572223a312c22726f6f74223a22636865636b6f7574222c226f70656e65644174223a313739353935363632313239342c226c6173744174223a313739353935363632313239342c226163746976697479223a226661696c696e67222c2261637469766553696e6365223a313739353935363632313239347d7d7d');
INSERT INTO tocsin_service.telemetry_log OVERRIDING SYSTEM VALUE VALUES (4, '\x01370000007b226b696e64223a227469636b222c227469636b223a7b226174223a313739353935363632323932352c22636c6f736564223a5b5d7d7d');
INSERT INTO tocsin_service.timeline_entries OVERRIDING SYSTEM VALUE VALUES ('inc_01m8knpfzefg3tqvhwj1x593p4', 1, '2026-11-29 12:50:21.816+00', 'declared', 'ana', 'Checkout is down', 'key:test');
INSERT INTO tocsin_service.timeline_entries OVERRIDING SYSTEM VALUE VALUES ('inc_01m8knpfzefg3tqvhwj1x593p4', 2, '2026-11-29 12:50:22.986+00', 'note', 'ana', 'The pool of connections is used up.', 'key:test');
INSERT INTO tocsin_service.wake_history OVERRIDING SYSTEM VALUE VALUES ('inc_01m8knpfzefg3tqvhwj1x593p4', 1, '2026-11-29 12:50:21.294+00', '{"isOpen": true, "labels": [], "isQuiet": false, "services": ["checkout"], "severity": "critical", "mutedUntil": null, "rootService": "checkout", "hasRecovered": false, "integrations": [], "isAcknowledged": false}');
SELECT pg_catalog.setval('bot.actions_number_seq', 1, false);
SELECT pg_catalog.setval('bot.audit_log_id_seq', 1, false);
SELECT pg_catalog.setval('tocsin_service.api_key_events_id_seq', 3, true);
SELECT pg_catalog.setval('tocsin_service.incidents_number_seq', 1, false);
SELECT pg_catalog.setval('tocsin_service.integration_changes_id_seq', 1, true);
SELECT pg_catalog.setval('tocsin_service.policies_position_seq', 1, false);
SELECT pg_catalog.setval('tocsin_service.refused_payloads_id_seq', 1, false);
SELECT pg_catalog.setval('tocsin_service.schedule_changes_id_seq', 1, false);
SELECT pg_catalog.setval('tocsin_service.set_aside_id_seq', 1, false);
SELECT pg_catalog.setval('tocsin_service.sign_in_events_id_seq', 1, false);
SELECT pg_catalog.setval('tocsin_service.telemetry_log_sequence_seq', 4, true);
SELECT pg_catalog.setval('tocsin_service.timeline_entries_sequence_seq', 2, true);
SELECT pg_catalog.setval('tocsin_service.wake_history_sequence_seq', 1, true);
ALTER TABLE ONLY bot.actions
    ADD CONSTRAINT actions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY bot.actions
    ADD CONSTRAINT actions_source_key UNIQUE (source);
ALTER TABLE ONLY bot.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY bot.channels
    ADD CONSTRAINT channels_pkey PRIMARY KEY (channel_id);
ALTER TABLE ONLY bot.deleted_rules
    ADD CONSTRAINT deleted_rules_pkey PRIMARY KEY (id);
ALTER TABLE ONLY bot.effects
    ADD CONSTRAINT effects_pkey PRIMARY KEY (id);
ALTER TABLE ONLY bot.effects
    ADD CONSTRAINT effects_subject_kind_detail_key UNIQUE (subject, kind, detail);
ALTER TABLE ONLY bot.incidents
    ADD CONSTRAINT incidents_pkey PRIMARY KEY (incident_id);
ALTER TABLE ONLY bot.installation
    ADD CONSTRAINT installation_pkey PRIMARY KEY (is_only);
ALTER TABLE ONLY bot.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY bot.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (id);
ALTER TABLE ONLY bot.messages
    ADD CONSTRAINT messages_subject_kind_channel_id_thread_ts_key UNIQUE NULLS NOT DISTINCT (subject, kind, channel_id, thread_ts);
ALTER TABLE ONLY bot.people
    ADD CONSTRAINT people_pkey PRIMARY KEY (slack_user_id);
ALTER TABLE ONLY bot.rules
    ADD CONSTRAINT rules_pkey PRIMARY KEY (id);
ALTER TABLE ONLY bot.rules
    ADD CONSTRAINT rules_source_key UNIQUE (source);
ALTER TABLE ONLY bot.slack_pauses
    ADD CONSTRAINT slack_pauses_call_channel_id_key UNIQUE NULLS NOT DISTINCT (call, channel_id);
ALTER TABLE ONLY tocsin_service.api_key_events
    ADD CONSTRAINT api_key_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.api_keys
    ADD CONSTRAINT api_keys_lookup_key UNIQUE (lookup);
ALTER TABLE ONLY tocsin_service.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.asked_states
    ADD CONSTRAINT asked_states_pkey PRIMARY KEY (integration_id, word, fingerprint);
ALTER TABLE ONLY tocsin_service.effects
    ADD CONSTRAINT effects_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.effects
    ADD CONSTRAINT effects_subject_kind_detail_key UNIQUE (subject, kind, detail);
ALTER TABLE ONLY tocsin_service.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (sequence);
ALTER TABLE ONLY tocsin_service.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (api_key_id, idempotency_key);
ALTER TABLE ONLY tocsin_service.incident_cards
    ADD CONSTRAINT incident_cards_pkey PRIMARY KEY (incident_id, place);
ALTER TABLE ONLY tocsin_service.incident_counts
    ADD CONSTRAINT incident_counts_pkey PRIMARY KEY (service, closed, severity, acknowledged);
ALTER TABLE ONLY tocsin_service.incident_failures
    ADD CONSTRAINT incident_failures_pkey PRIMARY KEY (incident_id, minute);
ALTER TABLE ONLY tocsin_service.incident_service_failures
    ADD CONSTRAINT incident_service_failures_pkey PRIMARY KEY (incident_id, service, minute);
ALTER TABLE ONLY tocsin_service.incidents
    ADD CONSTRAINT incidents_number_key UNIQUE (number);
ALTER TABLE ONLY tocsin_service.incidents
    ADD CONSTRAINT incidents_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.integration_changes
    ADD CONSTRAINT integration_changes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.integrations
    ADD CONSTRAINT integrations_natural_key_key UNIQUE (natural_key);
ALTER TABLE ONLY tocsin_service.integrations
    ADD CONSTRAINT integrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY tocsin_service.lessons
    ADD CONSTRAINT lessons_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.monitors
    ADD CONSTRAINT monitors_pkey PRIMARY KEY (integration_id);
ALTER TABLE ONLY tocsin_service.mute_plans
    ADD CONSTRAINT mute_plans_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.mute_plans
    ADD CONSTRAINT mute_plans_target_value_starts_at_key UNIQUE (target, value, starts_at);
ALTER TABLE ONLY tocsin_service.mutes
    ADD CONSTRAINT mutes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.mutes
    ADD CONSTRAINT mutes_target_value_key UNIQUE (target, value);
ALTER TABLE ONLY tocsin_service.page_attempts
    ADD CONSTRAINT page_attempts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.pages
    ADD CONSTRAINT pages_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.people
    ADD CONSTRAINT people_email_key UNIQUE (email);
ALTER TABLE ONLY tocsin_service.people
    ADD CONSTRAINT people_openid_subject_key UNIQUE (openid_subject);
ALTER TABLE ONLY tocsin_service.people
    ADD CONSTRAINT people_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.people
    ADD CONSTRAINT people_slack_user_id_key UNIQUE (slack_user_id);
ALTER TABLE ONLY tocsin_service.policies
    ADD CONSTRAINT policies_name_key UNIQUE (name);
ALTER TABLE ONLY tocsin_service.policies
    ADD CONSTRAINT policies_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.posted_alerts
    ADD CONSTRAINT posted_alerts_pkey PRIMARY KEY (sender, fingerprint);
ALTER TABLE ONLY tocsin_service.refused_payloads
    ADD CONSTRAINT refused_payloads_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.schedule_calendars
    ADD CONSTRAINT schedule_calendars_pkey PRIMARY KEY (schedule_id);
ALTER TABLE ONLY tocsin_service.schedule_changes
    ADD CONSTRAINT schedule_changes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.schedule_feeds
    ADD CONSTRAINT schedule_feeds_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.schedule_feeds
    ADD CONSTRAINT schedule_feeds_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY tocsin_service.schedule_layers
    ADD CONSTRAINT schedule_layers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.schedule_overrides
    ADD CONSTRAINT schedule_overrides_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.schedule_spans
    ADD CONSTRAINT schedule_spans_pkey PRIMARY KEY (schedule_id, starts_at);
ALTER TABLE ONLY tocsin_service.schedule_swaps
    ADD CONSTRAINT schedule_swaps_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.schedules
    ADD CONSTRAINT schedules_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.sessions
    ADD CONSTRAINT sessions_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY tocsin_service.set_aside
    ADD CONSTRAINT set_aside_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.sign_in_events
    ADD CONSTRAINT sign_in_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.sign_in_links
    ADD CONSTRAINT sign_in_links_pkey PRIMARY KEY (token_hash);
ALTER TABLE ONLY tocsin_service.signals
    ADD CONSTRAINT signals_pkey PRIMARY KEY (observed_at, id);
ALTER TABLE ONLY tocsin_service.signals_20261129
    ADD CONSTRAINT signals_20261129_pkey PRIMARY KEY (observed_at, id);
ALTER TABLE ONLY tocsin_service.signals_default
    ADD CONSTRAINT signals_default_pkey PRIMARY KEY (observed_at, id);
ALTER TABLE ONLY tocsin_service.telemetry_log
    ADD CONSTRAINT telemetry_log_pkey PRIMARY KEY (sequence);
ALTER TABLE ONLY tocsin_service.timeline_entries
    ADD CONSTRAINT timeline_entries_pkey PRIMARY KEY (incident_id, sequence);
ALTER TABLE ONLY tocsin_service.wake_history
    ADD CONSTRAINT wake_history_pkey PRIMARY KEY (incident_id, sequence);
ALTER TABLE ONLY tocsin_service.ways
    ADD CONSTRAINT ways_person_id_kind_address_key UNIQUE (person_id, kind, address);
ALTER TABLE ONLY tocsin_service.ways
    ADD CONSTRAINT ways_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.webhook_attempts
    ADD CONSTRAINT webhook_attempts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tocsin_service.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (sequence, integration_id);
ALTER TABLE ONLY tocsin_service.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (integration_id);
CREATE INDEX actions_by_end ON bot.actions USING btree (settled_at, id) WHERE (settled_at IS NOT NULL);
CREATE INDEX actions_by_incident ON bot.actions USING btree (incident_id);
CREATE INDEX actions_unanswered ON bot.actions USING btree (slack_user_id) WHERE (answer IS NOT NULL);
CREATE INDEX actions_waiting ON bot.actions USING btree (incident_id) WHERE (settled_at IS NULL);
CREATE INDEX audit_log_by_age ON bot.audit_log USING btree (at, id);
CREATE INDEX audit_log_by_incident ON bot.audit_log USING btree (incident_id, at);
CREATE INDEX audit_log_by_user ON bot.audit_log USING btree (slack_user_id, at);
CREATE INDEX effects_due_by_kind ON bot.effects USING btree (kind, due_at) WHERE (settled_at IS NULL);
CREATE INDEX incidents_by_closing ON bot.incidents USING btree (closed_at);
CREATE INDEX incidents_by_end ON bot.incidents USING btree (COALESCE(closed_at, '-infinity'::timestamp with time zone), incident_id) WHERE (NOT is_open);
CREATE INDEX incidents_by_number ON bot.incidents USING btree (number) WHERE (number IS NOT NULL);
CREATE INDEX incidents_by_opening ON bot.incidents USING btree (opened_at);
CREATE INDEX incidents_closed_by_root ON bot.incidents USING btree (root_service, closed_at) WHERE (closed_at IS NOT NULL);
CREATE INDEX incidents_open ON bot.incidents USING btree (incident_id) WHERE is_open;
CREATE INDEX incidents_unread ON bot.incidents USING btree (incident_id) WHERE is_unread;
CREATE INDEX messages_by_age ON bot.messages USING btree (created_at) WHERE (kind = ANY (ARRAY['notice'::text, 'sign-in'::text, 'wake'::text, 'swap'::text, 'storm'::text]));
CREATE INDEX messages_by_ts ON bot.messages USING btree (channel_id, ts COLLATE "C") WHERE ((ts IS NOT NULL) AND (kind = ANY (ARRAY['card'::text, 'storm'::text, 'notice'::text])));
CREATE INDEX messages_due ON bot.messages USING btree (channel_id, (
CASE
    WHEN (refusals < 3) THEN (urgency)::integer
    ELSE 3
END), GREATEST(due_since, retry_at), id) WHERE (needs_redraw AND (NOT is_withheld));
CREATE UNIQUE INDEX messages_gathering_storm ON bot.messages USING btree (channel_id) WHERE ((kind = 'storm'::text) AND ((data ->> 'calmAt'::text) IS NULL));
CREATE INDEX messages_homes ON bot.messages USING btree (id) WHERE (kind = 'home'::text);
CREATE INDEX messages_new_cards ON bot.messages USING btree (channel_id, created_at) WHERE (kind = 'card'::text);
CREATE INDEX messages_of_storm ON bot.messages USING btree (storm_id) WHERE (storm_id IS NOT NULL);
CREATE INDEX messages_open_views ON bot.messages USING btree (id) WHERE (kind = ANY (ARRAY['list'::text, 'signals'::text]));
CREATE INDEX messages_running_storms ON bot.messages USING btree (channel_id) WHERE ((kind = 'storm'::text) AND ((data ->> 'endedAt'::text) IS NULL));
CREATE INDEX messages_to_redraw ON bot.messages USING btree (channel_id) WHERE needs_redraw;
CREATE INDEX messages_wakes ON bot.messages USING btree (subject) WHERE (kind = 'wake'::text);
CREATE INDEX people_by_name ON bot.people USING btree (name);
CREATE INDEX rules_of_channel ON bot.rules USING btree (channel_id);
CREATE INDEX api_key_events_key ON tocsin_service.api_key_events USING btree (key_id);
CREATE INDEX api_keys_integration ON tocsin_service.api_keys USING btree (integration_id) WHERE (integration_id IS NOT NULL);
CREATE INDEX effects_due_by_kind ON tocsin_service.effects USING btree (kind, due_at) WHERE (settled_at IS NULL);
CREATE INDEX events_age ON tocsin_service.events USING btree (occurred_at);
CREATE INDEX idempotency_keys_oldest ON tocsin_service.idempotency_keys USING btree (claimed_at);
CREATE INDEX incident_failures_age ON tocsin_service.incident_failures USING btree (minute);
CREATE INDEX incident_service_failures_age ON tocsin_service.incident_service_failures USING btree (minute);
CREATE INDEX incidents_acknowledged ON tocsin_service.incidents USING btree (opened_at DESC, id DESC) WHERE (acknowledged_at IS NOT NULL);
CREATE INDEX incidents_closed ON tocsin_service.incidents USING btree (opened_at DESC, id DESC) WHERE (closed_at IS NOT NULL);
CREATE INDEX incidents_cooling_down ON tocsin_service.incidents USING btree (closed_at) WHERE (closed_at IS NOT NULL);
CREATE INDEX incidents_labels ON tocsin_service.incidents USING gin (labels);
CREATE INDEX incidents_newest ON tocsin_service.incidents USING btree (opened_at DESC, id DESC);
CREATE INDEX incidents_open ON tocsin_service.incidents USING btree (opened_at DESC, id DESC) WHERE (closed_at IS NULL);
CREATE INDEX incidents_open_services ON tocsin_service.incidents USING gin (services) WHERE (closed_at IS NULL);
CREATE INDEX incidents_quiet ON tocsin_service.incidents USING btree (last_signal_at) WHERE (closed_at IS NULL);
CREATE INDEX incidents_services ON tocsin_service.incidents USING gin (services);
CREATE INDEX incidents_severity ON tocsin_service.incidents USING btree (severity, opened_at DESC, id DESC);
CREATE INDEX incidents_text ON tocsin_service.incidents USING gin (search_text public.gin_trgm_ops);
CREATE INDEX incidents_unacknowledged ON tocsin_service.incidents USING btree (opened_at DESC, id DESC) WHERE (acknowledged_at IS NULL);
CREATE INDEX incidents_urgent ON tocsin_service.incidents USING btree (((- tocsin_service.severity_rank(severity))), opened_at, id) WHERE (closed_at IS NULL);
CREATE INDEX integrations_newest ON tocsin_service.integrations USING btree (created_at DESC, id DESC);
CREATE INDEX lessons_held ON tocsin_service.lessons USING btree (created_at DESC, id DESC) WHERE (forgotten_at IS NULL);
CREATE INDEX lessons_incident ON tocsin_service.lessons USING btree (incident_id);
CREATE INDEX page_attempts_answered ON tocsin_service.page_attempts USING gin (listed) WHERE (state = 'answered'::text);
CREATE INDEX page_attempts_began ON tocsin_service.page_attempts USING btree (began_at) WHERE (person_id IS NOT NULL);
CREATE INDEX page_attempts_live ON tocsin_service.page_attempts USING btree (person_id) WHERE (state = ANY (ARRAY['planned'::text, 'sending'::text, 'accepted'::text]));
CREATE INDEX page_attempts_page ON tocsin_service.page_attempts USING btree (page_id, due_at);
CREATE INDEX page_attempts_spent ON tocsin_service.page_attempts USING btree (began_at) WHERE (kind = ANY (ARRAY['sms'::text, 'call'::text]));
CREATE UNIQUE INDEX pages_live ON tocsin_service.pages USING btree (incident_id) WHERE (ended_at IS NULL);
CREATE INDEX pages_of_incident ON tocsin_service.pages USING btree (incident_id, started_at DESC);
CREATE INDEX posted_alerts_ending ON tocsin_service.posted_alerts USING btree (ends_at);
CREATE INDEX posted_alerts_oldest ON tocsin_service.posted_alerts USING btree (starts_at, fingerprint);
CREATE INDEX refused_payloads_newest ON tocsin_service.refused_payloads USING btree (integration_id, id DESC);
CREATE INDEX schedule_feeds_schedule ON tocsin_service.schedule_feeds USING btree (schedule_id);
CREATE INDEX schedule_gaps_schedule ON tocsin_service.schedule_gaps USING btree (schedule_id);
CREATE INDEX schedule_layers_schedule ON tocsin_service.schedule_layers USING btree (schedule_id);
CREATE INDEX schedule_overrides_schedule ON tocsin_service.schedule_overrides USING btree (schedule_id, ends_at);
CREATE INDEX schedule_spans_end ON tocsin_service.schedule_spans USING btree (schedule_id, ends_at);
CREATE INDEX schedule_swaps_schedule ON tocsin_service.schedule_swaps USING btree (schedule_id, ends_at);
CREATE UNIQUE INDEX schedules_name ON tocsin_service.schedules USING btree (lower(name)) WHERE (gone_at IS NULL);
CREATE INDEX sessions_identity ON tocsin_service.sessions USING btree (identity);
CREATE INDEX signals_alert_name ON ONLY tocsin_service.signals USING btree (((detail #>> '{named,name}'::text[])), observed_at) WHERE ((detail #>> '{named,name}'::text[]) IS NOT NULL);
CREATE INDEX signals_20261129_expr_observed_at_idx ON tocsin_service.signals_20261129 USING btree (((detail #>> '{named,name}'::text[])), observed_at) WHERE ((detail #>> '{named,name}'::text[]) IS NOT NULL);
CREATE INDEX signals_fingerprint ON ONLY tocsin_service.signals USING hash (fingerprint);
CREATE INDEX signals_20261129_fingerprint_idx ON tocsin_service.signals_20261129 USING hash (fingerprint);
CREATE INDEX signals_incident ON ONLY tocsin_service.signals USING btree (incident_id, observed_at DESC, id DESC) WHERE (incident_id IS NOT NULL);
CREATE INDEX signals_20261129_incident_id_observed_at_id_idx ON tocsin_service.signals_20261129 USING btree (incident_id, observed_at DESC, id DESC) WHERE (incident_id IS NOT NULL);
CREATE INDEX signals_waiting ON ONLY tocsin_service.signals USING btree (received_at) WHERE (incident_id IS NULL);
CREATE INDEX signals_20261129_received_at_idx ON tocsin_service.signals_20261129 USING btree (received_at) WHERE (incident_id IS NULL);
CREATE INDEX signals_service ON ONLY tocsin_service.signals USING btree (service, observed_at DESC, id DESC);
CREATE INDEX signals_20261129_service_observed_at_id_idx ON tocsin_service.signals_20261129 USING btree (service, observed_at DESC, id DESC);
CREATE INDEX signals_text ON ONLY tocsin_service.signals USING gin (tocsin_service.signal_search_text(service, summary) public.gin_trgm_ops);
CREATE INDEX signals_20261129_signal_search_text_idx ON tocsin_service.signals_20261129 USING gin (tocsin_service.signal_search_text(service, summary) public.gin_trgm_ops);
CREATE INDEX signals_type ON ONLY tocsin_service.signals USING btree (type, observed_at DESC, id DESC);
CREATE INDEX signals_20261129_type_observed_at_id_idx ON tocsin_service.signals_20261129 USING btree (type, observed_at DESC, id DESC);
CREATE INDEX signals_default_expr_observed_at_idx ON tocsin_service.signals_default USING btree (((detail #>> '{named,name}'::text[])), observed_at) WHERE ((detail #>> '{named,name}'::text[]) IS NOT NULL);
CREATE INDEX signals_default_fingerprint_idx ON tocsin_service.signals_default USING hash (fingerprint);
CREATE INDEX signals_default_incident_id_observed_at_id_idx ON tocsin_service.signals_default USING btree (incident_id, observed_at DESC, id DESC) WHERE (incident_id IS NOT NULL);
CREATE INDEX signals_default_received_at_idx ON tocsin_service.signals_default USING btree (received_at) WHERE (incident_id IS NULL);
CREATE INDEX signals_default_service_observed_at_id_idx ON tocsin_service.signals_default USING btree (service, observed_at DESC, id DESC);
CREATE INDEX signals_default_signal_search_text_idx ON tocsin_service.signals_default USING gin (tocsin_service.signal_search_text(service, summary) public.gin_trgm_ops);
CREATE INDEX signals_default_type_observed_at_id_idx ON tocsin_service.signals_default USING btree (type, observed_at DESC, id DESC);
CREATE INDEX timeline_entries_by_people ON tocsin_service.timeline_entries USING btree (sequence) WHERE (author IS NOT NULL);
CREATE INDEX wake_history_age ON tocsin_service.wake_history USING btree (at);
CREATE UNIQUE INDEX waking_keys_one ON tocsin_service.waking_keys USING btree ((true));
CREATE INDEX webhook_attempts_event ON tocsin_service.webhook_attempts USING btree (sequence);
CREATE INDEX webhook_attempts_newest ON tocsin_service.webhook_attempts USING btree (integration_id, attempted_at DESC, id DESC);
CREATE INDEX webhook_deliveries_due ON tocsin_service.webhook_deliveries USING btree (integration_id, next_attempt_at) WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX webhook_deliveries_next ON tocsin_service.webhook_deliveries USING btree (integration_id, attempts, sequence) WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX webhook_deliveries_order ON tocsin_service.webhook_deliveries USING btree (integration_id, subject_id, sequence);
ALTER INDEX tocsin_service.signals_alert_name ATTACH PARTITION tocsin_service.signals_20261129_expr_observed_at_idx;
ALTER INDEX tocsin_service.signals_fingerprint ATTACH PARTITION tocsin_service.signals_20261129_fingerprint_idx;
ALTER INDEX tocsin_service.signals_incident ATTACH PARTITION tocsin_service.signals_20261129_incident_id_observed_at_id_idx;
ALTER INDEX tocsin_service.signals_pkey ATTACH PARTITION tocsin_service.signals_20261129_pkey;
ALTER INDEX tocsin_service.signals_waiting ATTACH PARTITION tocsin_service.signals_20261129_received_at_idx;
ALTER INDEX tocsin_service.signals_service ATTACH PARTITION tocsin_service.signals_20261129_service_observed_at_id_idx;
ALTER INDEX tocsin_service.signals_text ATTACH PARTITION tocsin_service.signals_20261129_signal_search_text_idx;
ALTER INDEX tocsin_service.signals_type ATTACH PARTITION tocsin_service.signals_20261129_type_observed_at_id_idx;
ALTER INDEX tocsin_service.signals_alert_name ATTACH PARTITION tocsin_service.signals_default_expr_observed_at_idx;
ALTER INDEX tocsin_service.signals_fingerprint ATTACH PARTITION tocsin_service.signals_default_fingerprint_idx;
ALTER INDEX tocsin_service.signals_incident ATTACH PARTITION tocsin_service.signals_default_incident_id_observed_at_id_idx;
ALTER INDEX tocsin_service.signals_pkey ATTACH PARTITION tocsin_service.signals_default_pkey;
ALTER INDEX tocsin_service.signals_waiting ATTACH PARTITION tocsin_service.signals_default_received_at_idx;
ALTER INDEX tocsin_service.signals_service ATTACH PARTITION tocsin_service.signals_default_service_observed_at_id_idx;
ALTER INDEX tocsin_service.signals_text ATTACH PARTITION tocsin_service.signals_default_signal_search_text_idx;
ALTER INDEX tocsin_service.signals_type ATTACH PARTITION tocsin_service.signals_default_type_observed_at_id_idx;
CREATE CONSTRAINT TRIGGER incidents_counted AFTER INSERT OR DELETE ON tocsin_service.incidents DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION tocsin_service.count_incident();
CREATE CONSTRAINT TRIGGER incidents_recounted AFTER UPDATE ON tocsin_service.incidents DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((((old.services IS DISTINCT FROM new.services) OR ((old.closed_at IS NULL) IS DISTINCT FROM (new.closed_at IS NULL))) OR (old.severity IS DISTINCT FROM new.severity)) OR ((old.acknowledged_at IS NULL) IS DISTINCT FROM (new.acknowledged_at IS NULL)))) EXECUTE FUNCTION tocsin_service.count_incident();
ALTER TABLE ONLY bot.messages
    ADD CONSTRAINT messages_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES bot.channels(channel_id) ON DELETE CASCADE;
ALTER TABLE ONLY bot.messages
    ADD CONSTRAINT messages_storm_id_fkey FOREIGN KEY (storm_id) REFERENCES bot.messages(id) ON DELETE SET NULL;
ALTER TABLE ONLY bot.rules
    ADD CONSTRAINT rules_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES bot.channels(channel_id) ON DELETE CASCADE;
ALTER TABLE ONLY tocsin_service.asked_states
    ADD CONSTRAINT asked_states_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES tocsin_service.integrations(id) ON DELETE CASCADE;
ALTER TABLE ONLY tocsin_service.incident_cards
    ADD CONSTRAINT incident_cards_incident_id_fkey FOREIGN KEY (incident_id) REFERENCES tocsin_service.incidents(id);
ALTER TABLE ONLY tocsin_service.incident_failures
    ADD CONSTRAINT incident_failures_incident_id_fkey FOREIGN KEY (incident_id) REFERENCES tocsin_service.incidents(id);
ALTER TABLE ONLY tocsin_service.incident_service_failures
    ADD CONSTRAINT incident_service_failures_incident_id_fkey FOREIGN KEY (incident_id) REFERENCES tocsin_service.incidents(id);
ALTER TABLE ONLY tocsin_service.incidents
    ADD CONSTRAINT incidents_merged_into_fkey FOREIGN KEY (merged_into) REFERENCES tocsin_service.incidents(id);
ALTER TABLE ONLY tocsin_service.incidents
    ADD CONSTRAINT incidents_previous_incident_id_fkey FOREIGN KEY (previous_incident_id) REFERENCES tocsin_service.incidents(id);
ALTER TABLE ONLY tocsin_service.lessons
    ADD CONSTRAINT lessons_incident_id_fkey FOREIGN KEY (incident_id) REFERENCES tocsin_service.incidents(id);
ALTER TABLE ONLY tocsin_service.monitors
    ADD CONSTRAINT monitors_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES tocsin_service.integrations(id) ON DELETE CASCADE;
ALTER TABLE ONLY tocsin_service.page_attempts
    ADD CONSTRAINT page_attempts_page_id_fkey FOREIGN KEY (page_id) REFERENCES tocsin_service.pages(id) ON DELETE CASCADE;
ALTER TABLE ONLY tocsin_service.page_attempts
    ADD CONSTRAINT page_attempts_way_id_fkey FOREIGN KEY (way_id) REFERENCES tocsin_service.ways(id) ON DELETE SET NULL;
ALTER TABLE ONLY tocsin_service.pages
    ADD CONSTRAINT pages_incident_id_fkey FOREIGN KEY (incident_id) REFERENCES tocsin_service.incidents(id);
ALTER TABLE ONLY tocsin_service.people
    ADD CONSTRAINT people_merged_into_fkey FOREIGN KEY (merged_into) REFERENCES tocsin_service.people(id);
ALTER TABLE ONLY tocsin_service.refused_payloads
    ADD CONSTRAINT refused_payloads_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES tocsin_service.integrations(id) ON DELETE CASCADE;
ALTER TABLE ONLY tocsin_service.schedule_calendars
    ADD CONSTRAINT schedule_calendars_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES tocsin_service.schedules(id);
ALTER TABLE ONLY tocsin_service.schedule_changes
    ADD CONSTRAINT schedule_changes_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES tocsin_service.schedules(id);
ALTER TABLE ONLY tocsin_service.schedule_feeds
    ADD CONSTRAINT schedule_feeds_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES tocsin_service.schedules(id);
ALTER TABLE ONLY tocsin_service.schedule_gaps
    ADD CONSTRAINT schedule_gaps_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES tocsin_service.schedules(id);
ALTER TABLE ONLY tocsin_service.schedule_layers
    ADD CONSTRAINT schedule_layers_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES tocsin_service.schedules(id);
ALTER TABLE ONLY tocsin_service.schedule_overrides
    ADD CONSTRAINT schedule_overrides_person_id_fkey FOREIGN KEY (person_id) REFERENCES tocsin_service.people(id);
ALTER TABLE ONLY tocsin_service.schedule_overrides
    ADD CONSTRAINT schedule_overrides_replaces_fkey FOREIGN KEY (replaces) REFERENCES tocsin_service.people(id);
ALTER TABLE ONLY tocsin_service.schedule_overrides
    ADD CONSTRAINT schedule_overrides_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES tocsin_service.schedules(id);
ALTER TABLE ONLY tocsin_service.schedule_spans
    ADD CONSTRAINT schedule_spans_person_id_fkey FOREIGN KEY (person_id) REFERENCES tocsin_service.people(id);
ALTER TABLE ONLY tocsin_service.schedule_spans
    ADD CONSTRAINT schedule_spans_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES tocsin_service.schedules(id);
ALTER TABLE ONLY tocsin_service.schedule_swaps
    ADD CONSTRAINT schedule_swaps_asker_fkey FOREIGN KEY (asker) REFERENCES tocsin_service.people(id);
ALTER TABLE ONLY tocsin_service.schedule_swaps
    ADD CONSTRAINT schedule_swaps_offered_to_fkey FOREIGN KEY (offered_to) REFERENCES tocsin_service.people(id);
ALTER TABLE ONLY tocsin_service.schedule_swaps
    ADD CONSTRAINT schedule_swaps_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES tocsin_service.schedules(id);
ALTER TABLE ONLY tocsin_service.schedule_swaps
    ADD CONSTRAINT schedule_swaps_taker_fkey FOREIGN KEY (taker) REFERENCES tocsin_service.people(id);
ALTER TABLE ONLY tocsin_service.timeline_entries
    ADD CONSTRAINT timeline_entries_incident_id_fkey FOREIGN KEY (incident_id) REFERENCES tocsin_service.incidents(id);
ALTER TABLE ONLY tocsin_service.wake_history
    ADD CONSTRAINT wake_history_incident_id_fkey FOREIGN KEY (incident_id) REFERENCES tocsin_service.incidents(id) ON DELETE CASCADE;
ALTER TABLE ONLY tocsin_service.webhook_attempts
    ADD CONSTRAINT webhook_attempts_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES tocsin_service.webhook_endpoints(integration_id) ON DELETE CASCADE;
ALTER TABLE ONLY tocsin_service.webhook_attempts
    ADD CONSTRAINT webhook_attempts_sequence_fkey FOREIGN KEY (sequence) REFERENCES tocsin_service.events(sequence) ON DELETE CASCADE;
ALTER TABLE ONLY tocsin_service.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES tocsin_service.webhook_endpoints(integration_id) ON DELETE CASCADE;
ALTER TABLE ONLY tocsin_service.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_sequence_fkey FOREIGN KEY (sequence) REFERENCES tocsin_service.events(sequence) ON DELETE CASCADE;
ALTER TABLE ONLY tocsin_service.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES tocsin_service.integrations(id) ON DELETE CASCADE;
