-- {"shop":"wb_shipper_U90bcw2Kk0WV_6l9cj0o98_ZORVNFTn2MP8n0rP_hzQzvOKgCi_lXF-0","plain":"wb_carrier_xxKMZt4pLzJT_HSwW1SQ63yQYta_C2n5rJHpxxwuG4CMI5F-yCPBQCVY","secret":"whsec_H2eX7TCdqP/pvG7fGoXhWbVd8faFDBrt+a8B8MhYefk="}


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

CREATE FUNCTION public.tell_of_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform pg_notify('waybill_changed', tg_table_name || ':' || (
    select string_agg(to_jsonb(old) ->> name, '/' order by position)
    from unnest(tg_argv) with ordinality as argument (name, position)));
  return null;
end $$;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE public.accounts (
    id bigint NOT NULL,
    shipper_id bigint NOT NULL,
    carrier_code text NOT NULL,
    environment text NOT NULL,
    credentials bytea NOT NULL,
    settings text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT accounts_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text])))
);

ALTER TABLE public.accounts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.accounts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.audit_log (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    detail text
);

ALTER TABLE public.audit_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.calls (
    dispatch_id bigint NOT NULL,
    step text NOT NULL,
    element integer NOT NULL,
    attempt integer NOT NULL,
    state text NOT NULL,
    first_sent_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone NOT NULL,
    verdict text,
    answer bytea,
    CONSTRAINT calls_state_check CHECK ((state = ANY (ARRAY['sending'::text, 'succeeded'::text, 'failed'::text, 'retry'::text, 'unknown'::text])))
);

CREATE TABLE public.carrier_tokens (
    key text NOT NULL,
    token bytea,
    fetched_at timestamp with time zone,
    expires_at timestamp with time zone,
    refused text,
    refresh_token bytea,
    lease uuid,
    lease_until timestamp with time zone
);

CREATE TABLE public.consignments (
    id bigint NOT NULL,
    shipper_id bigint NOT NULL,
    environment text NOT NULL,
    reference_number text NOT NULL,
    order_number text NOT NULL,
    consignment_number text NOT NULL,
    consignment_type text NOT NULL,
    order_types text[] NOT NULL,
    carrier_code text NOT NULL,
    account_id bigint,
    order_text text NOT NULL,
    canonical text NOT NULL,
    acceptance text DEFAULT 'pending'::text NOT NULL,
    status text DEFAULT 'Order Created'::text NOT NULL,
    master_tracking_number text,
    memo text DEFAULT '{}'::text NOT NULL,
    notice_sequence integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    released_at timestamp with time zone,
    version integer DEFAULT 0 NOT NULL,
    unanswered boolean DEFAULT false NOT NULL,
    CONSTRAINT consignments_acceptance_check CHECK ((acceptance = ANY (ARRAY['pending'::text, 'accepted'::text, 'rejected'::text, 'cancelled'::text]))),
    CONSTRAINT consignments_consignment_type_check CHECK ((consignment_type = ANY (ARRAY['FORWARD'::text, 'REVERSE'::text])))
);

ALTER TABLE public.consignments ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.consignments_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.deliveries (
    id bigint NOT NULL,
    notice_id text NOT NULL,
    subscription_id text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    uncounted integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    lease uuid,
    lease_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'waiting'::text, 'delivered'::text, 'failed'::text])))
);

ALTER TABLE public.deliveries ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.deliveries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.delivery_attempts (
    delivery_id bigint NOT NULL,
    attempt integer NOT NULL,
    at timestamp with time zone NOT NULL,
    status integer,
    duration_ms integer NOT NULL,
    outcome text NOT NULL,
    message text
);

CREATE TABLE public.dispatches (
    id bigint NOT NULL,
    consignment_id bigint NOT NULL,
    operation text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    lease uuid,
    lease_until timestamp with time zone,
    profile_hash text NOT NULL,
    account_id bigint,
    seed uuid DEFAULT gen_random_uuid() NOT NULL,
    input text NOT NULL,
    order_text text,
    order_types text[],
    started_at timestamp with time zone,
    result text,
    failure text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT dispatches_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'waiting'::text, 'done'::text, 'rejected'::text, 'held'::text, 'cancelled'::text])))
);

ALTER TABLE public.dispatches ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.dispatches_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.draws (
    dispatch_id bigint NOT NULL,
    key text NOT NULL,
    value text NOT NULL
);

CREATE TABLE public.events (
    id bigint NOT NULL,
    push_id bigint NOT NULL,
    carrier_code text NOT NULL,
    identity bytea NOT NULL,
    match text NOT NULL,
    sought_kind text,
    sought_value text,
    consignment_id bigint,
    "position" integer,
    status text NOT NULL,
    reason text,
    carrier_status text NOT NULL,
    carrier_sub_status text NOT NULL,
    carrier_description text NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    event_timezone text NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    warnings text DEFAULT '[]'::text NOT NULL,
    body text NOT NULL,
    CONSTRAINT events_match_check CHECK ((match = ANY (ARRAY['matched'::text, 'unmatched'::text, 'ambiguous'::text])))
);

ALTER TABLE public.events ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.exchanges (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    carrier_code text NOT NULL,
    environment text NOT NULL,
    account_id bigint,
    consignment_id bigint,
    dispatch_id bigint,
    profile_hash text NOT NULL,
    operation text NOT NULL,
    step text NOT NULL,
    element integer NOT NULL,
    attempt integer NOT NULL,
    method text NOT NULL,
    url text NOT NULL,
    request_headers text NOT NULL,
    request_body bytea,
    status integer,
    response_headers text,
    response_body bytea,
    duration_ms integer NOT NULL,
    outcome text NOT NULL,
    message text
);

ALTER TABLE public.exchanges ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.exchanges_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.facilities (
    shipper_id bigint NOT NULL,
    environment text NOT NULL,
    code text NOT NULL COLLATE pg_catalog."C",
    details text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT facilities_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text])))
);

CREATE TABLE public.idempotency_keys (
    shipper_id bigint NOT NULL,
    environment text NOT NULL,
    key text NOT NULL,
    request_hash bytea NOT NULL,
    owner uuid,
    status integer,
    body text,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.identifiers (
    carrier_code text NOT NULL,
    kind text NOT NULL,
    value text NOT NULL,
    consignment_id bigint NOT NULL,
    "position" integer,
    gone boolean DEFAULT false NOT NULL
);

CREATE TABLE public.installation (
    id uuid DEFAULT gen_random_uuid() NOT NULL
);

CREATE TABLE public.labels (
    id text NOT NULL,
    consignment_id bigint NOT NULL,
    "position" integer,
    state text NOT NULL,
    format text,
    content bytea,
    source_url text,
    tries integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone,
    until_at timestamp with time zone,
    lease uuid,
    lease_until timestamp with time zone,
    failure text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    stored_at timestamp with time zone,
    CONSTRAINT labels_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'stored'::text, 'failed'::text, 'revoked'::text])))
);

CREATE TABLE public.notices (
    id text NOT NULL,
    consignment_id bigint NOT NULL,
    sequence integer NOT NULL,
    event text NOT NULL,
    body text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.packages (
    consignment_id bigint NOT NULL,
    "position" integer NOT NULL,
    reference text NOT NULL,
    tracking_number text,
    status text DEFAULT 'Order Created'::text NOT NULL,
    reason text,
    status_at timestamp with time zone,
    memo text DEFAULT '{}'::text NOT NULL,
    poll_at timestamp with time zone
);

CREATE TABLE public.profile_versions (
    hash text NOT NULL,
    carrier_code text NOT NULL,
    bundle text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.pushes (
    id bigint NOT NULL,
    carrier_code text NOT NULL,
    account_id bigint,
    source text NOT NULL,
    environment text,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    request text NOT NULL,
    body bytea NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    failure text,
    processed_at timestamp with time zone,
    due_at timestamp with time zone,
    CONSTRAINT pushes_source_check CHECK ((source = ANY (ARRAY['contract'::text, 'webhook'::text, 'poll'::text]))),
    CONSTRAINT pushes_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'done'::text, 'failed'::text])))
);

ALTER TABLE public.pushes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.pushes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.redeliveries (
    id bigint NOT NULL,
    shipper_id bigint NOT NULL,
    environment text NOT NULL,
    filter text NOT NULL,
    state text DEFAULT 'running'::text NOT NULL,
    matching integer NOT NULL,
    redelivered integer DEFAULT 0 NOT NULL,
    "position" bigint DEFAULT 0 NOT NULL,
    last bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT redeliveries_state_check CHECK ((state = ANY (ARRAY['running'::text, 'done'::text])))
);

ALTER TABLE public.redeliveries ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.redeliveries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.request_acts (
    shipper_id bigint NOT NULL,
    environment text NOT NULL,
    key text NOT NULL,
    consignment_id bigint NOT NULL,
    dispatch_id bigint
);

CREATE TABLE public.schema_migration (
    number integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.sequences (
    account_id bigint NOT NULL,
    name text NOT NULL,
    next bigint NOT NULL
);

CREATE TABLE public.shared_limits (
    name text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL,
    ends_at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.shippers (
    id bigint NOT NULL,
    code text NOT NULL,
    name text NOT NULL,
    details text,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE public.shippers ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.shippers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.subscriptions (
    id text NOT NULL,
    shipper_id bigint NOT NULL,
    environment text NOT NULL,
    url text NOT NULL,
    order_types text[] NOT NULL,
    secret bytea NOT NULL,
    old_secret bytea,
    old_secret_until timestamp with time zone,
    state text DEFAULT 'active'::text NOT NULL,
    paused_at timestamp with time zone,
    pause_reason text,
    failing_since timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT subscriptions_check CHECK (((state = 'paused'::text) = (pause_reason IS NOT NULL))),
    CONSTRAINT subscriptions_pause_reason_check CHECK ((pause_reason = ANY (ARRAY['requested'::text, 'gone'::text, 'failing'::text]))),
    CONSTRAINT subscriptions_state_check CHECK ((state = ANY (ARRAY['active'::text, 'paused'::text])))
);

CREATE TABLE public.tokens (
    id text NOT NULL,
    hash bytea NOT NULL,
    kind text NOT NULL,
    shipper_id bigint,
    carrier_code text,
    environment text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    replaced_by text,
    CONSTRAINT tokens_check CHECK (((kind = 'shipper'::text) = ((shipper_id IS NOT NULL) AND (environment IS NOT NULL)))),
    CONSTRAINT tokens_check1 CHECK (((kind = 'carrier'::text) = (carrier_code IS NOT NULL))),
    CONSTRAINT tokens_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
    CONSTRAINT tokens_kind_check CHECK ((kind = ANY (ARRAY['shipper'::text, 'carrier'::text])))
);

INSERT INTO public.accounts OVERRIDING SYSTEM VALUE VALUES
	(1, 1, 'plain', 'production', '\x01e93e03fd43564a2a7dadee439f5b5ae98507cad52562cdfde2f12ad59c806512daf506f50cb7844a57a151b8468ac7e7bb291095b97e7565082eb5', '{"url":"http://127.0.0.1:34473"}', 1, '2026-11-23 04:00:50.73374+00', '2026-11-23 04:00:50.73374+00');

INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES
	(1, '2026-11-23 04:00:49.027835+00', 'engine', 'load_profile', 'carrier:plain', 'd948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868'),
	(2, '2026-11-23 04:00:50.661387+00', 'admin', 'save_shipper', 'shipper:shop', NULL),
	(3, '2026-11-23 04:00:50.661387+00', 'admin', 'issue_token', 'token:U90bcw2Kk0WV', '{"shipper":"shop","environment":"production"}'),
	(4, '2026-11-23 04:00:50.708023+00', 'admin', 'issue_token', 'token:xxKMZt4pLzJT', '{"carrier":"plain"}'),
	(5, '2026-11-23 04:00:50.73374+00', 'admin', 'save_account', 'account:1', '{"shipper":"shop","carrier":"plain","environment":"production"}'),
	(6, '2026-11-23 04:00:50.754152+00', 'shipper:shop', 'create_webhook', 'webhook:sub_VBdbVzEVUc-NJoFlNHZwQd6a', NULL),
	(7, '2026-11-23 04:00:52.206979+00', 'shipper:shop', 'cancel', 'consignment:3', NULL);

INSERT INTO public.calls VALUES
	(1, 'create', 0, 1, 'succeeded', '2026-11-23 04:00:51.522+00', '2026-11-23 04:00:51.562+00', NULL, NULL),
	(2, 'create', 0, 1, 'succeeded', '2026-11-23 04:00:51.991+00', '2026-11-23 04:00:51.992+00', NULL, NULL),
	(3, 'create', 0, 1, 'succeeded', '2026-11-23 04:00:52.129+00', '2026-11-23 04:00:52.13+00', NULL, NULL),
	(4, 'cancel', 0, 1, 'succeeded', '2026-11-23 04:00:52.224+00', '2026-11-23 04:00:52.224+00', NULL, NULL),
	(5, 'create', 0, 1, 'failed', '2026-11-23 04:00:52.454+00', '2026-11-23 04:00:52.465+00', '{"failed":{"as":"reject","problem":{"code":"http_400","messages":["the carrier answered 400"],"place":{"file":"carriers/contract.yaml","line":10,"column":5}}}}', NULL),
	(6, 'create', 0, 4, 'unknown', '2026-11-23 04:00:52.592+00', '2026-11-23 04:01:04.096+00', '{"failed":{"as":"fail","problem":{"code":"connection_reset","messages":["socket hang up"],"place":{"file":"carriers/contract.yaml","line":6,"column":11}}}}', NULL),
	(7, 'create', 0, 1, 'retry', '2026-11-23 04:01:04.226+00', '2026-11-23 04:01:04.239+00', '{"failed":{"as":"fail","problem":{"code":"http_429","messages":["the carrier asks us to slow down (429)"]}}}', NULL),
	(8, 'create', 0, 1, 'sending', '2026-11-23 04:01:04.41+00', '2026-11-23 04:01:04.41+00', NULL, NULL);

INSERT INTO public.consignments OVERRIDING SYSTEM VALUE VALUES
	(1, 1, 'production', 'DONE', 'O-DONE', 'C-DONE', 'FORWARD', '{FORWARD}', 'plain', 1, '{"consignmentDetails":{"referenceNumber":"DONE","orderNumber":"O-DONE","consignmentNumber":"C-DONE","consignmentType":"FORWARD","serviceType":"Standard","shipByDate":"2026-11-25","totalWeight":1.5,"totalWeightUom":"KG","totalQuantity":1,"labelFormat":"PDF","deliveryInstructions":"Example: ring twice","packageDetails":[{"id":"PKG-1","type":"Carton","length":30,"width":20,"height":10,"dimensionUom":"CM","weight":1.5,"weightUom":"KG","quantity":1,"description":"Example books","value":20}]},"carrier":{"code":"plain"},"shipFrom":{"contact":{"name":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com","companyName":"Example Goods"},"address":{"line1":"Example Street 1","city":"Hamburg","county":"Altstadt","state":"HH","pincode":"20095","country":"DE","type":"Residential"},"timezone":"Europe/Berlin","pickupStartDateTime":"2026-11-25 10:00:00","pickupEndDateTime":"2026-11-25 16:00:00"},"shipTo":{"contact":{"name":"Erika Example","contactNumber":"+49895550100","email":"erika.example@example.com","companyName":"Erika Example"},"address":{"line1":"Sample Road 22","city":"Munich","county":"Altstadt","state":"BY","pincode":"80331","country":"DE","type":"Residential"},"timezone":"Europe/Berlin"}}', '{"referenceId":"DONE","orderNumber":"O-DONE","consignmentNumber":"C-DONE","typeOfOrder":"FORWARD","numberOfShipments":1,"totalWeight":1.5,"uomTotalWeight":"KG","deliveryInstructions":"Example: ring twice","originTimezone":"Europe/Berlin","originPreferredStartTime":"2026-11-25 10:00:00","originPreferredEndTime":"2026-11-25 16:00:00","originName":"Example Goods","originContactPerson":"Example Goods","originCompanyName":"Example Goods","originContactNumber":"+49405550100","originEmail":"example.goods@example.com","originType":"RESIDENTIAL","originAddressLine1":"Example Street 1","originCity":"Hamburg","originCounty":"Altstadt","originStateProvince":"HH","originCountry":"DE","originPostalCode":"20095","destinationTimezone":"Europe/Berlin","destinationName":"Erika Example","destinationContactPerson":"Erika Example","destinationCompanyName":"Erika Example","destinationContactNumber":"+49895550100","destinationEmail":"erika.example@example.com","destinationType":"RESIDENTIAL","destinationAddressLine1":"Sample Road 22","destinationCity":"Munich","destinationCounty":"Altstadt","destinationStateProvince":"BY","destinationCountry":"DE","destinationPostalCode":"80331","typeOfService":"STANDARD","typeOfAction":"CREATE","carrierCode":"plain","totalQuantity":1,"shippingDateTime":"2026-11-25 10:00:00","labelFormat":"PDF","itemList":[{"itemReferenceNumber":"PKG-1","itemQuantity":1,"itemWeight":1.5,"itemWeightUom":"KG","itemName":"Example books","itemValue":20,"itemLength":30,"itemWidth":20,"itemHeight":10,"itemDimensionUom":"CM"}],"shipper":{"name":"Example Goods","companyName":"Example Goods","addressLine1":"Example Street 1","city":"Hamburg","stateProvince":"HH","country":"DE","postalCode":"20095","contactPerson":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com"},"info":{"consignmentDetails":{"serviceType":"Standard","shipByDate":"2026-11-25","packageDetails":[{"type":"Carton"}]}}}', 'accepted', 'In Transit', NULL, '{}', 3, '2026-11-23 04:00:51.384655+00', '2026-11-23 04:00:51.90908+00', NULL, 2, false),
	(2, 1, 'production', 'DELIVERED', 'O-DELIVERED', 'C-DELIVERED', 'FORWARD', '{FORWARD}', 'plain', 1, '{"consignmentDetails":{"referenceNumber":"DELIVERED","orderNumber":"O-DELIVERED","consignmentNumber":"C-DELIVERED","consignmentType":"FORWARD","serviceType":"Standard","shipByDate":"2026-11-25","totalWeight":1.5,"totalWeightUom":"KG","totalQuantity":1,"labelFormat":"PDF","deliveryInstructions":"Example: ring twice","packageDetails":[{"id":"PKG-1","type":"Carton","length":30,"width":20,"height":10,"dimensionUom":"CM","weight":1.5,"weightUom":"KG","quantity":1,"description":"Example books","value":20}]},"carrier":{"code":"plain"},"shipFrom":{"contact":{"name":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com","companyName":"Example Goods"},"address":{"line1":"Example Street 1","city":"Hamburg","county":"Altstadt","state":"HH","pincode":"20095","country":"DE","type":"Residential"},"timezone":"Europe/Berlin","pickupStartDateTime":"2026-11-25 10:00:00","pickupEndDateTime":"2026-11-25 16:00:00"},"shipTo":{"contact":{"name":"Erika Example","contactNumber":"+49895550100","email":"erika.example@example.com","companyName":"Erika Example"},"address":{"line1":"Sample Road 22","city":"Munich","county":"Altstadt","state":"BY","pincode":"80331","country":"DE","type":"Residential"},"timezone":"Europe/Berlin"}}', '{"referenceId":"DELIVERED","orderNumber":"O-DELIVERED","consignmentNumber":"C-DELIVERED","typeOfOrder":"FORWARD","numberOfShipments":1,"totalWeight":1.5,"uomTotalWeight":"KG","deliveryInstructions":"Example: ring twice","originTimezone":"Europe/Berlin","originPreferredStartTime":"2026-11-25 10:00:00","originPreferredEndTime":"2026-11-25 16:00:00","originName":"Example Goods","originContactPerson":"Example Goods","originCompanyName":"Example Goods","originContactNumber":"+49405550100","originEmail":"example.goods@example.com","originType":"RESIDENTIAL","originAddressLine1":"Example Street 1","originCity":"Hamburg","originCounty":"Altstadt","originStateProvince":"HH","originCountry":"DE","originPostalCode":"20095","destinationTimezone":"Europe/Berlin","destinationName":"Erika Example","destinationContactPerson":"Erika Example","destinationCompanyName":"Erika Example","destinationContactNumber":"+49895550100","destinationEmail":"erika.example@example.com","destinationType":"RESIDENTIAL","destinationAddressLine1":"Sample Road 22","destinationCity":"Munich","destinationCounty":"Altstadt","destinationStateProvince":"BY","destinationCountry":"DE","destinationPostalCode":"80331","typeOfService":"STANDARD","typeOfAction":"CREATE","carrierCode":"plain","totalQuantity":1,"shippingDateTime":"2026-11-25 10:00:00","labelFormat":"PDF","itemList":[{"itemReferenceNumber":"PKG-1","itemQuantity":1,"itemWeight":1.5,"itemWeightUom":"KG","itemName":"Example books","itemValue":20,"itemLength":30,"itemWidth":20,"itemHeight":10,"itemDimensionUom":"CM"}],"shipper":{"name":"Example Goods","companyName":"Example Goods","addressLine1":"Example Street 1","city":"Hamburg","stateProvince":"HH","country":"DE","postalCode":"20095","contactPerson":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com"},"info":{"consignmentDetails":{"serviceType":"Standard","shipByDate":"2026-11-25","packageDetails":[{"type":"Carton"}]}}}', 'accepted', 'Order Delivered', NULL, '{}', 2, '2026-11-23 04:00:51.964731+00', '2026-11-23 04:00:52.059753+00', NULL, 2, false),
	(4, 1, 'production', 'REJECTED', 'O-REJECTED', 'C-REJECTED', 'FORWARD', '{FORWARD}', 'plain', 1, '{"consignmentDetails":{"referenceNumber":"REJECTED","orderNumber":"O-REJECTED","consignmentNumber":"C-REJECTED","consignmentType":"FORWARD","serviceType":"Standard","shipByDate":"2026-11-25","totalWeight":1.5,"totalWeightUom":"KG","totalQuantity":1,"labelFormat":"PDF","deliveryInstructions":"Example: ring twice","packageDetails":[{"id":"PKG-1","type":"Carton","length":30,"width":20,"height":10,"dimensionUom":"CM","weight":1.5,"weightUom":"KG","quantity":1,"description":"Example books","value":20}]},"carrier":{"code":"plain"},"shipFrom":{"contact":{"name":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com","companyName":"Example Goods"},"address":{"line1":"Example Street 1","city":"Hamburg","county":"Altstadt","state":"HH","pincode":"20095","country":"DE","type":"Residential"},"timezone":"Europe/Berlin","pickupStartDateTime":"2026-11-25 10:00:00","pickupEndDateTime":"2026-11-25 16:00:00"},"shipTo":{"contact":{"name":"Erika Example","contactNumber":"+49895550100","email":"erika.example@example.com","companyName":"Erika Example"},"address":{"line1":"Sample Road 22","city":"Munich","county":"Altstadt","state":"BY","pincode":"80331","country":"DE","type":"Residential"},"timezone":"Europe/Berlin"}}', '{"referenceId":"REJECTED","orderNumber":"O-REJECTED","consignmentNumber":"C-REJECTED","typeOfOrder":"FORWARD","numberOfShipments":1,"totalWeight":1.5,"uomTotalWeight":"KG","deliveryInstructions":"Example: ring twice","originTimezone":"Europe/Berlin","originPreferredStartTime":"2026-11-25 10:00:00","originPreferredEndTime":"2026-11-25 16:00:00","originName":"Example Goods","originContactPerson":"Example Goods","originCompanyName":"Example Goods","originContactNumber":"+49405550100","originEmail":"example.goods@example.com","originType":"RESIDENTIAL","originAddressLine1":"Example Street 1","originCity":"Hamburg","originCounty":"Altstadt","originStateProvince":"HH","originCountry":"DE","originPostalCode":"20095","destinationTimezone":"Europe/Berlin","destinationName":"Erika Example","destinationContactPerson":"Erika Example","destinationCompanyName":"Erika Example","destinationContactNumber":"+49895550100","destinationEmail":"erika.example@example.com","destinationType":"RESIDENTIAL","destinationAddressLine1":"Sample Road 22","destinationCity":"Munich","destinationCounty":"Altstadt","destinationStateProvince":"BY","destinationCountry":"DE","destinationPostalCode":"80331","typeOfService":"STANDARD","typeOfAction":"CREATE","carrierCode":"plain","totalQuantity":1,"shippingDateTime":"2026-11-25 10:00:00","labelFormat":"PDF","itemList":[{"itemReferenceNumber":"PKG-1","itemQuantity":1,"itemWeight":1.5,"itemWeightUom":"KG","itemName":"Example books","itemValue":20,"itemLength":30,"itemWidth":20,"itemHeight":10,"itemDimensionUom":"CM"}],"shipper":{"name":"Example Goods","companyName":"Example Goods","addressLine1":"Example Street 1","city":"Hamburg","stateProvince":"HH","country":"DE","postalCode":"20095","contactPerson":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com"},"info":{"consignmentDetails":{"serviceType":"Standard","shipByDate":"2026-11-25","packageDetails":[{"type":"Carton"}]}}}', 'rejected', 'Order Created', NULL, '{}', 1, '2026-11-23 04:00:52.427064+00', '2026-11-23 04:00:52.502899+00', '2026-11-23 04:00:52.502899+00', 1, false),
	(3, 1, 'production', 'CANCELLED', 'O-CANCELLED', 'C-CANCELLED', 'FORWARD', '{FORWARD}', 'plain', 1, '{"consignmentDetails":{"referenceNumber":"CANCELLED","orderNumber":"O-CANCELLED","consignmentNumber":"C-CANCELLED","consignmentType":"FORWARD","serviceType":"Standard","shipByDate":"2026-11-25","totalWeight":1.5,"totalWeightUom":"KG","totalQuantity":1,"labelFormat":"PDF","deliveryInstructions":"Example: ring twice","packageDetails":[{"id":"PKG-1","type":"Carton","length":30,"width":20,"height":10,"dimensionUom":"CM","weight":1.5,"weightUom":"KG","quantity":1,"description":"Example books","value":20}]},"carrier":{"code":"plain"},"shipFrom":{"contact":{"name":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com","companyName":"Example Goods"},"address":{"line1":"Example Street 1","city":"Hamburg","county":"Altstadt","state":"HH","pincode":"20095","country":"DE","type":"Residential"},"timezone":"Europe/Berlin","pickupStartDateTime":"2026-11-25 10:00:00","pickupEndDateTime":"2026-11-25 16:00:00"},"shipTo":{"contact":{"name":"Erika Example","contactNumber":"+49895550100","email":"erika.example@example.com","companyName":"Erika Example"},"address":{"line1":"Sample Road 22","city":"Munich","county":"Altstadt","state":"BY","pincode":"80331","country":"DE","type":"Residential"},"timezone":"Europe/Berlin"}}', '{"referenceId":"CANCELLED","orderNumber":"O-CANCELLED","consignmentNumber":"C-CANCELLED","typeOfOrder":"FORWARD","numberOfShipments":1,"totalWeight":1.5,"uomTotalWeight":"KG","deliveryInstructions":"Example: ring twice","originTimezone":"Europe/Berlin","originPreferredStartTime":"2026-11-25 10:00:00","originPreferredEndTime":"2026-11-25 16:00:00","originName":"Example Goods","originContactPerson":"Example Goods","originCompanyName":"Example Goods","originContactNumber":"+49405550100","originEmail":"example.goods@example.com","originType":"RESIDENTIAL","originAddressLine1":"Example Street 1","originCity":"Hamburg","originCounty":"Altstadt","originStateProvince":"HH","originCountry":"DE","originPostalCode":"20095","destinationTimezone":"Europe/Berlin","destinationName":"Erika Example","destinationContactPerson":"Erika Example","destinationCompanyName":"Erika Example","destinationContactNumber":"+49895550100","destinationEmail":"erika.example@example.com","destinationType":"RESIDENTIAL","destinationAddressLine1":"Sample Road 22","destinationCity":"Munich","destinationCounty":"Altstadt","destinationStateProvince":"BY","destinationCountry":"DE","destinationPostalCode":"80331","typeOfService":"STANDARD","typeOfAction":"CREATE","carrierCode":"plain","totalQuantity":1,"shippingDateTime":"2026-11-25 10:00:00","labelFormat":"PDF","itemList":[{"itemReferenceNumber":"PKG-1","itemQuantity":1,"itemWeight":1.5,"itemWeightUom":"KG","itemName":"Example books","itemValue":20,"itemLength":30,"itemWidth":20,"itemHeight":10,"itemDimensionUom":"CM"}],"shipper":{"name":"Example Goods","companyName":"Example Goods","addressLine1":"Example Street 1","city":"Hamburg","stateProvince":"HH","country":"DE","postalCode":"20095","contactPerson":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com"},"info":{"consignmentDetails":{"serviceType":"Standard","shipByDate":"2026-11-25","packageDetails":[{"type":"Carton"}]}}}', 'cancelled', 'Cancelled', NULL, '{}', 2, '2026-11-23 04:00:52.106279+00', '2026-11-23 04:00:52.267455+00', NULL, 3, false),
	(5, 1, 'production', 'HELD', 'O-HELD', 'C-HELD', 'FORWARD', '{FORWARD}', 'plain', 1, '{"consignmentDetails":{"referenceNumber":"HELD","orderNumber":"O-HELD","consignmentNumber":"C-HELD","consignmentType":"FORWARD","serviceType":"Standard","shipByDate":"2026-11-25","totalWeight":1.5,"totalWeightUom":"KG","totalQuantity":1,"labelFormat":"PDF","deliveryInstructions":"Example: ring twice","packageDetails":[{"id":"PKG-1","type":"Carton","length":30,"width":20,"height":10,"dimensionUom":"CM","weight":1.5,"weightUom":"KG","quantity":1,"description":"Example books","value":20}]},"carrier":{"code":"plain"},"shipFrom":{"contact":{"name":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com","companyName":"Example Goods"},"address":{"line1":"Example Street 1","city":"Hamburg","county":"Altstadt","state":"HH","pincode":"20095","country":"DE","type":"Residential"},"timezone":"Europe/Berlin","pickupStartDateTime":"2026-11-25 10:00:00","pickupEndDateTime":"2026-11-25 16:00:00"},"shipTo":{"contact":{"name":"Erika Example","contactNumber":"+49895550100","email":"erika.example@example.com","companyName":"Erika Example"},"address":{"line1":"Sample Road 22","city":"Munich","county":"Altstadt","state":"BY","pincode":"80331","country":"DE","type":"Residential"},"timezone":"Europe/Berlin"}}', '{"referenceId":"HELD","orderNumber":"O-HELD","consignmentNumber":"C-HELD","typeOfOrder":"FORWARD","numberOfShipments":1,"totalWeight":1.5,"uomTotalWeight":"KG","deliveryInstructions":"Example: ring twice","originTimezone":"Europe/Berlin","originPreferredStartTime":"2026-11-25 10:00:00","originPreferredEndTime":"2026-11-25 16:00:00","originName":"Example Goods","originContactPerson":"Example Goods","originCompanyName":"Example Goods","originContactNumber":"+49405550100","originEmail":"example.goods@example.com","originType":"RESIDENTIAL","originAddressLine1":"Example Street 1","originCity":"Hamburg","originCounty":"Altstadt","originStateProvince":"HH","originCountry":"DE","originPostalCode":"20095","destinationTimezone":"Europe/Berlin","destinationName":"Erika Example","destinationContactPerson":"Erika Example","destinationCompanyName":"Erika Example","destinationContactNumber":"+49895550100","destinationEmail":"erika.example@example.com","destinationType":"RESIDENTIAL","destinationAddressLine1":"Sample Road 22","destinationCity":"Munich","destinationCounty":"Altstadt","destinationStateProvince":"BY","destinationCountry":"DE","destinationPostalCode":"80331","typeOfService":"STANDARD","typeOfAction":"CREATE","carrierCode":"plain","totalQuantity":1,"shippingDateTime":"2026-11-25 10:00:00","labelFormat":"PDF","itemList":[{"itemReferenceNumber":"PKG-1","itemQuantity":1,"itemWeight":1.5,"itemWeightUom":"KG","itemName":"Example books","itemValue":20,"itemLength":30,"itemWidth":20,"itemHeight":10,"itemDimensionUom":"CM"}],"shipper":{"name":"Example Goods","companyName":"Example Goods","addressLine1":"Example Street 1","city":"Hamburg","stateProvince":"HH","country":"DE","postalCode":"20095","contactPerson":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com"},"info":{"consignmentDetails":{"serviceType":"Standard","shipByDate":"2026-11-25","packageDetails":[{"type":"Carton"}]}}}', 'pending', 'Order Created', NULL, '{}', 1, '2026-11-23 04:00:52.565423+00', '2026-11-23 04:01:04.120861+00', NULL, 1, false),
	(6, 1, 'production', 'WAITING', 'O-WAITING', 'C-WAITING', 'FORWARD', '{FORWARD}', 'plain', 1, '{"consignmentDetails":{"referenceNumber":"WAITING","orderNumber":"O-WAITING","consignmentNumber":"C-WAITING","consignmentType":"FORWARD","serviceType":"Standard","shipByDate":"2026-11-25","totalWeight":1.5,"totalWeightUom":"KG","totalQuantity":1,"labelFormat":"PDF","deliveryInstructions":"Example: ring twice","packageDetails":[{"id":"PKG-1","type":"Carton","length":30,"width":20,"height":10,"dimensionUom":"CM","weight":1.5,"weightUom":"KG","quantity":1,"description":"Example books","value":20}]},"carrier":{"code":"plain"},"shipFrom":{"contact":{"name":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com","companyName":"Example Goods"},"address":{"line1":"Example Street 1","city":"Hamburg","county":"Altstadt","state":"HH","pincode":"20095","country":"DE","type":"Residential"},"timezone":"Europe/Berlin","pickupStartDateTime":"2026-11-25 10:00:00","pickupEndDateTime":"2026-11-25 16:00:00"},"shipTo":{"contact":{"name":"Erika Example","contactNumber":"+49895550100","email":"erika.example@example.com","companyName":"Erika Example"},"address":{"line1":"Sample Road 22","city":"Munich","county":"Altstadt","state":"BY","pincode":"80331","country":"DE","type":"Residential"},"timezone":"Europe/Berlin"}}', '{"referenceId":"WAITING","orderNumber":"O-WAITING","consignmentNumber":"C-WAITING","typeOfOrder":"FORWARD","numberOfShipments":1,"totalWeight":1.5,"uomTotalWeight":"KG","deliveryInstructions":"Example: ring twice","originTimezone":"Europe/Berlin","originPreferredStartTime":"2026-11-25 10:00:00","originPreferredEndTime":"2026-11-25 16:00:00","originName":"Example Goods","originContactPerson":"Example Goods","originCompanyName":"Example Goods","originContactNumber":"+49405550100","originEmail":"example.goods@example.com","originType":"RESIDENTIAL","originAddressLine1":"Example Street 1","originCity":"Hamburg","originCounty":"Altstadt","originStateProvince":"HH","originCountry":"DE","originPostalCode":"20095","destinationTimezone":"Europe/Berlin","destinationName":"Erika Example","destinationContactPerson":"Erika Example","destinationCompanyName":"Erika Example","destinationContactNumber":"+49895550100","destinationEmail":"erika.example@example.com","destinationType":"RESIDENTIAL","destinationAddressLine1":"Sample Road 22","destinationCity":"Munich","destinationCounty":"Altstadt","destinationStateProvince":"BY","destinationCountry":"DE","destinationPostalCode":"80331","typeOfService":"STANDARD","typeOfAction":"CREATE","carrierCode":"plain","totalQuantity":1,"shippingDateTime":"2026-11-25 10:00:00","labelFormat":"PDF","itemList":[{"itemReferenceNumber":"PKG-1","itemQuantity":1,"itemWeight":1.5,"itemWeightUom":"KG","itemName":"Example books","itemValue":20,"itemLength":30,"itemWidth":20,"itemHeight":10,"itemDimensionUom":"CM"}],"shipper":{"name":"Example Goods","companyName":"Example Goods","addressLine1":"Example Street 1","city":"Hamburg","stateProvince":"HH","country":"DE","postalCode":"20095","contactPerson":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com"},"info":{"consignmentDetails":{"serviceType":"Standard","shipByDate":"2026-11-25","packageDetails":[{"type":"Carton"}]}}}', 'pending', 'Order Created', NULL, '{}', 0, '2026-11-23 04:01:04.188833+00', '2026-11-23 04:01:04.188833+00', NULL, 0, false),
	(7, 1, 'production', 'SENDING', 'O-SENDING', 'C-SENDING', 'FORWARD', '{FORWARD}', 'plain', 1, '{"consignmentDetails":{"referenceNumber":"SENDING","orderNumber":"O-SENDING","consignmentNumber":"C-SENDING","consignmentType":"FORWARD","serviceType":"Standard","shipByDate":"2026-11-25","totalWeight":1.5,"totalWeightUom":"KG","totalQuantity":1,"labelFormat":"PDF","deliveryInstructions":"Example: ring twice","packageDetails":[{"id":"PKG-1","type":"Carton","length":30,"width":20,"height":10,"dimensionUom":"CM","weight":1.5,"weightUom":"KG","quantity":1,"description":"Example books","value":20}]},"carrier":{"code":"plain"},"shipFrom":{"contact":{"name":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com","companyName":"Example Goods"},"address":{"line1":"Example Street 1","city":"Hamburg","county":"Altstadt","state":"HH","pincode":"20095","country":"DE","type":"Residential"},"timezone":"Europe/Berlin","pickupStartDateTime":"2026-11-25 10:00:00","pickupEndDateTime":"2026-11-25 16:00:00"},"shipTo":{"contact":{"name":"Erika Example","contactNumber":"+49895550100","email":"erika.example@example.com","companyName":"Erika Example"},"address":{"line1":"Sample Road 22","city":"Munich","county":"Altstadt","state":"BY","pincode":"80331","country":"DE","type":"Residential"},"timezone":"Europe/Berlin"}}', '{"referenceId":"SENDING","orderNumber":"O-SENDING","consignmentNumber":"C-SENDING","typeOfOrder":"FORWARD","numberOfShipments":1,"totalWeight":1.5,"uomTotalWeight":"KG","deliveryInstructions":"Example: ring twice","originTimezone":"Europe/Berlin","originPreferredStartTime":"2026-11-25 10:00:00","originPreferredEndTime":"2026-11-25 16:00:00","originName":"Example Goods","originContactPerson":"Example Goods","originCompanyName":"Example Goods","originContactNumber":"+49405550100","originEmail":"example.goods@example.com","originType":"RESIDENTIAL","originAddressLine1":"Example Street 1","originCity":"Hamburg","originCounty":"Altstadt","originStateProvince":"HH","originCountry":"DE","originPostalCode":"20095","destinationTimezone":"Europe/Berlin","destinationName":"Erika Example","destinationContactPerson":"Erika Example","destinationCompanyName":"Erika Example","destinationContactNumber":"+49895550100","destinationEmail":"erika.example@example.com","destinationType":"RESIDENTIAL","destinationAddressLine1":"Sample Road 22","destinationCity":"Munich","destinationCounty":"Altstadt","destinationStateProvince":"BY","destinationCountry":"DE","destinationPostalCode":"80331","typeOfService":"STANDARD","typeOfAction":"CREATE","carrierCode":"plain","totalQuantity":1,"shippingDateTime":"2026-11-25 10:00:00","labelFormat":"PDF","itemList":[{"itemReferenceNumber":"PKG-1","itemQuantity":1,"itemWeight":1.5,"itemWeightUom":"KG","itemName":"Example books","itemValue":20,"itemLength":30,"itemWidth":20,"itemHeight":10,"itemDimensionUom":"CM"}],"shipper":{"name":"Example Goods","companyName":"Example Goods","addressLine1":"Example Street 1","city":"Hamburg","stateProvince":"HH","country":"DE","postalCode":"20095","contactPerson":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com"},"info":{"consignmentDetails":{"serviceType":"Standard","shipByDate":"2026-11-25","packageDetails":[{"type":"Carton"}]}}}', 'pending', 'Order Created', NULL, '{}', 0, '2026-11-23 04:01:04.383694+00', '2026-11-23 04:01:04.383694+00', NULL, 0, false),
	(8, 1, 'production', 'PENDING', 'O-PENDING', 'C-PENDING', 'FORWARD', '{FORWARD}', 'plain', 1, '{"consignmentDetails":{"referenceNumber":"PENDING","orderNumber":"O-PENDING","consignmentNumber":"C-PENDING","consignmentType":"FORWARD","serviceType":"Standard","shipByDate":"2026-11-25","totalWeight":1.5,"totalWeightUom":"KG","totalQuantity":1,"labelFormat":"PDF","deliveryInstructions":"Example: ring twice","packageDetails":[{"id":"PKG-1","type":"Carton","length":30,"width":20,"height":10,"dimensionUom":"CM","weight":1.5,"weightUom":"KG","quantity":1,"description":"Example books","value":20}]},"carrier":{"code":"plain"},"shipFrom":{"contact":{"name":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com","companyName":"Example Goods"},"address":{"line1":"Example Street 1","city":"Hamburg","county":"Altstadt","state":"HH","pincode":"20095","country":"DE","type":"Residential"},"timezone":"Europe/Berlin","pickupStartDateTime":"2026-11-25 10:00:00","pickupEndDateTime":"2026-11-25 16:00:00"},"shipTo":{"contact":{"name":"Erika Example","contactNumber":"+49895550100","email":"erika.example@example.com","companyName":"Erika Example"},"address":{"line1":"Sample Road 22","city":"Munich","county":"Altstadt","state":"BY","pincode":"80331","country":"DE","type":"Residential"},"timezone":"Europe/Berlin"}}', '{"referenceId":"PENDING","orderNumber":"O-PENDING","consignmentNumber":"C-PENDING","typeOfOrder":"FORWARD","numberOfShipments":1,"totalWeight":1.5,"uomTotalWeight":"KG","deliveryInstructions":"Example: ring twice","originTimezone":"Europe/Berlin","originPreferredStartTime":"2026-11-25 10:00:00","originPreferredEndTime":"2026-11-25 16:00:00","originName":"Example Goods","originContactPerson":"Example Goods","originCompanyName":"Example Goods","originContactNumber":"+49405550100","originEmail":"example.goods@example.com","originType":"RESIDENTIAL","originAddressLine1":"Example Street 1","originCity":"Hamburg","originCounty":"Altstadt","originStateProvince":"HH","originCountry":"DE","originPostalCode":"20095","destinationTimezone":"Europe/Berlin","destinationName":"Erika Example","destinationContactPerson":"Erika Example","destinationCompanyName":"Erika Example","destinationContactNumber":"+49895550100","destinationEmail":"erika.example@example.com","destinationType":"RESIDENTIAL","destinationAddressLine1":"Sample Road 22","destinationCity":"Munich","destinationCounty":"Altstadt","destinationStateProvince":"BY","destinationCountry":"DE","destinationPostalCode":"80331","typeOfService":"STANDARD","typeOfAction":"CREATE","carrierCode":"plain","totalQuantity":1,"shippingDateTime":"2026-11-25 10:00:00","labelFormat":"PDF","itemList":[{"itemReferenceNumber":"PKG-1","itemQuantity":1,"itemWeight":1.5,"itemWeightUom":"KG","itemName":"Example books","itemValue":20,"itemLength":30,"itemWidth":20,"itemHeight":10,"itemDimensionUom":"CM"}],"shipper":{"name":"Example Goods","companyName":"Example Goods","addressLine1":"Example Street 1","city":"Hamburg","stateProvince":"HH","country":"DE","postalCode":"20095","contactPerson":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com"},"info":{"consignmentDetails":{"serviceType":"Standard","shipByDate":"2026-11-25","packageDetails":[{"type":"Carton"}]}}}', 'pending', 'Order Created', NULL, '{}', 0, '2026-11-23 04:01:05.455345+00', '2026-11-23 04:01:05.455345+00', NULL, 0, false);

INSERT INTO public.deliveries OVERRIDING SYSTEM VALUE VALUES
	(1, 'evt_DsopfUJOotZoVvtwxADuyfiX', 'sub_VBdbVzEVUc-NJoFlNHZwQd6a', 'delivered', 1, 0, '2026-11-23 04:00:51.765405+00', NULL, NULL, '2026-11-23 04:00:51.765405+00', '2026-11-23 04:00:51.824+00'),
	(2, 'evt_-pybC4NRsvzqbhzpkDOWi_nl', 'sub_VBdbVzEVUc-NJoFlNHZwQd6a', 'delivered', 1, 0, '2026-11-23 04:00:51.90908+00', NULL, NULL, '2026-11-23 04:00:51.90908+00', '2026-11-23 04:00:51.956+00'),
	(3, 'evt_WIXCV5MztSRcrA4ydXB0MEJx', 'sub_VBdbVzEVUc-NJoFlNHZwQd6a', 'delivered', 1, 0, '2026-11-23 04:00:51.90908+00', NULL, NULL, '2026-11-23 04:00:51.90908+00', '2026-11-23 04:00:51.972+00'),
	(4, 'evt_PK5sy5fx28xa0PW7CSV6auyP', 'sub_VBdbVzEVUc-NJoFlNHZwQd6a', 'waiting', 1, 0, '2026-11-23 04:30:52.048+00', NULL, NULL, '2026-11-23 04:00:52.017554+00', NULL),
	(5, 'evt_6XPbYjx0HjKtArlap6ugMsk3', 'sub_VBdbVzEVUc-NJoFlNHZwQd6a', 'waiting', 1, 0, '2026-11-23 04:30:52.126+00', NULL, NULL, '2026-11-23 04:00:52.059753+00', NULL),
	(6, 'evt_ZrZ4TkHPp_uLnSP0laRJ1Nv-', 'sub_VBdbVzEVUc-NJoFlNHZwQd6a', 'delivered', 1, 0, '2026-11-23 04:00:52.153463+00', NULL, NULL, '2026-11-23 04:00:52.153463+00', '2026-11-23 04:00:52.204+00'),
	(7, 'evt_nc5aw3s-FtN0kJpenOI6F3iN', 'sub_VBdbVzEVUc-NJoFlNHZwQd6a', 'delivered', 1, 0, '2026-11-23 04:00:52.267455+00', NULL, NULL, '2026-11-23 04:00:52.267455+00', '2026-11-23 04:00:52.334+00'),
	(8, 'evt_0RYB4EKYEkbpY8MMsezFmQFX', 'sub_VBdbVzEVUc-NJoFlNHZwQd6a', 'delivered', 1, 0, '2026-11-23 04:00:52.502899+00', NULL, NULL, '2026-11-23 04:00:52.502899+00', '2026-11-23 04:00:52.55+00'),
	(9, 'evt_YrSu09Z2wJ-L3SS-55u8vc1a', 'sub_VBdbVzEVUc-NJoFlNHZwQd6a', 'delivered', 1, 0, '2026-11-23 04:01:04.120861+00', NULL, NULL, '2026-11-23 04:01:04.120861+00', '2026-11-23 04:01:04.146+00');

INSERT INTO public.delivery_attempts VALUES
	(1, 1, '2026-11-23 04:00:51.787+00', 200, 36, 'delivered', NULL),
	(2, 1, '2026-11-23 04:00:51.936+00', 200, 20, 'delivered', NULL),
	(3, 1, '2026-11-23 04:00:51.936+00', 200, 35, 'delivered', NULL),
	(4, 1, '2026-11-23 04:00:52.037+00', 503, 11, 'http_error', 'answered 503'),
	(5, 1, '2026-11-23 04:00:52.114+00', 503, 12, 'http_error', 'answered 503'),
	(6, 1, '2026-11-23 04:00:52.178+00', 200, 26, 'delivered', NULL),
	(7, 1, '2026-11-23 04:00:52.289+00', 200, 45, 'delivered', NULL),
	(8, 1, '2026-11-23 04:00:52.546+00', 200, 4, 'delivered', NULL),
	(9, 1, '2026-11-23 04:01:04.138+00', 200, 8, 'delivered', NULL);

INSERT INTO public.dispatches OVERRIDING SYSTEM VALUE VALUES
	(1, 1, 'create', 'done', 1, '2026-11-23 04:00:51.384655+00', NULL, NULL, 'd948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868', 1, 'e1ccc6b2-ddcc-4e45-b992-03055e02ace7', '{"consignment":{"referenceId":"DONE","orderNumber":"O-DONE","consignmentNumber":"C-DONE","typeOfOrder":"FORWARD","numberOfShipments":1,"totalWeight":1.5,"uomTotalWeight":"KG","deliveryInstructions":"Example: ring twice","originTimezone":"Europe/Berlin","originPreferredStartTime":"2026-11-25 10:00:00","originPreferredEndTime":"2026-11-25 16:00:00","originName":"Example Goods","originContactPerson":"Example Goods","originCompanyName":"Example Goods","originContactNumber":"+49405550100","originEmail":"example.goods@example.com","originType":"RESIDENTIAL","originAddressLine1":"Example Street 1","originCity":"Hamburg","originCounty":"Altstadt","originStateProvince":"HH","originCountry":"DE","originPostalCode":"20095","destinationTimezone":"Europe/Berlin","destinationName":"Erika Example","destinationContactPerson":"Erika Example","destinationCompanyName":"Erika Example","destinationContactNumber":"+49895550100","destinationEmail":"erika.example@example.com","destinationType":"RESIDENTIAL","destinationAddressLine1":"Sample Road 22","destinationCity":"Munich","destinationCounty":"Altstadt","destinationStateProvince":"BY","destinationCountry":"DE","destinationPostalCode":"80331","typeOfService":"STANDARD","typeOfAction":"CREATE","carrierCode":"plain","totalQuantity":1,"shippingDateTime":"2026-11-25 10:00:00","labelFormat":"PDF","itemList":[{"itemReferenceNumber":"PKG-1","itemQuantity":1,"itemWeight":1.5,"itemWeightUom":"KG","itemName":"Example books","itemValue":20,"itemLength":30,"itemWidth":20,"itemHeight":10,"itemDimensionUom":"CM"}],"shipper":{"name":"Example Goods","companyName":"Example Goods","addressLine1":"Example Street 1","city":"Hamburg","stateProvince":"HH","country":"DE","postalCode":"20095","contactPerson":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com"},"info":{"consignmentDetails":{"serviceType":"Standard","shipByDate":"2026-11-25","packageDetails":[{"type":"Carton"}]}}},"service":{"name":"STANDARD","typeOfService":"STANDARD"}}', NULL, NULL, '2026-11-23 04:00:51.446+00', '{"packages":[{"itemReferenceNumber":"PKG-1","trackingNumber":"T-DONE-PKG-1","memo":{}}],"memo":{},"warnings":[]}', NULL, '2026-11-23 04:00:51.384655+00', '2026-11-23 04:00:51.702+00'),
	(2, 2, 'create', 'done', 1, '2026-11-23 04:00:51.964731+00', NULL, NULL, 'd948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868', 1, '552dfcf4-4a2b-4c18-b510-79e8881246f9', '{"consignment":{"referenceId":"DELIVERED","orderNumber":"O-DELIVERED","consignmentNumber":"C-DELIVERED","typeOfOrder":"FORWARD","numberOfShipments":1,"totalWeight":1.5,"uomTotalWeight":"KG","deliveryInstructions":"Example: ring twice","originTimezone":"Europe/Berlin","originPreferredStartTime":"2026-11-25 10:00:00","originPreferredEndTime":"2026-11-25 16:00:00","originName":"Example Goods","originContactPerson":"Example Goods","originCompanyName":"Example Goods","originContactNumber":"+49405550100","originEmail":"example.goods@example.com","originType":"RESIDENTIAL","originAddressLine1":"Example Street 1","originCity":"Hamburg","originCounty":"Altstadt","originStateProvince":"HH","originCountry":"DE","originPostalCode":"20095","destinationTimezone":"Europe/Berlin","destinationName":"Erika Example","destinationContactPerson":"Erika Example","destinationCompanyName":"Erika Example","destinationContactNumber":"+49895550100","destinationEmail":"erika.example@example.com","destinationType":"RESIDENTIAL","destinationAddressLine1":"Sample Road 22","destinationCity":"Munich","destinationCounty":"Altstadt","destinationStateProvince":"BY","destinationCountry":"DE","destinationPostalCode":"80331","typeOfService":"STANDARD","typeOfAction":"CREATE","carrierCode":"plain","totalQuantity":1,"shippingDateTime":"2026-11-25 10:00:00","labelFormat":"PDF","itemList":[{"itemReferenceNumber":"PKG-1","itemQuantity":1,"itemWeight":1.5,"itemWeightUom":"KG","itemName":"Example books","itemValue":20,"itemLength":30,"itemWidth":20,"itemHeight":10,"itemDimensionUom":"CM"}],"shipper":{"name":"Example Goods","companyName":"Example Goods","addressLine1":"Example Street 1","city":"Hamburg","stateProvince":"HH","country":"DE","postalCode":"20095","contactPerson":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com"},"info":{"consignmentDetails":{"serviceType":"Standard","shipByDate":"2026-11-25","packageDetails":[{"type":"Carton"}]}}},"service":{"name":"STANDARD","typeOfService":"STANDARD"}}', NULL, NULL, '2026-11-23 04:00:51.974+00', '{"packages":[{"itemReferenceNumber":"PKG-1","trackingNumber":"T-DELIVERED-PKG-1","memo":{}}],"memo":{},"warnings":[]}', NULL, '2026-11-23 04:00:51.964731+00', '2026-11-23 04:00:52.011+00'),
	(3, 3, 'create', 'done', 1, '2026-11-23 04:00:52.106279+00', NULL, NULL, 'd948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868', 1, 'c919735c-2f03-4fa3-9352-85053edce1c2', '{"consignment":{"referenceId":"CANCELLED","orderNumber":"O-CANCELLED","consignmentNumber":"C-CANCELLED","typeOfOrder":"FORWARD","numberOfShipments":1,"totalWeight":1.5,"uomTotalWeight":"KG","deliveryInstructions":"Example: ring twice","originTimezone":"Europe/Berlin","originPreferredStartTime":"2026-11-25 10:00:00","originPreferredEndTime":"2026-11-25 16:00:00","originName":"Example Goods","originContactPerson":"Example Goods","originCompanyName":"Example Goods","originContactNumber":"+49405550100","originEmail":"example.goods@example.com","originType":"RESIDENTIAL","originAddressLine1":"Example Street 1","originCity":"Hamburg","originCounty":"Altstadt","originStateProvince":"HH","originCountry":"DE","originPostalCode":"20095","destinationTimezone":"Europe/Berlin","destinationName":"Erika Example","destinationContactPerson":"Erika Example","destinationCompanyName":"Erika Example","destinationContactNumber":"+49895550100","destinationEmail":"erika.example@example.com","destinationType":"RESIDENTIAL","destinationAddressLine1":"Sample Road 22","destinationCity":"Munich","destinationCounty":"Altstadt","destinationStateProvince":"BY","destinationCountry":"DE","destinationPostalCode":"80331","typeOfService":"STANDARD","typeOfAction":"CREATE","carrierCode":"plain","totalQuantity":1,"shippingDateTime":"2026-11-25 10:00:00","labelFormat":"PDF","itemList":[{"itemReferenceNumber":"PKG-1","itemQuantity":1,"itemWeight":1.5,"itemWeightUom":"KG","itemName":"Example books","itemValue":20,"itemLength":30,"itemWidth":20,"itemHeight":10,"itemDimensionUom":"CM"}],"shipper":{"name":"Example Goods","companyName":"Example Goods","addressLine1":"Example Street 1","city":"Hamburg","stateProvince":"HH","country":"DE","postalCode":"20095","contactPerson":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com"},"info":{"consignmentDetails":{"serviceType":"Standard","shipByDate":"2026-11-25","packageDetails":[{"type":"Carton"}]}}},"service":{"name":"STANDARD","typeOfService":"STANDARD"}}', NULL, NULL, '2026-11-23 04:00:52.118+00', '{"packages":[{"itemReferenceNumber":"PKG-1","trackingNumber":"T-CANCELLED-PKG-1","memo":{}}],"memo":{},"warnings":[]}', NULL, '2026-11-23 04:00:52.106279+00', '2026-11-23 04:00:52.147+00'),
	(4, 3, 'cancel', 'done', 1, '2026-11-23 04:00:52.206979+00', NULL, NULL, 'd948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868', 1, '6130d9e8-e68c-4b18-9fd3-1dbb81b61d06', '{"consignment":{"referenceId":"CANCELLED","orderNumber":"O-CANCELLED","consignmentNumber":"C-CANCELLED","typeOfOrder":"FORWARD","numberOfShipments":1,"totalWeight":1.5,"uomTotalWeight":"KG","deliveryInstructions":"Example: ring twice","originTimezone":"Europe/Berlin","originPreferredStartTime":"2026-11-25 10:00:00","originPreferredEndTime":"2026-11-25 16:00:00","originName":"Example Goods","originContactPerson":"Example Goods","originCompanyName":"Example Goods","originContactNumber":"+49405550100","originEmail":"example.goods@example.com","originType":"RESIDENTIAL","originAddressLine1":"Example Street 1","originCity":"Hamburg","originCounty":"Altstadt","originStateProvince":"HH","originCountry":"DE","originPostalCode":"20095","destinationTimezone":"Europe/Berlin","destinationName":"Erika Example","destinationContactPerson":"Erika Example","destinationCompanyName":"Erika Example","destinationContactNumber":"+49895550100","destinationEmail":"erika.example@example.com","destinationType":"RESIDENTIAL","destinationAddressLine1":"Sample Road 22","destinationCity":"Munich","destinationCounty":"Altstadt","destinationStateProvince":"BY","destinationCountry":"DE","destinationPostalCode":"80331","typeOfService":"STANDARD","typeOfAction":"CANCEL","carrierCode":"plain","totalQuantity":1,"shippingDateTime":"2026-11-25 10:00:00","labelFormat":"PDF","itemList":[{"itemReferenceNumber":"PKG-1","itemQuantity":1,"itemWeight":1.5,"itemWeightUom":"KG","itemName":"Example books","itemValue":20,"itemLength":30,"itemWidth":20,"itemHeight":10,"itemDimensionUom":"CM"}],"shipper":{"name":"Example Goods","companyName":"Example Goods","addressLine1":"Example Street 1","city":"Hamburg","stateProvince":"HH","country":"DE","postalCode":"20095","contactPerson":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com"},"info":{"consignmentDetails":{"serviceType":"Standard","shipByDate":"2026-11-25","packageDetails":[{"type":"Carton"}]}}},"service":{"name":"STANDARD","typeOfService":"STANDARD"},"shipment":{"trackingNumber":"T-CANCELLED-PKG-1","memo":{},"packages":[{"itemReferenceNumber":"PKG-1","trackingNumber":"T-CANCELLED-PKG-1","memo":{}}]}}', NULL, NULL, '2026-11-23 04:00:52.219+00', NULL, NULL, '2026-11-23 04:00:52.206979+00', '2026-11-23 04:00:52.266+00'),
	(5, 4, 'create', 'rejected', 1, '2026-11-23 04:00:52.427064+00', NULL, NULL, 'd948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868', 1, 'c2c25b7f-a824-45d2-a704-abb4ba44e540', '{"consignment":{"referenceId":"REJECTED","orderNumber":"O-REJECTED","consignmentNumber":"C-REJECTED","typeOfOrder":"FORWARD","numberOfShipments":1,"totalWeight":1.5,"uomTotalWeight":"KG","deliveryInstructions":"Example: ring twice","originTimezone":"Europe/Berlin","originPreferredStartTime":"2026-11-25 10:00:00","originPreferredEndTime":"2026-11-25 16:00:00","originName":"Example Goods","originContactPerson":"Example Goods","originCompanyName":"Example Goods","originContactNumber":"+49405550100","originEmail":"example.goods@example.com","originType":"RESIDENTIAL","originAddressLine1":"Example Street 1","originCity":"Hamburg","originCounty":"Altstadt","originStateProvince":"HH","originCountry":"DE","originPostalCode":"20095","destinationTimezone":"Europe/Berlin","destinationName":"Erika Example","destinationContactPerson":"Erika Example","destinationCompanyName":"Erika Example","destinationContactNumber":"+49895550100","destinationEmail":"erika.example@example.com","destinationType":"RESIDENTIAL","destinationAddressLine1":"Sample Road 22","destinationCity":"Munich","destinationCounty":"Altstadt","destinationStateProvince":"BY","destinationCountry":"DE","destinationPostalCode":"80331","typeOfService":"STANDARD","typeOfAction":"CREATE","carrierCode":"plain","totalQuantity":1,"shippingDateTime":"2026-11-25 10:00:00","labelFormat":"PDF","itemList":[{"itemReferenceNumber":"PKG-1","itemQuantity":1,"itemWeight":1.5,"itemWeightUom":"KG","itemName":"Example books","itemValue":20,"itemLength":30,"itemWidth":20,"itemHeight":10,"itemDimensionUom":"CM"}],"shipper":{"name":"Example Goods","companyName":"Example Goods","addressLine1":"Example Street 1","city":"Hamburg","stateProvince":"HH","country":"DE","postalCode":"20095","contactPerson":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com"},"info":{"consignmentDetails":{"serviceType":"Standard","shipByDate":"2026-11-25","packageDetails":[{"type":"Carton"}]}}},"service":{"name":"STANDARD","typeOfService":"STANDARD"}}', NULL, NULL, '2026-11-23 04:00:52.441+00', NULL, '{"why":"rejected","problem":{"code":"http_400","messages":["the carrier answered 400"],"place":{"file":"carriers/contract.yaml","line":10,"column":5}}}', '2026-11-23 04:00:52.427064+00', '2026-11-23 04:00:52.492+00'),
	(6, 5, 'create', 'held', 4, '2026-11-23 04:01:04.087+00', NULL, NULL, 'd948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868', 1, 'fd261104-a50c-40a7-b69c-ba423157a5e7', '{"consignment":{"referenceId":"HELD","orderNumber":"O-HELD","consignmentNumber":"C-HELD","typeOfOrder":"FORWARD","numberOfShipments":1,"totalWeight":1.5,"uomTotalWeight":"KG","deliveryInstructions":"Example: ring twice","originTimezone":"Europe/Berlin","originPreferredStartTime":"2026-11-25 10:00:00","originPreferredEndTime":"2026-11-25 16:00:00","originName":"Example Goods","originContactPerson":"Example Goods","originCompanyName":"Example Goods","originContactNumber":"+49405550100","originEmail":"example.goods@example.com","originType":"RESIDENTIAL","originAddressLine1":"Example Street 1","originCity":"Hamburg","originCounty":"Altstadt","originStateProvince":"HH","originCountry":"DE","originPostalCode":"20095","destinationTimezone":"Europe/Berlin","destinationName":"Erika Example","destinationContactPerson":"Erika Example","destinationCompanyName":"Erika Example","destinationContactNumber":"+49895550100","destinationEmail":"erika.example@example.com","destinationType":"RESIDENTIAL","destinationAddressLine1":"Sample Road 22","destinationCity":"Munich","destinationCounty":"Altstadt","destinationStateProvince":"BY","destinationCountry":"DE","destinationPostalCode":"80331","typeOfService":"STANDARD","typeOfAction":"CREATE","carrierCode":"plain","totalQuantity":1,"shippingDateTime":"2026-11-25 10:00:00","labelFormat":"PDF","itemList":[{"itemReferenceNumber":"PKG-1","itemQuantity":1,"itemWeight":1.5,"itemWeightUom":"KG","itemName":"Example books","itemValue":20,"itemLength":30,"itemWidth":20,"itemHeight":10,"itemDimensionUom":"CM"}],"shipper":{"name":"Example Goods","companyName":"Example Goods","addressLine1":"Example Street 1","city":"Hamburg","stateProvince":"HH","country":"DE","postalCode":"20095","contactPerson":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com"},"info":{"consignmentDetails":{"serviceType":"Standard","shipByDate":"2026-11-25","packageDetails":[{"type":"Carton"}]}}},"service":{"name":"STANDARD","typeOfService":"STANDARD"}}', NULL, NULL, '2026-11-23 04:00:52.579+00', NULL, '{"why":"unknown_outcome","problem":{"code":"connection_reset","messages":["socket hang up","nobody knows whether the carrier did it"],"place":{"file":"carriers/contract.yaml","line":6,"column":11}}}', '2026-11-23 04:00:52.565423+00', '2026-11-23 04:01:04.119+00'),
	(7, 6, 'create', 'waiting', 1, '2026-11-23 05:01:04.321+00', NULL, NULL, 'd948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868', 1, 'fdfc8807-ff3c-4723-8bb6-b9a668835f10', '{"consignment":{"referenceId":"WAITING","orderNumber":"O-WAITING","consignmentNumber":"C-WAITING","typeOfOrder":"FORWARD","numberOfShipments":1,"totalWeight":1.5,"uomTotalWeight":"KG","deliveryInstructions":"Example: ring twice","originTimezone":"Europe/Berlin","originPreferredStartTime":"2026-11-25 10:00:00","originPreferredEndTime":"2026-11-25 16:00:00","originName":"Example Goods","originContactPerson":"Example Goods","originCompanyName":"Example Goods","originContactNumber":"+49405550100","originEmail":"example.goods@example.com","originType":"RESIDENTIAL","originAddressLine1":"Example Street 1","originCity":"Hamburg","originCounty":"Altstadt","originStateProvince":"HH","originCountry":"DE","originPostalCode":"20095","destinationTimezone":"Europe/Berlin","destinationName":"Erika Example","destinationContactPerson":"Erika Example","destinationCompanyName":"Erika Example","destinationContactNumber":"+49895550100","destinationEmail":"erika.example@example.com","destinationType":"RESIDENTIAL","destinationAddressLine1":"Sample Road 22","destinationCity":"Munich","destinationCounty":"Altstadt","destinationStateProvince":"BY","destinationCountry":"DE","destinationPostalCode":"80331","typeOfService":"STANDARD","typeOfAction":"CREATE","carrierCode":"plain","totalQuantity":1,"shippingDateTime":"2026-11-25 10:00:00","labelFormat":"PDF","itemList":[{"itemReferenceNumber":"PKG-1","itemQuantity":1,"itemWeight":1.5,"itemWeightUom":"KG","itemName":"Example books","itemValue":20,"itemLength":30,"itemWidth":20,"itemHeight":10,"itemDimensionUom":"CM"}],"shipper":{"name":"Example Goods","companyName":"Example Goods","addressLine1":"Example Street 1","city":"Hamburg","stateProvince":"HH","country":"DE","postalCode":"20095","contactPerson":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com"},"info":{"consignmentDetails":{"serviceType":"Standard","shipByDate":"2026-11-25","packageDetails":[{"type":"Carton"}]}}},"service":{"name":"STANDARD","typeOfService":"STANDARD"}}', NULL, NULL, '2026-11-23 04:01:04.207+00', NULL, '{"why":"waiting","problem":{"code":"http_429","messages":["the carrier asks us to slow down (429)"]}}', '2026-11-23 04:01:04.188833+00', NULL),
	(8, 7, 'create', 'sending', 1, '2026-11-23 04:01:04.383694+00', 'a5d88aff-c93a-4fa7-b014-9432fc0c1005', '2026-11-23 04:02:04.40111+00', 'd948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868', 1, '6eeb67a8-ad88-4f2a-8325-e9f17829a058', '{"consignment":{"referenceId":"SENDING","orderNumber":"O-SENDING","consignmentNumber":"C-SENDING","typeOfOrder":"FORWARD","numberOfShipments":1,"totalWeight":1.5,"uomTotalWeight":"KG","deliveryInstructions":"Example: ring twice","originTimezone":"Europe/Berlin","originPreferredStartTime":"2026-11-25 10:00:00","originPreferredEndTime":"2026-11-25 16:00:00","originName":"Example Goods","originContactPerson":"Example Goods","originCompanyName":"Example Goods","originContactNumber":"+49405550100","originEmail":"example.goods@example.com","originType":"RESIDENTIAL","originAddressLine1":"Example Street 1","originCity":"Hamburg","originCounty":"Altstadt","originStateProvince":"HH","originCountry":"DE","originPostalCode":"20095","destinationTimezone":"Europe/Berlin","destinationName":"Erika Example","destinationContactPerson":"Erika Example","destinationCompanyName":"Erika Example","destinationContactNumber":"+49895550100","destinationEmail":"erika.example@example.com","destinationType":"RESIDENTIAL","destinationAddressLine1":"Sample Road 22","destinationCity":"Munich","destinationCounty":"Altstadt","destinationStateProvince":"BY","destinationCountry":"DE","destinationPostalCode":"80331","typeOfService":"STANDARD","typeOfAction":"CREATE","carrierCode":"plain","totalQuantity":1,"shippingDateTime":"2026-11-25 10:00:00","labelFormat":"PDF","itemList":[{"itemReferenceNumber":"PKG-1","itemQuantity":1,"itemWeight":1.5,"itemWeightUom":"KG","itemName":"Example books","itemValue":20,"itemLength":30,"itemWidth":20,"itemHeight":10,"itemDimensionUom":"CM"}],"shipper":{"name":"Example Goods","companyName":"Example Goods","addressLine1":"Example Street 1","city":"Hamburg","stateProvince":"HH","country":"DE","postalCode":"20095","contactPerson":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com"},"info":{"consignmentDetails":{"serviceType":"Standard","shipByDate":"2026-11-25","packageDetails":[{"type":"Carton"}]}}},"service":{"name":"STANDARD","typeOfService":"STANDARD"}}', NULL, NULL, '2026-11-23 04:01:04.4+00', NULL, NULL, '2026-11-23 04:01:04.383694+00', NULL),
	(9, 8, 'create', 'pending', 0, '2026-11-23 04:01:05.455345+00', NULL, NULL, 'd948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868', 1, '3823c373-a252-4def-94e1-00de361cc8de', '{"consignment":{"referenceId":"PENDING","orderNumber":"O-PENDING","consignmentNumber":"C-PENDING","typeOfOrder":"FORWARD","numberOfShipments":1,"totalWeight":1.5,"uomTotalWeight":"KG","deliveryInstructions":"Example: ring twice","originTimezone":"Europe/Berlin","originPreferredStartTime":"2026-11-25 10:00:00","originPreferredEndTime":"2026-11-25 16:00:00","originName":"Example Goods","originContactPerson":"Example Goods","originCompanyName":"Example Goods","originContactNumber":"+49405550100","originEmail":"example.goods@example.com","originType":"RESIDENTIAL","originAddressLine1":"Example Street 1","originCity":"Hamburg","originCounty":"Altstadt","originStateProvince":"HH","originCountry":"DE","originPostalCode":"20095","destinationTimezone":"Europe/Berlin","destinationName":"Erika Example","destinationContactPerson":"Erika Example","destinationCompanyName":"Erika Example","destinationContactNumber":"+49895550100","destinationEmail":"erika.example@example.com","destinationType":"RESIDENTIAL","destinationAddressLine1":"Sample Road 22","destinationCity":"Munich","destinationCounty":"Altstadt","destinationStateProvince":"BY","destinationCountry":"DE","destinationPostalCode":"80331","typeOfService":"STANDARD","typeOfAction":"CREATE","carrierCode":"plain","totalQuantity":1,"shippingDateTime":"2026-11-25 10:00:00","labelFormat":"PDF","itemList":[{"itemReferenceNumber":"PKG-1","itemQuantity":1,"itemWeight":1.5,"itemWeightUom":"KG","itemName":"Example books","itemValue":20,"itemLength":30,"itemWidth":20,"itemHeight":10,"itemDimensionUom":"CM"}],"shipper":{"name":"Example Goods","companyName":"Example Goods","addressLine1":"Example Street 1","city":"Hamburg","stateProvince":"HH","country":"DE","postalCode":"20095","contactPerson":"Example Goods","contactNumber":"+49405550100","email":"example.goods@example.com"},"info":{"consignmentDetails":{"serviceType":"Standard","shipByDate":"2026-11-25","packageDetails":[{"type":"Carton"}]}}},"service":{"name":"STANDARD","typeOfService":"STANDARD"}}', NULL, NULL, NULL, NULL, NULL, '2026-11-23 04:01:05.455345+00', NULL);

INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES
	(1, 1, 'plain', '\xa2b6e86cf6d360f5e1a0ec4e3f4eb9e25bba5378549f4bc92c2e1b5a0892eada', 'matched', 'Tracking', 'T-DONE-PKG-1', 1, 0, 'In Transit', NULL, 'IN_TRANSIT', '', '', '2026-11-20 08:15:00+00', 'UTC', '2026-11-23 04:00:51.90908+00', '[]', '{"type":"Tracking","value":"T-DONE-PKG-1","carrierStatusCode":"IN_TRANSIT","statusReceivedAt":"2026-11-20 08:15:00","label":{"content":"XlhBXkZEZXhhbXBsZV5GU15YWg=="}}'),
	(2, 2, 'plain', '\xd03438bb6197d4a7106f6e216d7145b0be70467eb5d004850b1e40c3c8475d2d', 'matched', 'Tracking', 'T-DELIVERED-PKG-1', 2, 0, 'Order Delivered', NULL, 'DELIVERED', '', '', '2026-11-20 08:15:00+00', 'UTC', '2026-11-23 04:00:52.059753+00', '[]', '{"type":"Tracking","value":"T-DELIVERED-PKG-1","carrierStatusCode":"DELIVERED","statusReceivedAt":"2026-11-20 08:15:00"}'),
	(3, 3, 'plain', '\xed5c7059e28db572eed97faa4dc638ce0b7fd1d33ad76af296ef7c1e53825b7b', 'unmatched', 'Tracking', 'T-LATER-PKG-1', NULL, NULL, 'Out for Delivery', NULL, 'OUT_FOR_DELIVERY', '', '', '2026-11-20 08:15:00+00', 'UTC', '2026-11-23 04:01:04.167624+00', '[]', '{"type":"Tracking","value":"T-LATER-PKG-1","carrierStatusCode":"OUT_FOR_DELIVERY","statusReceivedAt":"2026-11-20 08:15:00"}');

INSERT INTO public.exchanges OVERRIDING SYSTEM VALUE VALUES
	(1, '2026-11-23 04:00:51.569+00', 'plain', 'production', 1, 1, 1, 'd948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868', 'create', 'create', 0, 1, 'POST', 'http://127.0.0.1:34473/', '{"accept":"application/json","content-type":"application/json","authorization":"***authorization***"}', '\x7b227265666572656e63654964223a22444f4e45222c226f726465724e756d626572223a224f2d444f4e45222c22636f6e7369676e6d656e744e756d626572223a22432d444f4e45222c22747970654f664f72646572223a22464f5257415244222c226e756d6265724f66536869706d656e7473223a312c22746f74616c576569676874223a312e352c22756f6d546f74616c576569676874223a224b47222c2264656c6976657279496e737472756374696f6e73223a224578616d706c653a2072696e67207477696365222c226f726967696e54696d657a6f6e65223a224575726f70652f4265726c696e222c226f726967696e507265666572726564537461727454696d65223a22323032362d31312d32352031303a30303a3030222c226f726967696e507265666572726564456e6454696d65223a22323032362d31312d32352031363a30303a3030222c226f726967696e4e616d65223a224578616d706c6520476f6f6473222c226f726967696e436f6e74616374506572736f6e223a224578616d706c6520476f6f6473222c226f726967696e436f6d70616e794e616d65223a224578616d706c6520476f6f6473222c226f726967696e436f6e746163744e756d626572223a222b3439343035353530313030222c226f726967696e456d61696c223a226578616d706c652e676f6f6473406578616d706c652e636f6d222c226f726967696e54797065223a225245534944454e5449414c222c226f726967696e416464726573734c696e6531223a224578616d706c65205374726565742031222c226f726967696e43697479223a2248616d62757267222c226f726967696e436f756e7479223a22416c747374616474222c226f726967696e537461746550726f76696e6365223a224848222c226f726967696e436f756e747279223a224445222c226f726967696e506f7374616c436f6465223a223230303935222c2264657374696e6174696f6e54696d657a6f6e65223a224575726f70652f4265726c696e222c2264657374696e6174696f6e4e616d65223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6e74616374506572736f6e223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6d70616e794e616d65223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6e746163744e756d626572223a222b3439383935353530313030222c2264657374696e6174696f6e456d61696c223a226572696b612e6578616d706c65406578616d706c652e636f6d222c2264657374696e6174696f6e54797065223a225245534944454e5449414c222c2264657374696e6174696f6e416464726573734c696e6531223a2253616d706c6520526f6164203232222c2264657374696e6174696f6e43697479223a224d756e696368222c2264657374696e6174696f6e436f756e7479223a22416c747374616474222c2264657374696e6174696f6e537461746550726f76696e6365223a224259222c2264657374696e6174696f6e436f756e747279223a224445222c2264657374696e6174696f6e506f7374616c436f6465223a223830333331222c22747970654f6653657276696365223a225354414e44415244222c22747970654f66416374696f6e223a22435245415445222c2263617272696572436f6465223a22706c61696e222c22746f74616c5175616e74697479223a312c227368697070696e674461746554696d65223a22323032362d31312d32352031303a30303a3030222c226c6162656c466f726d6174223a22504446222c226974656d4c697374223a5b7b226974656d5265666572656e63654e756d626572223a22504b472d31222c226974656d5175616e74697479223a312c226974656d576569676874223a312e352c226974656d576569676874556f6d223a224b47222c226974656d4e616d65223a224578616d706c6520626f6f6b73222c226974656d56616c7565223a32302c226974656d4c656e677468223a33302c226974656d5769647468223a32302c226974656d486569676874223a31302c226974656d44696d656e73696f6e556f6d223a22434d227d5d2c2273686970706572223a7b226e616d65223a224578616d706c6520476f6f6473222c22636f6d70616e794e616d65223a224578616d706c6520476f6f6473222c22616464726573734c696e6531223a224578616d706c65205374726565742031222c2263697479223a2248616d62757267222c22737461746550726f76696e6365223a224848222c22636f756e747279223a224445222c22706f7374616c436f6465223a223230303935222c22636f6e74616374506572736f6e223a224578616d706c6520476f6f6473222c22636f6e746163744e756d626572223a222b3439343035353530313030222c22656d61696c223a226578616d706c652e676f6f6473406578616d706c652e636f6d227d2c22696e666f223a7b22636f6e7369676e6d656e7444657461696c73223a7b227365727669636554797065223a225374616e64617264222c2273686970427944617465223a22323032362d31312d3235222c227061636b61676544657461696c73223a5b7b2274797065223a22436172746f6e227d5d7d7d7d', 200, '{"content-type":"application/json","retry-after":"3600","date":"Mon, 23 Nov 2026 04:00:51 GMT","connection":"keep-alive","keep-alive":"timeout=5","transfer-encoding":"chunked"}', '\x7b22737461747573223a3230302c227265666572656e63654964223a22444f4e45222c226d657373616765223a22746865206578616d706c65207361797320736f222c226974656d73547261636b44657461696c73223a5b7b226974656d5265666572656e63654e756d626572223a22504b472d31222c22747261636b696e674e756d626572223a22542d444f4e452d504b472d31227d5d7d', 43, 'succeed', NULL),
	(2, '2026-11-23 04:00:51.999+00', 'plain', 'production', 1, 2, 2, 'd948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868', 'create', 'create', 0, 1, 'POST', 'http://127.0.0.1:34473/', '{"accept":"application/json","content-type":"application/json","authorization":"***authorization***"}', '\x7b227265666572656e63654964223a2244454c495645524544222c226f726465724e756d626572223a224f2d44454c495645524544222c22636f6e7369676e6d656e744e756d626572223a22432d44454c495645524544222c22747970654f664f72646572223a22464f5257415244222c226e756d6265724f66536869706d656e7473223a312c22746f74616c576569676874223a312e352c22756f6d546f74616c576569676874223a224b47222c2264656c6976657279496e737472756374696f6e73223a224578616d706c653a2072696e67207477696365222c226f726967696e54696d657a6f6e65223a224575726f70652f4265726c696e222c226f726967696e507265666572726564537461727454696d65223a22323032362d31312d32352031303a30303a3030222c226f726967696e507265666572726564456e6454696d65223a22323032362d31312d32352031363a30303a3030222c226f726967696e4e616d65223a224578616d706c6520476f6f6473222c226f726967696e436f6e74616374506572736f6e223a224578616d706c6520476f6f6473222c226f726967696e436f6d70616e794e616d65223a224578616d706c6520476f6f6473222c226f726967696e436f6e746163744e756d626572223a222b3439343035353530313030222c226f726967696e456d61696c223a226578616d706c652e676f6f6473406578616d706c652e636f6d222c226f726967696e54797065223a225245534944454e5449414c222c226f726967696e416464726573734c696e6531223a224578616d706c65205374726565742031222c226f726967696e43697479223a2248616d62757267222c226f726967696e436f756e7479223a22416c747374616474222c226f726967696e537461746550726f76696e6365223a224848222c226f726967696e436f756e747279223a224445222c226f726967696e506f7374616c436f6465223a223230303935222c2264657374696e6174696f6e54696d657a6f6e65223a224575726f70652f4265726c696e222c2264657374696e6174696f6e4e616d65223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6e74616374506572736f6e223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6d70616e794e616d65223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6e746163744e756d626572223a222b3439383935353530313030222c2264657374696e6174696f6e456d61696c223a226572696b612e6578616d706c65406578616d706c652e636f6d222c2264657374696e6174696f6e54797065223a225245534944454e5449414c222c2264657374696e6174696f6e416464726573734c696e6531223a2253616d706c6520526f6164203232222c2264657374696e6174696f6e43697479223a224d756e696368222c2264657374696e6174696f6e436f756e7479223a22416c747374616474222c2264657374696e6174696f6e537461746550726f76696e6365223a224259222c2264657374696e6174696f6e436f756e747279223a224445222c2264657374696e6174696f6e506f7374616c436f6465223a223830333331222c22747970654f6653657276696365223a225354414e44415244222c22747970654f66416374696f6e223a22435245415445222c2263617272696572436f6465223a22706c61696e222c22746f74616c5175616e74697479223a312c227368697070696e674461746554696d65223a22323032362d31312d32352031303a30303a3030222c226c6162656c466f726d6174223a22504446222c226974656d4c697374223a5b7b226974656d5265666572656e63654e756d626572223a22504b472d31222c226974656d5175616e74697479223a312c226974656d576569676874223a312e352c226974656d576569676874556f6d223a224b47222c226974656d4e616d65223a224578616d706c6520626f6f6b73222c226974656d56616c7565223a32302c226974656d4c656e677468223a33302c226974656d5769647468223a32302c226974656d486569676874223a31302c226974656d44696d656e73696f6e556f6d223a22434d227d5d2c2273686970706572223a7b226e616d65223a224578616d706c6520476f6f6473222c22636f6d70616e794e616d65223a224578616d706c6520476f6f6473222c22616464726573734c696e6531223a224578616d706c65205374726565742031222c2263697479223a2248616d62757267222c22737461746550726f76696e6365223a224848222c22636f756e747279223a224445222c22706f7374616c436f6465223a223230303935222c22636f6e74616374506572736f6e223a224578616d706c6520476f6f6473222c22636f6e746163744e756d626572223a222b3439343035353530313030222c22656d61696c223a226578616d706c652e676f6f6473406578616d706c652e636f6d227d2c22696e666f223a7b22636f6e7369676e6d656e7444657461696c73223a7b227365727669636554797065223a225374616e64617264222c2273686970427944617465223a22323032362d31312d3235222c227061636b61676544657461696c73223a5b7b2274797065223a22436172746f6e227d5d7d7d7d', 200, '{"content-type":"application/json","retry-after":"3600","date":"Mon, 23 Nov 2026 04:00:52 GMT","connection":"keep-alive","keep-alive":"timeout=5","transfer-encoding":"chunked"}', '\x7b22737461747573223a3230302c227265666572656e63654964223a2244454c495645524544222c226d657373616765223a22746865206578616d706c65207361797320736f222c226974656d73547261636b44657461696c73223a5b7b226974656d5265666572656e63654e756d626572223a22504b472d31222c22747261636b696e674e756d626572223a22542d44454c4956455245442d504b472d31227d5d7d', 11, 'succeed', NULL),
	(3, '2026-11-23 04:00:52.141+00', 'plain', 'production', 1, 3, 3, 'd948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868', 'create', 'create', 0, 1, 'POST', 'http://127.0.0.1:34473/', '{"accept":"application/json","content-type":"application/json","authorization":"***authorization***"}', '\x7b227265666572656e63654964223a2243414e43454c4c4544222c226f726465724e756d626572223a224f2d43414e43454c4c4544222c22636f6e7369676e6d656e744e756d626572223a22432d43414e43454c4c4544222c22747970654f664f72646572223a22464f5257415244222c226e756d6265724f66536869706d656e7473223a312c22746f74616c576569676874223a312e352c22756f6d546f74616c576569676874223a224b47222c2264656c6976657279496e737472756374696f6e73223a224578616d706c653a2072696e67207477696365222c226f726967696e54696d657a6f6e65223a224575726f70652f4265726c696e222c226f726967696e507265666572726564537461727454696d65223a22323032362d31312d32352031303a30303a3030222c226f726967696e507265666572726564456e6454696d65223a22323032362d31312d32352031363a30303a3030222c226f726967696e4e616d65223a224578616d706c6520476f6f6473222c226f726967696e436f6e74616374506572736f6e223a224578616d706c6520476f6f6473222c226f726967696e436f6d70616e794e616d65223a224578616d706c6520476f6f6473222c226f726967696e436f6e746163744e756d626572223a222b3439343035353530313030222c226f726967696e456d61696c223a226578616d706c652e676f6f6473406578616d706c652e636f6d222c226f726967696e54797065223a225245534944454e5449414c222c226f726967696e416464726573734c696e6531223a224578616d706c65205374726565742031222c226f726967696e43697479223a2248616d62757267222c226f726967696e436f756e7479223a22416c747374616474222c226f726967696e537461746550726f76696e6365223a224848222c226f726967696e436f756e747279223a224445222c226f726967696e506f7374616c436f6465223a223230303935222c2264657374696e6174696f6e54696d657a6f6e65223a224575726f70652f4265726c696e222c2264657374696e6174696f6e4e616d65223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6e74616374506572736f6e223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6d70616e794e616d65223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6e746163744e756d626572223a222b3439383935353530313030222c2264657374696e6174696f6e456d61696c223a226572696b612e6578616d706c65406578616d706c652e636f6d222c2264657374696e6174696f6e54797065223a225245534944454e5449414c222c2264657374696e6174696f6e416464726573734c696e6531223a2253616d706c6520526f6164203232222c2264657374696e6174696f6e43697479223a224d756e696368222c2264657374696e6174696f6e436f756e7479223a22416c747374616474222c2264657374696e6174696f6e537461746550726f76696e6365223a224259222c2264657374696e6174696f6e436f756e747279223a224445222c2264657374696e6174696f6e506f7374616c436f6465223a223830333331222c22747970654f6653657276696365223a225354414e44415244222c22747970654f66416374696f6e223a22435245415445222c2263617272696572436f6465223a22706c61696e222c22746f74616c5175616e74697479223a312c227368697070696e674461746554696d65223a22323032362d31312d32352031303a30303a3030222c226c6162656c466f726d6174223a22504446222c226974656d4c697374223a5b7b226974656d5265666572656e63654e756d626572223a22504b472d31222c226974656d5175616e74697479223a312c226974656d576569676874223a312e352c226974656d576569676874556f6d223a224b47222c226974656d4e616d65223a224578616d706c6520626f6f6b73222c226974656d56616c7565223a32302c226974656d4c656e677468223a33302c226974656d5769647468223a32302c226974656d486569676874223a31302c226974656d44696d656e73696f6e556f6d223a22434d227d5d2c2273686970706572223a7b226e616d65223a224578616d706c6520476f6f6473222c22636f6d70616e794e616d65223a224578616d706c6520476f6f6473222c22616464726573734c696e6531223a224578616d706c65205374726565742031222c2263697479223a2248616d62757267222c22737461746550726f76696e6365223a224848222c22636f756e747279223a224445222c22706f7374616c436f6465223a223230303935222c22636f6e74616374506572736f6e223a224578616d706c6520476f6f6473222c22636f6e746163744e756d626572223a222b3439343035353530313030222c22656d61696c223a226578616d706c652e676f6f6473406578616d706c652e636f6d227d2c22696e666f223a7b22636f6e7369676e6d656e7444657461696c73223a7b227365727669636554797065223a225374616e64617264222c2273686970427944617465223a22323032362d31312d3235222c227061636b61676544657461696c73223a5b7b2274797065223a22436172746f6e227d5d7d7d7d', 200, '{"content-type":"application/json","retry-after":"3600","date":"Mon, 23 Nov 2026 04:00:52 GMT","connection":"keep-alive","keep-alive":"timeout=5","transfer-encoding":"chunked"}', '\x7b22737461747573223a3230302c227265666572656e63654964223a2243414e43454c4c4544222c226d657373616765223a22746865206578616d706c65207361797320736f222c226974656d73547261636b44657461696c73223a5b7b226974656d5265666572656e63654e756d626572223a22504b472d31222c22747261636b696e674e756d626572223a22542d43414e43454c4c45442d504b472d31227d5d7d', 5, 'succeed', NULL),
	(4, '2026-11-23 04:00:52.257+00', 'plain', 'production', 1, 3, 4, 'd948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868', 'cancel', 'cancel', 0, 1, 'POST', 'http://127.0.0.1:34473/', '{"accept":"application/json","content-type":"application/json","authorization":"***authorization***"}', '\x7b227265666572656e63654964223a2243414e43454c4c4544222c226f726465724e756d626572223a224f2d43414e43454c4c4544222c22636f6e7369676e6d656e744e756d626572223a22432d43414e43454c4c4544222c22747970654f664f72646572223a22464f5257415244222c226e756d6265724f66536869706d656e7473223a312c22746f74616c576569676874223a312e352c22756f6d546f74616c576569676874223a224b47222c2264656c6976657279496e737472756374696f6e73223a224578616d706c653a2072696e67207477696365222c226f726967696e54696d657a6f6e65223a224575726f70652f4265726c696e222c226f726967696e507265666572726564537461727454696d65223a22323032362d31312d32352031303a30303a3030222c226f726967696e507265666572726564456e6454696d65223a22323032362d31312d32352031363a30303a3030222c226f726967696e4e616d65223a224578616d706c6520476f6f6473222c226f726967696e436f6e74616374506572736f6e223a224578616d706c6520476f6f6473222c226f726967696e436f6d70616e794e616d65223a224578616d706c6520476f6f6473222c226f726967696e436f6e746163744e756d626572223a222b3439343035353530313030222c226f726967696e456d61696c223a226578616d706c652e676f6f6473406578616d706c652e636f6d222c226f726967696e54797065223a225245534944454e5449414c222c226f726967696e416464726573734c696e6531223a224578616d706c65205374726565742031222c226f726967696e43697479223a2248616d62757267222c226f726967696e436f756e7479223a22416c747374616474222c226f726967696e537461746550726f76696e6365223a224848222c226f726967696e436f756e747279223a224445222c226f726967696e506f7374616c436f6465223a223230303935222c2264657374696e6174696f6e54696d657a6f6e65223a224575726f70652f4265726c696e222c2264657374696e6174696f6e4e616d65223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6e74616374506572736f6e223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6d70616e794e616d65223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6e746163744e756d626572223a222b3439383935353530313030222c2264657374696e6174696f6e456d61696c223a226572696b612e6578616d706c65406578616d706c652e636f6d222c2264657374696e6174696f6e54797065223a225245534944454e5449414c222c2264657374696e6174696f6e416464726573734c696e6531223a2253616d706c6520526f6164203232222c2264657374696e6174696f6e43697479223a224d756e696368222c2264657374696e6174696f6e436f756e7479223a22416c747374616474222c2264657374696e6174696f6e537461746550726f76696e6365223a224259222c2264657374696e6174696f6e436f756e747279223a224445222c2264657374696e6174696f6e506f7374616c436f6465223a223830333331222c22747970654f6653657276696365223a225354414e44415244222c22747970654f66416374696f6e223a2243414e43454c222c2263617272696572436f6465223a22706c61696e222c22746f74616c5175616e74697479223a312c227368697070696e674461746554696d65223a22323032362d31312d32352031303a30303a3030222c226c6162656c466f726d6174223a22504446222c226974656d4c697374223a5b7b226974656d5265666572656e63654e756d626572223a22504b472d31222c226974656d5175616e74697479223a312c226974656d576569676874223a312e352c226974656d576569676874556f6d223a224b47222c226974656d4e616d65223a224578616d706c6520626f6f6b73222c226974656d56616c7565223a32302c226974656d4c656e677468223a33302c226974656d5769647468223a32302c226974656d486569676874223a31302c226974656d44696d656e73696f6e556f6d223a22434d227d5d2c2273686970706572223a7b226e616d65223a224578616d706c6520476f6f6473222c22636f6d70616e794e616d65223a224578616d706c6520476f6f6473222c22616464726573734c696e6531223a224578616d706c65205374726565742031222c2263697479223a2248616d62757267222c22737461746550726f76696e6365223a224848222c22636f756e747279223a224445222c22706f7374616c436f6465223a223230303935222c22636f6e74616374506572736f6e223a224578616d706c6520476f6f6473222c22636f6e746163744e756d626572223a222b3439343035353530313030222c22656d61696c223a226578616d706c652e676f6f6473406578616d706c652e636f6d227d2c22696e666f223a7b22636f6e7369676e6d656e7444657461696c73223a7b227365727669636554797065223a225374616e64617264222c2273686970427944617465223a22323032362d31312d3235222c227061636b61676544657461696c73223a5b7b2274797065223a22436172746f6e227d5d7d7d7d', 200, '{"content-type":"application/json","retry-after":"3600","date":"Mon, 23 Nov 2026 04:00:52 GMT","connection":"keep-alive","keep-alive":"timeout=5","transfer-encoding":"chunked"}', '\x7b22737461747573223a3230302c227265666572656e63654964223a2243414e43454c4c4544222c226d657373616765223a22746865206578616d706c65207361797320736f222c226974656d73547261636b44657461696c73223a5b7b226974656d5265666572656e63654e756d626572223a22504b472d31222c22747261636b696e674e756d626572223a22542d43414e43454c4c45442d504b472d31227d5d7d', 8, 'succeed', NULL),
	(5, '2026-11-23 04:00:52.476+00', 'plain', 'production', 1, 4, 5, 'd948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868', 'create', 'create', 0, 1, 'POST', 'http://127.0.0.1:34473/', '{"accept":"application/json","content-type":"application/json","authorization":"***authorization***"}', '\x7b227265666572656e63654964223a2252454a4543544544222c226f726465724e756d626572223a224f2d52454a4543544544222c22636f6e7369676e6d656e744e756d626572223a22432d52454a4543544544222c22747970654f664f72646572223a22464f5257415244222c226e756d6265724f66536869706d656e7473223a312c22746f74616c576569676874223a312e352c22756f6d546f74616c576569676874223a224b47222c2264656c6976657279496e737472756374696f6e73223a224578616d706c653a2072696e67207477696365222c226f726967696e54696d657a6f6e65223a224575726f70652f4265726c696e222c226f726967696e507265666572726564537461727454696d65223a22323032362d31312d32352031303a30303a3030222c226f726967696e507265666572726564456e6454696d65223a22323032362d31312d32352031363a30303a3030222c226f726967696e4e616d65223a224578616d706c6520476f6f6473222c226f726967696e436f6e74616374506572736f6e223a224578616d706c6520476f6f6473222c226f726967696e436f6d70616e794e616d65223a224578616d706c6520476f6f6473222c226f726967696e436f6e746163744e756d626572223a222b3439343035353530313030222c226f726967696e456d61696c223a226578616d706c652e676f6f6473406578616d706c652e636f6d222c226f726967696e54797065223a225245534944454e5449414c222c226f726967696e416464726573734c696e6531223a224578616d706c65205374726565742031222c226f726967696e43697479223a2248616d62757267222c226f726967696e436f756e7479223a22416c747374616474222c226f726967696e537461746550726f76696e6365223a224848222c226f726967696e436f756e747279223a224445222c226f726967696e506f7374616c436f6465223a223230303935222c2264657374696e6174696f6e54696d657a6f6e65223a224575726f70652f4265726c696e222c2264657374696e6174696f6e4e616d65223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6e74616374506572736f6e223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6d70616e794e616d65223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6e746163744e756d626572223a222b3439383935353530313030222c2264657374696e6174696f6e456d61696c223a226572696b612e6578616d706c65406578616d706c652e636f6d222c2264657374696e6174696f6e54797065223a225245534944454e5449414c222c2264657374696e6174696f6e416464726573734c696e6531223a2253616d706c6520526f6164203232222c2264657374696e6174696f6e43697479223a224d756e696368222c2264657374696e6174696f6e436f756e7479223a22416c747374616474222c2264657374696e6174696f6e537461746550726f76696e6365223a224259222c2264657374696e6174696f6e436f756e747279223a224445222c2264657374696e6174696f6e506f7374616c436f6465223a223830333331222c22747970654f6653657276696365223a225354414e44415244222c22747970654f66416374696f6e223a22435245415445222c2263617272696572436f6465223a22706c61696e222c22746f74616c5175616e74697479223a312c227368697070696e674461746554696d65223a22323032362d31312d32352031303a30303a3030222c226c6162656c466f726d6174223a22504446222c226974656d4c697374223a5b7b226974656d5265666572656e63654e756d626572223a22504b472d31222c226974656d5175616e74697479223a312c226974656d576569676874223a312e352c226974656d576569676874556f6d223a224b47222c226974656d4e616d65223a224578616d706c6520626f6f6b73222c226974656d56616c7565223a32302c226974656d4c656e677468223a33302c226974656d5769647468223a32302c226974656d486569676874223a31302c226974656d44696d656e73696f6e556f6d223a22434d227d5d2c2273686970706572223a7b226e616d65223a224578616d706c6520476f6f6473222c22636f6d70616e794e616d65223a224578616d706c6520476f6f6473222c22616464726573734c696e6531223a224578616d706c65205374726565742031222c2263697479223a2248616d62757267222c22737461746550726f76696e6365223a224848222c22636f756e747279223a224445222c22706f7374616c436f6465223a223230303935222c22636f6e74616374506572736f6e223a224578616d706c6520476f6f6473222c22636f6e746163744e756d626572223a222b3439343035353530313030222c22656d61696c223a226578616d706c652e676f6f6473406578616d706c652e636f6d227d2c22696e666f223a7b22636f6e7369676e6d656e7444657461696c73223a7b227365727669636554797065223a225374616e64617264222c2273686970427944617465223a22323032362d31312d3235222c227061636b61676544657461696c73223a5b7b2274797065223a22436172746f6e227d5d7d7d7d', 400, '{"content-type":"application/json","retry-after":"3600","date":"Mon, 23 Nov 2026 04:00:52 GMT","connection":"keep-alive","keep-alive":"timeout=5","transfer-encoding":"chunked"}', '\x7b22737461747573223a3430302c227265666572656e63654964223a2252454a4543544544222c226d657373616765223a22746865206578616d706c65207361797320736f222c226974656d73547261636b44657461696c73223a5b7b226974656d5265666572656e63654e756d626572223a22504b472d31222c22747261636b696e674e756d626572223a22542d52454a45435445442d504b472d31227d5d7d', 16, 'reject', 'http_400: the carrier answered 400 (carriers/contract.yaml:10:5)'),
	(6, '2026-11-23 04:00:52.597+00', 'plain', 'production', 1, 5, 6, 'd948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868', 'create', 'create', 0, 1, 'POST', 'http://127.0.0.1:34473/', '{"accept":"application/json","content-type":"application/json","authorization":"***authorization***"}', '\x7b227265666572656e63654964223a2248454c44222c226f726465724e756d626572223a224f2d48454c44222c22636f6e7369676e6d656e744e756d626572223a22432d48454c44222c22747970654f664f72646572223a22464f5257415244222c226e756d6265724f66536869706d656e7473223a312c22746f74616c576569676874223a312e352c22756f6d546f74616c576569676874223a224b47222c2264656c6976657279496e737472756374696f6e73223a224578616d706c653a2072696e67207477696365222c226f726967696e54696d657a6f6e65223a224575726f70652f4265726c696e222c226f726967696e507265666572726564537461727454696d65223a22323032362d31312d32352031303a30303a3030222c226f726967696e507265666572726564456e6454696d65223a22323032362d31312d32352031363a30303a3030222c226f726967696e4e616d65223a224578616d706c6520476f6f6473222c226f726967696e436f6e74616374506572736f6e223a224578616d706c6520476f6f6473222c226f726967696e436f6d70616e794e616d65223a224578616d706c6520476f6f6473222c226f726967696e436f6e746163744e756d626572223a222b3439343035353530313030222c226f726967696e456d61696c223a226578616d706c652e676f6f6473406578616d706c652e636f6d222c226f726967696e54797065223a225245534944454e5449414c222c226f726967696e416464726573734c696e6531223a224578616d706c65205374726565742031222c226f726967696e43697479223a2248616d62757267222c226f726967696e436f756e7479223a22416c747374616474222c226f726967696e537461746550726f76696e6365223a224848222c226f726967696e436f756e747279223a224445222c226f726967696e506f7374616c436f6465223a223230303935222c2264657374696e6174696f6e54696d657a6f6e65223a224575726f70652f4265726c696e222c2264657374696e6174696f6e4e616d65223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6e74616374506572736f6e223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6d70616e794e616d65223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6e746163744e756d626572223a222b3439383935353530313030222c2264657374696e6174696f6e456d61696c223a226572696b612e6578616d706c65406578616d706c652e636f6d222c2264657374696e6174696f6e54797065223a225245534944454e5449414c222c2264657374696e6174696f6e416464726573734c696e6531223a2253616d706c6520526f6164203232222c2264657374696e6174696f6e43697479223a224d756e696368222c2264657374696e6174696f6e436f756e7479223a22416c747374616474222c2264657374696e6174696f6e537461746550726f76696e6365223a224259222c2264657374696e6174696f6e436f756e747279223a224445222c2264657374696e6174696f6e506f7374616c436f6465223a223830333331222c22747970654f6653657276696365223a225354414e44415244222c22747970654f66416374696f6e223a22435245415445222c2263617272696572436f6465223a22706c61696e222c22746f74616c5175616e74697479223a312c227368697070696e674461746554696d65223a22323032362d31312d32352031303a30303a3030222c226c6162656c466f726d6174223a22504446222c226974656d4c697374223a5b7b226974656d5265666572656e63654e756d626572223a22504b472d31222c226974656d5175616e74697479223a312c226974656d576569676874223a312e352c226974656d576569676874556f6d223a224b47222c226974656d4e616d65223a224578616d706c6520626f6f6b73222c226974656d56616c7565223a32302c226974656d4c656e677468223a33302c226974656d5769647468223a32302c226974656d486569676874223a31302c226974656d44696d656e73696f6e556f6d223a22434d227d5d2c2273686970706572223a7b226e616d65223a224578616d706c6520476f6f6473222c22636f6d70616e794e616d65223a224578616d706c6520476f6f6473222c22616464726573734c696e6531223a224578616d706c65205374726565742031222c2263697479223a2248616d62757267222c22737461746550726f76696e6365223a224848222c22636f756e747279223a224445222c22706f7374616c436f6465223a223230303935222c22636f6e74616374506572736f6e223a224578616d706c6520476f6f6473222c22636f6e746163744e756d626572223a222b3439343035353530313030222c22656d61696c223a226578616d706c652e676f6f6473406578616d706c652e636f6d227d2c22696e666f223a7b22636f6e7369676e6d656e7444657461696c73223a7b227365727669636554797065223a225374616e64617264222c2273686970427944617465223a22323032362d31312d3235222c227061636b61676544657461696c73223a5b7b2274797065223a22436172746f6e227d5d7d7d7d', NULL, NULL, NULL, 9, 'unknown_outcome', 'connection_reset: socket hang up (carriers/contract.yaml:6:11)'),
	(7, '2026-11-23 04:00:54.427+00', 'plain', 'production', 1, 5, 6, 'd948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868', 'create', 'create', 0, 2, 'POST', 'http://127.0.0.1:34473/', '{"accept":"application/json","content-type":"application/json","authorization":"***authorization***"}', '\x7b227265666572656e63654964223a2248454c44222c226f726465724e756d626572223a224f2d48454c44222c22636f6e7369676e6d656e744e756d626572223a22432d48454c44222c22747970654f664f72646572223a22464f5257415244222c226e756d6265724f66536869706d656e7473223a312c22746f74616c576569676874223a312e352c22756f6d546f74616c576569676874223a224b47222c2264656c6976657279496e737472756374696f6e73223a224578616d706c653a2072696e67207477696365222c226f726967696e54696d657a6f6e65223a224575726f70652f4265726c696e222c226f726967696e507265666572726564537461727454696d65223a22323032362d31312d32352031303a30303a3030222c226f726967696e507265666572726564456e6454696d65223a22323032362d31312d32352031363a30303a3030222c226f726967696e4e616d65223a224578616d706c6520476f6f6473222c226f726967696e436f6e74616374506572736f6e223a224578616d706c6520476f6f6473222c226f726967696e436f6d70616e794e616d65223a224578616d706c6520476f6f6473222c226f726967696e436f6e746163744e756d626572223a222b3439343035353530313030222c226f726967696e456d61696c223a226578616d706c652e676f6f6473406578616d706c652e636f6d222c226f726967696e54797065223a225245534944454e5449414c222c226f726967696e416464726573734c696e6531223a224578616d706c65205374726565742031222c226f726967696e43697479223a2248616d62757267222c226f726967696e436f756e7479223a22416c747374616474222c226f726967696e537461746550726f76696e6365223a224848222c226f726967696e436f756e747279223a224445222c226f726967696e506f7374616c436f6465223a223230303935222c2264657374696e6174696f6e54696d657a6f6e65223a224575726f70652f4265726c696e222c2264657374696e6174696f6e4e616d65223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6e74616374506572736f6e223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6d70616e794e616d65223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6e746163744e756d626572223a222b3439383935353530313030222c2264657374696e6174696f6e456d61696c223a226572696b612e6578616d706c65406578616d706c652e636f6d222c2264657374696e6174696f6e54797065223a225245534944454e5449414c222c2264657374696e6174696f6e416464726573734c696e6531223a2253616d706c6520526f6164203232222c2264657374696e6174696f6e43697479223a224d756e696368222c2264657374696e6174696f6e436f756e7479223a22416c747374616474222c2264657374696e6174696f6e537461746550726f76696e6365223a224259222c2264657374696e6174696f6e436f756e747279223a224445222c2264657374696e6174696f6e506f7374616c436f6465223a223830333331222c22747970654f6653657276696365223a225354414e44415244222c22747970654f66416374696f6e223a22435245415445222c2263617272696572436f6465223a22706c61696e222c22746f74616c5175616e74697479223a312c227368697070696e674461746554696d65223a22323032362d31312d32352031303a30303a3030222c226c6162656c466f726d6174223a22504446222c226974656d4c697374223a5b7b226974656d5265666572656e63654e756d626572223a22504b472d31222c226974656d5175616e74697479223a312c226974656d576569676874223a312e352c226974656d576569676874556f6d223a224b47222c226974656d4e616d65223a224578616d706c6520626f6f6b73222c226974656d56616c7565223a32302c226974656d4c656e677468223a33302c226974656d5769647468223a32302c226974656d486569676874223a31302c226974656d44696d656e73696f6e556f6d223a22434d227d5d2c2273686970706572223a7b226e616d65223a224578616d706c6520476f6f6473222c22636f6d70616e794e616d65223a224578616d706c6520476f6f6473222c22616464726573734c696e6531223a224578616d706c65205374726565742031222c2263697479223a2248616d62757267222c22737461746550726f76696e6365223a224848222c22636f756e747279223a224445222c22706f7374616c436f6465223a223230303935222c22636f6e74616374506572736f6e223a224578616d706c6520476f6f6473222c22636f6e746163744e756d626572223a222b3439343035353530313030222c22656d61696c223a226578616d706c652e676f6f6473406578616d706c652e636f6d227d2c22696e666f223a7b22636f6e7369676e6d656e7444657461696c73223a7b227365727669636554797065223a225374616e64617264222c2273686970427944617465223a22323032362d31312d3235222c227061636b61676544657461696c73223a5b7b2274797065223a22436172746f6e227d5d7d7d7d', NULL, NULL, NULL, 19, 'unknown_outcome', 'connection_reset: socket hang up (carriers/contract.yaml:6:11)'),
	(8, '2026-11-23 04:00:57.642+00', 'plain', 'production', 1, 5, 6, 'd948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868', 'create', 'create', 0, 3, 'POST', 'http://127.0.0.1:34473/', '{"accept":"application/json","content-type":"application/json","authorization":"***authorization***"}', '\x7b227265666572656e63654964223a2248454c44222c226f726465724e756d626572223a224f2d48454c44222c22636f6e7369676e6d656e744e756d626572223a22432d48454c44222c22747970654f664f72646572223a22464f5257415244222c226e756d6265724f66536869706d656e7473223a312c22746f74616c576569676874223a312e352c22756f6d546f74616c576569676874223a224b47222c2264656c6976657279496e737472756374696f6e73223a224578616d706c653a2072696e67207477696365222c226f726967696e54696d657a6f6e65223a224575726f70652f4265726c696e222c226f726967696e507265666572726564537461727454696d65223a22323032362d31312d32352031303a30303a3030222c226f726967696e507265666572726564456e6454696d65223a22323032362d31312d32352031363a30303a3030222c226f726967696e4e616d65223a224578616d706c6520476f6f6473222c226f726967696e436f6e74616374506572736f6e223a224578616d706c6520476f6f6473222c226f726967696e436f6d70616e794e616d65223a224578616d706c6520476f6f6473222c226f726967696e436f6e746163744e756d626572223a222b3439343035353530313030222c226f726967696e456d61696c223a226578616d706c652e676f6f6473406578616d706c652e636f6d222c226f726967696e54797065223a225245534944454e5449414c222c226f726967696e416464726573734c696e6531223a224578616d706c65205374726565742031222c226f726967696e43697479223a2248616d62757267222c226f726967696e436f756e7479223a22416c747374616474222c226f726967696e537461746550726f76696e6365223a224848222c226f726967696e436f756e747279223a224445222c226f726967696e506f7374616c436f6465223a223230303935222c2264657374696e6174696f6e54696d657a6f6e65223a224575726f70652f4265726c696e222c2264657374696e6174696f6e4e616d65223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6e74616374506572736f6e223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6d70616e794e616d65223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6e746163744e756d626572223a222b3439383935353530313030222c2264657374696e6174696f6e456d61696c223a226572696b612e6578616d706c65406578616d706c652e636f6d222c2264657374696e6174696f6e54797065223a225245534944454e5449414c222c2264657374696e6174696f6e416464726573734c696e6531223a2253616d706c6520526f6164203232222c2264657374696e6174696f6e43697479223a224d756e696368222c2264657374696e6174696f6e436f756e7479223a22416c747374616474222c2264657374696e6174696f6e537461746550726f76696e6365223a224259222c2264657374696e6174696f6e436f756e747279223a224445222c2264657374696e6174696f6e506f7374616c436f6465223a223830333331222c22747970654f6653657276696365223a225354414e44415244222c22747970654f66416374696f6e223a22435245415445222c2263617272696572436f6465223a22706c61696e222c22746f74616c5175616e74697479223a312c227368697070696e674461746554696d65223a22323032362d31312d32352031303a30303a3030222c226c6162656c466f726d6174223a22504446222c226974656d4c697374223a5b7b226974656d5265666572656e63654e756d626572223a22504b472d31222c226974656d5175616e74697479223a312c226974656d576569676874223a312e352c226974656d576569676874556f6d223a224b47222c226974656d4e616d65223a224578616d706c6520626f6f6b73222c226974656d56616c7565223a32302c226974656d4c656e677468223a33302c226974656d5769647468223a32302c226974656d486569676874223a31302c226974656d44696d656e73696f6e556f6d223a22434d227d5d2c2273686970706572223a7b226e616d65223a224578616d706c6520476f6f6473222c22636f6d70616e794e616d65223a224578616d706c6520476f6f6473222c22616464726573734c696e6531223a224578616d706c65205374726565742031222c2263697479223a2248616d62757267222c22737461746550726f76696e6365223a224848222c22636f756e747279223a224445222c22706f7374616c436f6465223a223230303935222c22636f6e74616374506572736f6e223a224578616d706c6520476f6f6473222c22636f6e746163744e756d626572223a222b3439343035353530313030222c22656d61696c223a226578616d706c652e676f6f6473406578616d706c652e636f6d227d2c22696e666f223a7b22636f6e7369676e6d656e7444657461696c73223a7b227365727669636554797065223a225374616e64617264222c2273686970427944617465223a22323032362d31312d3235222c227061636b61676544657461696c73223a5b7b2274797065223a22436172746f6e227d5d7d7d7d', NULL, NULL, NULL, 5, 'unknown_outcome', 'connection_reset: socket hang up (carriers/contract.yaml:6:11)'),
	(9, '2026-11-23 04:01:04.111+00', 'plain', 'production', 1, 5, 6, 'd948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868', 'create', 'create', 0, 4, 'POST', 'http://127.0.0.1:34473/', '{"accept":"application/json","content-type":"application/json","authorization":"***authorization***"}', '\x7b227265666572656e63654964223a2248454c44222c226f726465724e756d626572223a224f2d48454c44222c22636f6e7369676e6d656e744e756d626572223a22432d48454c44222c22747970654f664f72646572223a22464f5257415244222c226e756d6265724f66536869706d656e7473223a312c22746f74616c576569676874223a312e352c22756f6d546f74616c576569676874223a224b47222c2264656c6976657279496e737472756374696f6e73223a224578616d706c653a2072696e67207477696365222c226f726967696e54696d657a6f6e65223a224575726f70652f4265726c696e222c226f726967696e507265666572726564537461727454696d65223a22323032362d31312d32352031303a30303a3030222c226f726967696e507265666572726564456e6454696d65223a22323032362d31312d32352031363a30303a3030222c226f726967696e4e616d65223a224578616d706c6520476f6f6473222c226f726967696e436f6e74616374506572736f6e223a224578616d706c6520476f6f6473222c226f726967696e436f6d70616e794e616d65223a224578616d706c6520476f6f6473222c226f726967696e436f6e746163744e756d626572223a222b3439343035353530313030222c226f726967696e456d61696c223a226578616d706c652e676f6f6473406578616d706c652e636f6d222c226f726967696e54797065223a225245534944454e5449414c222c226f726967696e416464726573734c696e6531223a224578616d706c65205374726565742031222c226f726967696e43697479223a2248616d62757267222c226f726967696e436f756e7479223a22416c747374616474222c226f726967696e537461746550726f76696e6365223a224848222c226f726967696e436f756e747279223a224445222c226f726967696e506f7374616c436f6465223a223230303935222c2264657374696e6174696f6e54696d657a6f6e65223a224575726f70652f4265726c696e222c2264657374696e6174696f6e4e616d65223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6e74616374506572736f6e223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6d70616e794e616d65223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6e746163744e756d626572223a222b3439383935353530313030222c2264657374696e6174696f6e456d61696c223a226572696b612e6578616d706c65406578616d706c652e636f6d222c2264657374696e6174696f6e54797065223a225245534944454e5449414c222c2264657374696e6174696f6e416464726573734c696e6531223a2253616d706c6520526f6164203232222c2264657374696e6174696f6e43697479223a224d756e696368222c2264657374696e6174696f6e436f756e7479223a22416c747374616474222c2264657374696e6174696f6e537461746550726f76696e6365223a224259222c2264657374696e6174696f6e436f756e747279223a224445222c2264657374696e6174696f6e506f7374616c436f6465223a223830333331222c22747970654f6653657276696365223a225354414e44415244222c22747970654f66416374696f6e223a22435245415445222c2263617272696572436f6465223a22706c61696e222c22746f74616c5175616e74697479223a312c227368697070696e674461746554696d65223a22323032362d31312d32352031303a30303a3030222c226c6162656c466f726d6174223a22504446222c226974656d4c697374223a5b7b226974656d5265666572656e63654e756d626572223a22504b472d31222c226974656d5175616e74697479223a312c226974656d576569676874223a312e352c226974656d576569676874556f6d223a224b47222c226974656d4e616d65223a224578616d706c6520626f6f6b73222c226974656d56616c7565223a32302c226974656d4c656e677468223a33302c226974656d5769647468223a32302c226974656d486569676874223a31302c226974656d44696d656e73696f6e556f6d223a22434d227d5d2c2273686970706572223a7b226e616d65223a224578616d706c6520476f6f6473222c22636f6d70616e794e616d65223a224578616d706c6520476f6f6473222c22616464726573734c696e6531223a224578616d706c65205374726565742031222c2263697479223a2248616d62757267222c22737461746550726f76696e6365223a224848222c22636f756e747279223a224445222c22706f7374616c436f6465223a223230303935222c22636f6e74616374506572736f6e223a224578616d706c6520476f6f6473222c22636f6e746163744e756d626572223a222b3439343035353530313030222c22656d61696c223a226578616d706c652e676f6f6473406578616d706c652e636f6d227d2c22696e666f223a7b22636f6e7369676e6d656e7444657461696c73223a7b227365727669636554797065223a225374616e64617264222c2273686970427944617465223a22323032362d31312d3235222c227061636b61676544657461696c73223a5b7b2274797065223a22436172746f6e227d5d7d7d7d', NULL, NULL, NULL, 8, 'unknown_outcome', 'connection_reset: socket hang up (carriers/contract.yaml:6:11)'),
	(10, '2026-11-23 04:01:04.288+00', 'plain', 'production', 1, 6, 7, 'd948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868', 'create', 'create', 0, 1, 'POST', 'http://127.0.0.1:34473/', '{"accept":"application/json","content-type":"application/json","authorization":"***authorization***"}', '\x7b227265666572656e63654964223a2257414954494e47222c226f726465724e756d626572223a224f2d57414954494e47222c22636f6e7369676e6d656e744e756d626572223a22432d57414954494e47222c22747970654f664f72646572223a22464f5257415244222c226e756d6265724f66536869706d656e7473223a312c22746f74616c576569676874223a312e352c22756f6d546f74616c576569676874223a224b47222c2264656c6976657279496e737472756374696f6e73223a224578616d706c653a2072696e67207477696365222c226f726967696e54696d657a6f6e65223a224575726f70652f4265726c696e222c226f726967696e507265666572726564537461727454696d65223a22323032362d31312d32352031303a30303a3030222c226f726967696e507265666572726564456e6454696d65223a22323032362d31312d32352031363a30303a3030222c226f726967696e4e616d65223a224578616d706c6520476f6f6473222c226f726967696e436f6e74616374506572736f6e223a224578616d706c6520476f6f6473222c226f726967696e436f6d70616e794e616d65223a224578616d706c6520476f6f6473222c226f726967696e436f6e746163744e756d626572223a222b3439343035353530313030222c226f726967696e456d61696c223a226578616d706c652e676f6f6473406578616d706c652e636f6d222c226f726967696e54797065223a225245534944454e5449414c222c226f726967696e416464726573734c696e6531223a224578616d706c65205374726565742031222c226f726967696e43697479223a2248616d62757267222c226f726967696e436f756e7479223a22416c747374616474222c226f726967696e537461746550726f76696e6365223a224848222c226f726967696e436f756e747279223a224445222c226f726967696e506f7374616c436f6465223a223230303935222c2264657374696e6174696f6e54696d657a6f6e65223a224575726f70652f4265726c696e222c2264657374696e6174696f6e4e616d65223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6e74616374506572736f6e223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6d70616e794e616d65223a224572696b61204578616d706c65222c2264657374696e6174696f6e436f6e746163744e756d626572223a222b3439383935353530313030222c2264657374696e6174696f6e456d61696c223a226572696b612e6578616d706c65406578616d706c652e636f6d222c2264657374696e6174696f6e54797065223a225245534944454e5449414c222c2264657374696e6174696f6e416464726573734c696e6531223a2253616d706c6520526f6164203232222c2264657374696e6174696f6e43697479223a224d756e696368222c2264657374696e6174696f6e436f756e7479223a22416c747374616474222c2264657374696e6174696f6e537461746550726f76696e6365223a224259222c2264657374696e6174696f6e436f756e747279223a224445222c2264657374696e6174696f6e506f7374616c436f6465223a223830333331222c22747970654f6653657276696365223a225354414e44415244222c22747970654f66416374696f6e223a22435245415445222c2263617272696572436f6465223a22706c61696e222c22746f74616c5175616e74697479223a312c227368697070696e674461746554696d65223a22323032362d31312d32352031303a30303a3030222c226c6162656c466f726d6174223a22504446222c226974656d4c697374223a5b7b226974656d5265666572656e63654e756d626572223a22504b472d31222c226974656d5175616e74697479223a312c226974656d576569676874223a312e352c226974656d576569676874556f6d223a224b47222c226974656d4e616d65223a224578616d706c6520626f6f6b73222c226974656d56616c7565223a32302c226974656d4c656e677468223a33302c226974656d5769647468223a32302c226974656d486569676874223a31302c226974656d44696d656e73696f6e556f6d223a22434d227d5d2c2273686970706572223a7b226e616d65223a224578616d706c6520476f6f6473222c22636f6d70616e794e616d65223a224578616d706c6520476f6f6473222c22616464726573734c696e6531223a224578616d706c65205374726565742031222c2263697479223a2248616d62757267222c22737461746550726f76696e6365223a224848222c22636f756e747279223a224445222c22706f7374616c436f6465223a223230303935222c22636f6e74616374506572736f6e223a224578616d706c6520476f6f6473222c22636f6e746163744e756d626572223a222b3439343035353530313030222c22656d61696c223a226578616d706c652e676f6f6473406578616d706c652e636f6d227d2c22696e666f223a7b22636f6e7369676e6d656e7444657461696c73223a7b227365727669636554797065223a225374616e64617264222c2273686970427944617465223a22323032362d31312d3235222c227061636b61676544657461696c73223a5b7b2274797065223a22436172746f6e227d5d7d7d7d', 429, '{"content-type":"application/json","retry-after":"3600","date":"Mon, 23 Nov 2026 04:01:04 GMT","connection":"keep-alive","keep-alive":"timeout=5","transfer-encoding":"chunked"}', '\x7b22737461747573223a3432392c227265666572656e63654964223a2257414954494e47222c226d657373616765223a22746865206578616d706c65207361797320736f222c226974656d73547261636b44657461696c73223a5b7b226974656d5265666572656e63654e756d626572223a22504b472d31222c22747261636b696e674e756d626572223a22542d57414954494e472d504b472d31227d5d7d', 33, 'retry', 'http_429: the carrier asks us to slow down (429)');

INSERT INTO public.idempotency_keys VALUES
	(1, 'production', 'key-of-done', '\xd41baffae95fc6198beacab7ff6d94a27eb3dcf188655838b716cef7477558a2', '6e589027-1b34-49d8-8932-f8254d5cca42', 200, '{"timestamp":"Mon Nov 23 2026 04:00:51 GMT+0000","status":"OK","data":[{"referenceNumber":"DONE","orderNumber":"O-DONE","consignmentNumber":"C-DONE","trackingDetails":[{"packageId":"PKG-1","trackingNumber":"T-DONE-PKG-1","carrierDetails":{"name":"Plain Carrier","code":"plain","info":{}}}],"masterTrackingNumber":"T-DONE-PKG-1"}]}', '2026-11-23 04:00:50.777+00'),
	(1, 'production', 'key-of-pending', '\x3f3cedc5ef9f670abe03a989393b03e6c9d88e10b1f1cae86ce0f3dc3424f243', 'b34bdfae-fea6-4977-84dd-c514bafb3d12', 200, '{"timestamp":"Mon Nov 23 2026 04:01:05 GMT+0000","status":"OK","data":[{"referenceNumber":"PENDING","orderNumber":"O-PENDING","consignmentNumber":"C-PENDING","trackingDetails":[]}]}', '2026-11-23 04:01:05.18+00');

INSERT INTO public.identifiers VALUES
	('plain', 'Reference', 'DONE', 1, NULL, false),
	('plain', 'Order', 'O-DONE', 1, NULL, false),
	('plain', 'Consignment', 'C-DONE', 1, NULL, false),
	('plain', 'Tracking', 'T-DONE-PKG-1', 1, 0, false),
	('plain', 'Reference', 'DELIVERED', 2, NULL, false),
	('plain', 'Order', 'O-DELIVERED', 2, NULL, false),
	('plain', 'Consignment', 'C-DELIVERED', 2, NULL, false),
	('plain', 'Tracking', 'T-DELIVERED-PKG-1', 2, 0, false),
	('plain', 'Reference', 'CANCELLED', 3, NULL, false),
	('plain', 'Order', 'O-CANCELLED', 3, NULL, false),
	('plain', 'Consignment', 'C-CANCELLED', 3, NULL, false),
	('plain', 'Tracking', 'T-CANCELLED-PKG-1', 3, 0, false),
	('plain', 'Reference', 'REJECTED', 4, NULL, false),
	('plain', 'Order', 'O-REJECTED', 4, NULL, false),
	('plain', 'Consignment', 'C-REJECTED', 4, NULL, false),
	('plain', 'Reference', 'HELD', 5, NULL, false),
	('plain', 'Order', 'O-HELD', 5, NULL, false),
	('plain', 'Consignment', 'C-HELD', 5, NULL, false),
	('plain', 'Reference', 'WAITING', 6, NULL, false),
	('plain', 'Order', 'O-WAITING', 6, NULL, false),
	('plain', 'Consignment', 'C-WAITING', 6, NULL, false),
	('plain', 'Reference', 'SENDING', 7, NULL, false),
	('plain', 'Order', 'O-SENDING', 7, NULL, false),
	('plain', 'Consignment', 'C-SENDING', 7, NULL, false),
	('plain', 'Reference', 'PENDING', 8, NULL, false),
	('plain', 'Order', 'O-PENDING', 8, NULL, false),
	('plain', 'Consignment', 'C-PENDING', 8, NULL, false);

INSERT INTO public.installation VALUES
	('ce0d541b-3ea5-4030-a7bb-5d22d5154b46');

INSERT INTO public.labels VALUES
	('AacbyQyyzXq1G1GkYeEnMjzkIb-l2N43', 1, 0, 'stored', 'ZPL', '\x5e58415e46446578616d706c655e46535e585a', NULL, 0, NULL, NULL, NULL, NULL, NULL, '2026-11-23 04:00:51.90908+00', '2026-11-23 04:00:51.896+00');

INSERT INTO public.notices VALUES
	('evt_DsopfUJOotZoVvtwxADuyfiX', 1, 1, 'consignment.tracking', '{"eventId":"evt_DsopfUJOotZoVvtwxADuyfiX","timestamp":"2026-11-23T04:00:51.703Z","sequence":1,"event":"consignment.tracking","referenceNumber":"DONE","orderNumber":"O-DONE","consignmentNumber":"C-DONE","consignmentType":"FORWARD","carrierCode":"plain","trackingNumber":"T-DONE-PKG-1","packageId":"PKG-1","status":"Order Created","previousStatus":null,"consignmentStatus":"Order Created","reason":null,"labels":[]}', '2026-11-23 04:00:51.765405+00'),
	('evt_-pybC4NRsvzqbhzpkDOWi_nl', 1, 2, 'consignment.label', '{"eventId":"evt_-pybC4NRsvzqbhzpkDOWi_nl","timestamp":"2026-11-23T04:00:51.896Z","sequence":2,"event":"consignment.label","referenceNumber":"DONE","orderNumber":"O-DONE","consignmentNumber":"C-DONE","consignmentType":"FORWARD","carrierCode":"plain","trackingNumber":"T-DONE-PKG-1","packageId":"PKG-1","status":"In Transit","previousStatus":null,"consignmentStatus":"In Transit","reason":null,"labels":[{"packageId":"PKG-1","format":"ZPL","url":"http://127.0.0.1:34845/v2/labels/AacbyQyyzXq1G1GkYeEnMjzkIb-l2N43"}]}', '2026-11-23 04:00:51.90908+00'),
	('evt_WIXCV5MztSRcrA4ydXB0MEJx', 1, 3, 'consignment.status', '{"eventId":"evt_WIXCV5MztSRcrA4ydXB0MEJx","timestamp":"2026-11-23T04:00:51.896Z","sequence":3,"event":"consignment.status","referenceNumber":"DONE","orderNumber":"O-DONE","consignmentNumber":"C-DONE","consignmentType":"FORWARD","carrierCode":"plain","trackingNumber":"T-DONE-PKG-1","packageId":"PKG-1","status":"In Transit","previousStatus":"Order Created","consignmentStatus":"In Transit","reason":null,"carrierStatus":{"code":"IN_TRANSIT"},"occurredAt":"2026-11-20T08:15:00.000Z","eventTimezone":"UTC","labels":[{"packageId":"PKG-1","format":"ZPL","url":"http://127.0.0.1:34845/v2/labels/AacbyQyyzXq1G1GkYeEnMjzkIb-l2N43"}]}', '2026-11-23 04:00:51.90908+00'),
	('evt_PK5sy5fx28xa0PW7CSV6auyP', 2, 1, 'consignment.tracking', '{"eventId":"evt_PK5sy5fx28xa0PW7CSV6auyP","timestamp":"2026-11-23T04:00:52.011Z","sequence":1,"event":"consignment.tracking","referenceNumber":"DELIVERED","orderNumber":"O-DELIVERED","consignmentNumber":"C-DELIVERED","consignmentType":"FORWARD","carrierCode":"plain","trackingNumber":"T-DELIVERED-PKG-1","packageId":"PKG-1","status":"Order Created","previousStatus":null,"consignmentStatus":"Order Created","reason":null,"labels":[]}', '2026-11-23 04:00:52.017554+00'),
	('evt_6XPbYjx0HjKtArlap6ugMsk3', 2, 2, 'consignment.status', '{"eventId":"evt_6XPbYjx0HjKtArlap6ugMsk3","timestamp":"2026-11-23T04:00:52.058Z","sequence":2,"event":"consignment.status","referenceNumber":"DELIVERED","orderNumber":"O-DELIVERED","consignmentNumber":"C-DELIVERED","consignmentType":"FORWARD","carrierCode":"plain","trackingNumber":"T-DELIVERED-PKG-1","packageId":"PKG-1","status":"Order Delivered","previousStatus":"Order Created","consignmentStatus":"Order Delivered","reason":null,"carrierStatus":{"code":"DELIVERED"},"occurredAt":"2026-11-20T08:15:00.000Z","eventTimezone":"UTC","labels":[]}', '2026-11-23 04:00:52.059753+00'),
	('evt_ZrZ4TkHPp_uLnSP0laRJ1Nv-', 3, 1, 'consignment.tracking', '{"eventId":"evt_ZrZ4TkHPp_uLnSP0laRJ1Nv-","timestamp":"2026-11-23T04:00:52.147Z","sequence":1,"event":"consignment.tracking","referenceNumber":"CANCELLED","orderNumber":"O-CANCELLED","consignmentNumber":"C-CANCELLED","consignmentType":"FORWARD","carrierCode":"plain","trackingNumber":"T-CANCELLED-PKG-1","packageId":"PKG-1","status":"Order Created","previousStatus":null,"consignmentStatus":"Order Created","reason":null,"labels":[]}', '2026-11-23 04:00:52.153463+00'),
	('evt_nc5aw3s-FtN0kJpenOI6F3iN', 3, 2, 'consignment.status', '{"eventId":"evt_nc5aw3s-FtN0kJpenOI6F3iN","timestamp":"2026-11-23T04:00:52.266Z","sequence":2,"event":"consignment.status","referenceNumber":"CANCELLED","orderNumber":"O-CANCELLED","consignmentNumber":"C-CANCELLED","consignmentType":"FORWARD","carrierCode":"plain","trackingNumber":"T-CANCELLED-PKG-1","packageId":"PKG-1","status":"Cancelled","previousStatus":"Order Created","consignmentStatus":"Cancelled","reason":null,"occurredAt":"2026-11-23T04:00:52.266Z","labels":[]}', '2026-11-23 04:00:52.267455+00'),
	('evt_0RYB4EKYEkbpY8MMsezFmQFX', 4, 1, 'consignment.rejected', '{"eventId":"evt_0RYB4EKYEkbpY8MMsezFmQFX","timestamp":"2026-11-23T04:00:52.492Z","sequence":1,"event":"consignment.rejected","referenceNumber":"REJECTED","orderNumber":"O-REJECTED","consignmentNumber":"C-REJECTED","consignmentType":"FORWARD","carrierCode":"plain","trackingNumber":null,"status":"Order Created","previousStatus":null,"consignmentStatus":"Order Created","reason":"the carrier answered 400","info":{"operation":"create","code":"http_400","messages":["the carrier answered 400"]},"labels":[]}', '2026-11-23 04:00:52.502899+00'),
	('evt_YrSu09Z2wJ-L3SS-55u8vc1a', 5, 1, 'consignment.held', '{"eventId":"evt_YrSu09Z2wJ-L3SS-55u8vc1a","timestamp":"2026-11-23T04:01:04.119Z","sequence":1,"event":"consignment.held","referenceNumber":"HELD","orderNumber":"O-HELD","consignmentNumber":"C-HELD","consignmentType":"FORWARD","carrierCode":"plain","trackingNumber":null,"status":"Order Created","previousStatus":null,"consignmentStatus":"Order Created","reason":"socket hang up; nobody knows whether the carrier did it","info":{"operation":"create","code":"connection_reset","messages":["socket hang up","nobody knows whether the carrier did it"]},"labels":[]}', '2026-11-23 04:01:04.120861+00');

INSERT INTO public.packages VALUES
	(1, 0, 'PKG-1', 'T-DONE-PKG-1', 'In Transit', NULL, '2026-11-20 08:15:00+00', '{}', NULL),
	(2, 0, 'PKG-1', 'T-DELIVERED-PKG-1', 'Order Delivered', NULL, '2026-11-20 08:15:00+00', '{}', NULL),
	(3, 0, 'PKG-1', 'T-CANCELLED-PKG-1', 'Cancelled', NULL, '2026-11-23 04:00:52.266+00', '{}', NULL),
	(4, 0, 'PKG-1', NULL, 'Order Created', NULL, NULL, '{}', NULL),
	(5, 0, 'PKG-1', NULL, 'Order Created', NULL, NULL, '{}', NULL),
	(6, 0, 'PKG-1', NULL, 'Order Created', NULL, NULL, '{}', NULL),
	(7, 0, 'PKG-1', NULL, 'Order Created', NULL, NULL, '{}', NULL),
	(8, 0, 'PKG-1', NULL, 'Order Created', NULL, NULL, '{}', NULL);

INSERT INTO public.profile_versions VALUES
	('d948f64257a79c4547fb822aa7dbdea6231f529a130c88112a7499b03431d868', 'plain', '{"code":"plain","files":{"carriers/plain.yaml":"carrier: plain\nname: Plain Carrier\nenvironments:\n  production: { url: ''${settings.url}'' }\ncredentials:\n  token: { secret: true }\nsettings:\n  url: {}\nauth: { bearer: { token: ''${credentials.token}'' } }\n","carriers/contract.yaml":"carrier: contract\nname: Our own contract\nabstract: true\nlabels: { formats: [PDF, ZPL, PNG] }\noperations:\n  create: { post: ''${environment.url}'', idempotency: reference, body: { json: consignment }, result: answer.jsonata }   # picks number and labelUrl of itemsTrackDetails\n  update: { post: ''${environment.url}'', body: { json: consignment }, result: answer.jsonata }\n  cancel: { post: ''${environment.url}'', body: { json: consignment } }\noutcomes:\n  - { status: 400, do: reject, messages: response.body.errors }\nstatuses:\n  table: { SHIPMENT_CREATED: Order Created, PICKED_UP: Order Picked Up, IN_TRANSIT: In Transit, AT_HUB: At Facility, AT_FACILITY: At Facility,\n    OUT_FOR_DELIVERY: Out for Delivery, DELIVERED: Order Delivered, DELIVERY_FAILED: Delivery Failed, RETURNED_TO_ORIGIN: Returned to Origin }\n","mappings/contract/answer.jsonata":"/* The success body of the contract: number and label of each package. The echoes travel along, to be checked. */\n{ \"referenceId\": response.body.referenceId,\n  \"itemsTrackDetails\": [response.body.itemsTrackDetails.{\n    \"itemReferenceNumber\": itemReferenceNumber, \"trackingNumber\": trackingNumber, \"labelUrl\": labelUrl,\n    \"carrierCode\": carrierCode, \"orderNumber\": orderNumber }] }\n"}}', '2026-11-23 04:00:49.019313+00');

INSERT INTO public.pushes OVERRIDING SYSTEM VALUE VALUES
	(1, 'plain', NULL, 'contract', NULL, '2026-11-23 04:00:51.858+00', '{"method":"POST","url":"/v2/carriers/plain/statuses","headers":{"host":"127.0.0.1:34845","connection":"keep-alive","content-type":"application/json","accept":"*/*","accept-language":"*","sec-fetch-mode":"cors","user-agent":"node","accept-encoding":"gzip, deflate","content-length":"167"}}', '\x7b2274797065223a22547261636b696e67222c2276616c7565223a22542d444f4e452d504b472d31222c2263617272696572537461747573436f6465223a22494e5f5452414e534954222c2273746174757352656365697665644174223a22323032362d31312d32302030383a31353a3030222c226c6162656c223a7b22636f6e74656e74223a22586c6842586b5a455a586868625842735a5635475531355957673d3d227d7d', 'done', NULL, '2026-11-23 04:00:51.897+00', NULL),
	(2, 'plain', NULL, 'contract', NULL, '2026-11-23 04:00:52.051+00', '{"method":"POST","url":"/v2/carriers/plain/statuses","headers":{"host":"127.0.0.1:34845","connection":"keep-alive","content-type":"application/json","accept":"*/*","accept-language":"*","sec-fetch-mode":"cors","user-agent":"node","accept-encoding":"gzip, deflate","content-length":"120"}}', '\x7b2274797065223a22547261636b696e67222c2276616c7565223a22542d44454c4956455245442d504b472d31222c2263617272696572537461747573436f6465223a2244454c495645524544222c2273746174757352656365697665644174223a22323032362d31312d32302030383a31353a3030227d', 'done', NULL, '2026-11-23 04:00:52.058+00', NULL),
	(3, 'plain', NULL, 'contract', NULL, '2026-11-23 04:01:04.156+00', '{"method":"POST","url":"/v2/carriers/plain/statuses","headers":{"host":"127.0.0.1:34845","connection":"keep-alive","content-type":"application/json","accept":"*/*","accept-language":"*","sec-fetch-mode":"cors","user-agent":"node","accept-encoding":"gzip, deflate","content-length":"123"}}', '\x7b2274797065223a22547261636b696e67222c2276616c7565223a22542d4c415445522d504b472d31222c2263617272696572537461747573436f6465223a224f55545f464f525f44454c4956455259222c2273746174757352656365697665644174223a22323032362d31312d32302030383a31353a3030227d', 'done', NULL, '2026-11-23 04:01:04.163+00', '2026-11-23 04:01:34.167624+00'),
	(4, 'plain', NULL, 'contract', NULL, '2026-11-23 04:01:05.510918+00', '{"method":"POST","url":"/v2/carriers/plain/statuses","headers":{}}', '\x7b2274797065223a22547261636b696e67222c2276616c7565223a22542d444f4e452d504b472d31222c2263617272696572537461747573436f6465223a224f55545f464f525f44454c4956455259222c2273746174757352656365697665644174223a22323032362d31312d32312030383a31353a3030227d', 'pending', NULL, NULL, '2026-11-23 04:01:05.527282+00');

INSERT INTO public.request_acts VALUES
	(1, 'production', 'key-of-done', 1, 1),
	(1, 'production', 'key-of-pending', 8, 9);

INSERT INTO public.schema_migration VALUES
	(1, '0001-ground.sql', '8cfbd4f5b58b6ce49cd964b6c8f6b59b0402b7d6e84d0a87cd870a1e533668da', '2026-11-23 04:00:47.386718+00'),
	(2, '0002-problem.sql', '1fdaddbf5e71e6237ebaa4c9c30bcac8fa07014a423a38197bd9a132d5329fea', '2026-11-23 04:00:48.365142+00'),
	(3, '0003-batches.sql', '068ba12b80f57a462b3e535d2ba7fb79ca1bd1494e41824907e761af8a5408ea', '2026-11-23 04:00:48.457729+00');

INSERT INTO public.shared_limits VALUES
	('plain', '{"failures":0,"newestMs":1795406464240.3179,"healthyMs":1795406464240.3167}', '2026-11-24 04:01:04.366171+00'),
	('plain 8  0', '{"members":{"2e59124c-660c-4cd3-9bdc-04f32d81e117":{"held":8,"wanted":1,"untilMs":1795406467357.613}},"pool":[]}', '2026-11-23 04:01:07.366171+00'),
	('process/2e59124c-660c-4cd3-9bdc-04f32d81e117', '', '2026-11-23 04:01:30.170719+00');

INSERT INTO public.shippers OVERRIDING SYSTEM VALUE VALUES
	(1, 'shop', 'Example Shop', NULL, '2026-11-23 04:00:50.661387+00');

INSERT INTO public.subscriptions VALUES
	('sub_VBdbVzEVUc-NJoFlNHZwQd6a', 1, 'production', 'http://127.0.0.1:38243/', '{FORWARD}', '\x01e93e03fdb0ae26a2c4593405c0a2905180320124d475c683c0ebfaaf632b4ff5f9b0fb5718eb703701b5db0ab25756a2b8e0d6115f79efcf4f1e4074903ce7562b036ef694f47da34df522b38204b5c0345e', NULL, NULL, 'active', NULL, NULL, NULL, '2026-11-23 04:00:50.754152+00');

INSERT INTO public.tokens VALUES
	('U90bcw2Kk0WV', '\x6dddd75849f8fb5c7328f0d2bd304caa0cc4761d52c252f239115bf5bd24061c', 'shipper', 1, NULL, 'production', '2026-11-23 04:00:50.673+00', NULL, NULL, NULL),
	('xxKMZt4pLzJT', '\x1ca95476da6a0f4a3fef60718c05ce3d57f1716fe044a2e6e515a514e1242f32', 'carrier', NULL, 'plain', NULL, '2026-11-23 04:00:50.708+00', NULL, NULL, NULL);

SELECT pg_catalog.setval('public.accounts_id_seq', 1, true);

SELECT pg_catalog.setval('public.audit_log_id_seq', 7, true);

SELECT pg_catalog.setval('public.consignments_id_seq', 8, true);

SELECT pg_catalog.setval('public.deliveries_id_seq', 9, true);

SELECT pg_catalog.setval('public.dispatches_id_seq', 9, true);

SELECT pg_catalog.setval('public.events_id_seq', 3, true);

SELECT pg_catalog.setval('public.exchanges_id_seq', 10, true);

SELECT pg_catalog.setval('public.pushes_id_seq', 4, true);

SELECT pg_catalog.setval('public.redeliveries_id_seq', 1, false);

SELECT pg_catalog.setval('public.shippers_id_seq', 1, true);

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_shipper_id_carrier_code_environment_key UNIQUE (shipper_id, carrier_code, environment);

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.calls
    ADD CONSTRAINT calls_pkey PRIMARY KEY (dispatch_id, step, element);

ALTER TABLE ONLY public.carrier_tokens
    ADD CONSTRAINT carrier_tokens_pkey PRIMARY KEY (key);

ALTER TABLE ONLY public.consignments
    ADD CONSTRAINT consignments_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_notice_id_subscription_id_key UNIQUE (notice_id, subscription_id);

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.delivery_attempts
    ADD CONSTRAINT delivery_attempts_pkey PRIMARY KEY (delivery_id, attempt);

ALTER TABLE ONLY public.dispatches
    ADD CONSTRAINT dispatches_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.draws
    ADD CONSTRAINT draws_pkey PRIMARY KEY (dispatch_id, key);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_carrier_code_identity_key UNIQUE (carrier_code, identity);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.exchanges
    ADD CONSTRAINT exchanges_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.facilities
    ADD CONSTRAINT facilities_pkey PRIMARY KEY (shipper_id, environment, code);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (shipper_id, environment, key);

ALTER TABLE ONLY public.identifiers
    ADD CONSTRAINT identifiers_carrier_code_kind_value_consignment_id_position_key UNIQUE NULLS NOT DISTINCT (carrier_code, kind, value, consignment_id, "position");

ALTER TABLE ONLY public.installation
    ADD CONSTRAINT installation_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.labels
    ADD CONSTRAINT labels_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.notices
    ADD CONSTRAINT notices_consignment_id_sequence_key UNIQUE (consignment_id, sequence);

ALTER TABLE ONLY public.notices
    ADD CONSTRAINT notices_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.packages
    ADD CONSTRAINT packages_pkey PRIMARY KEY (consignment_id, "position");

ALTER TABLE ONLY public.profile_versions
    ADD CONSTRAINT profile_versions_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.pushes
    ADD CONSTRAINT pushes_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.redeliveries
    ADD CONSTRAINT redeliveries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.request_acts
    ADD CONSTRAINT request_acts_pkey PRIMARY KEY (shipper_id, environment, key, consignment_id);

ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (number);

ALTER TABLE ONLY public.sequences
    ADD CONSTRAINT sequences_pkey PRIMARY KEY (account_id, name);

ALTER TABLE ONLY public.shared_limits
    ADD CONSTRAINT shared_limits_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.shippers
    ADD CONSTRAINT shippers_code_key UNIQUE (code);

ALTER TABLE ONLY public.shippers
    ADD CONSTRAINT shippers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (id);

CREATE INDEX accounts_by_carrier ON public.accounts USING btree (carrier_code, environment);

CREATE INDEX audit_log_by_subject ON public.audit_log USING btree (subject, id DESC);

CREATE INDEX consignments_by_age ON public.consignments USING btree (shipper_id, environment, created_at DESC, id DESC);

CREATE INDEX consignments_by_carrier ON public.consignments USING btree (shipper_id, environment, carrier_code, created_at DESC, id DESC);

CREATE INDEX consignments_by_prefix ON public.consignments USING btree (shipper_id, environment, reference_number COLLATE "C");

CREATE INDEX consignments_by_status ON public.consignments USING btree (shipper_id, environment, status, created_at DESC, id DESC);

CREATE UNIQUE INDEX consignments_reference ON public.consignments USING btree (shipper_id, environment, reference_number) WHERE (released_at IS NULL);

CREATE INDEX consignments_released ON public.consignments USING btree (shipper_id, environment, reference_number, id DESC) WHERE (released_at IS NOT NULL);

CREATE INDEX deliveries_of_subscription ON public.deliveries USING btree (subscription_id, id DESC);

CREATE INDEX deliveries_sending ON public.deliveries USING btree (lease_until) WHERE (state = 'sending'::text);

CREATE INDEX deliveries_unfinished ON public.deliveries USING btree (subscription_id, state, due_at, id) WHERE (state = ANY (ARRAY['pending'::text, 'waiting'::text]));

CREATE INDEX dispatches_held ON public.dispatches USING btree (id) WHERE (state = 'held'::text);

CREATE INDEX dispatches_of_consignment ON public.dispatches USING btree (consignment_id, id);

CREATE INDEX dispatches_unfinished ON public.dispatches USING btree (due_at) WHERE (state = ANY (ARRAY['pending'::text, 'sending'::text, 'waiting'::text]));

CREATE INDEX events_of_consignment ON public.events USING btree (consignment_id, occurred_at);

CREATE INDEX events_unmapped ON public.events USING btree (carrier_code, carrier_status, carrier_sub_status) WHERE (status = 'Unmapped'::text);

CREATE INDEX events_unmatched ON public.events USING btree (carrier_code, sought_kind, sought_value) WHERE (match <> 'matched'::text);

CREATE INDEX events_unmatched_by_id ON public.events USING btree (id) WHERE (match <> 'matched'::text);

CREATE INDEX events_unmatched_of_push ON public.events USING btree (push_id) WHERE (match <> 'matched'::text);

CREATE INDEX exchanges_by_age ON public.exchanges USING btree (at);

CREATE INDEX exchanges_by_carrier ON public.exchanges USING btree (carrier_code, id DESC);

CREATE INDEX exchanges_of_consignment ON public.exchanges USING btree (consignment_id);

CREATE INDEX exchanges_of_dispatch ON public.exchanges USING btree (dispatch_id);

CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (created_at);

CREATE INDEX labels_due ON public.labels USING btree (due_at) WHERE (state = 'pending'::text);

CREATE INDEX labels_of_consignment ON public.labels USING btree (consignment_id, "position");

CREATE INDEX packages_to_poll ON public.packages USING btree (poll_at) WHERE (poll_at IS NOT NULL);

CREATE INDEX pushes_due ON public.pushes USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX pushes_failed ON public.pushes USING btree (id) WHERE (state = 'failed'::text);

CREATE INDEX redeliveries_running ON public.redeliveries USING btree (id) WHERE (state = 'running'::text);

CREATE INDEX request_acts_of_consignment ON public.request_acts USING btree (consignment_id);

CREATE INDEX request_acts_of_dispatch ON public.request_acts USING btree (dispatch_id);

CREATE INDEX subscriptions_of_shipper ON public.subscriptions USING btree (shipper_id, environment);

CREATE INDEX tokens_by_age ON public.tokens USING btree (created_at DESC, id DESC);

CREATE TRIGGER tell_of_change AFTER DELETE OR UPDATE ON public.accounts FOR EACH ROW EXECUTE FUNCTION public.tell_of_change('id');

CREATE TRIGGER tell_of_change AFTER DELETE OR UPDATE ON public.facilities FOR EACH ROW EXECUTE FUNCTION public.tell_of_change('shipper_id', 'environment', 'code');

CREATE TRIGGER tell_of_change AFTER DELETE OR UPDATE ON public.shippers FOR EACH ROW EXECUTE FUNCTION public.tell_of_change('id');

CREATE TRIGGER tell_of_change AFTER DELETE OR UPDATE ON public.tokens FOR EACH ROW EXECUTE FUNCTION public.tell_of_change('id');

CREATE TRIGGER tell_of_change_by_key AFTER DELETE OR UPDATE ON public.accounts FOR EACH ROW EXECUTE FUNCTION public.tell_of_change('shipper_id', 'carrier_code', 'environment');

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_shipper_id_fkey FOREIGN KEY (shipper_id) REFERENCES public.shippers(id);

ALTER TABLE ONLY public.calls
    ADD CONSTRAINT calls_dispatch_id_fkey FOREIGN KEY (dispatch_id) REFERENCES public.dispatches(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.consignments
    ADD CONSTRAINT consignments_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.consignments
    ADD CONSTRAINT consignments_shipper_id_fkey FOREIGN KEY (shipper_id) REFERENCES public.shippers(id);

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_notice_id_fkey FOREIGN KEY (notice_id) REFERENCES public.notices(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES public.subscriptions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.delivery_attempts
    ADD CONSTRAINT delivery_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES public.deliveries(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dispatches
    ADD CONSTRAINT dispatches_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.dispatches
    ADD CONSTRAINT dispatches_consignment_id_fkey FOREIGN KEY (consignment_id) REFERENCES public.consignments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dispatches
    ADD CONSTRAINT dispatches_profile_hash_fkey FOREIGN KEY (profile_hash) REFERENCES public.profile_versions(hash);

ALTER TABLE ONLY public.draws
    ADD CONSTRAINT draws_dispatch_id_fkey FOREIGN KEY (dispatch_id) REFERENCES public.dispatches(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_consignment_id_fkey FOREIGN KEY (consignment_id) REFERENCES public.consignments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_push_id_fkey FOREIGN KEY (push_id) REFERENCES public.pushes(id);

ALTER TABLE ONLY public.facilities
    ADD CONSTRAINT facilities_shipper_id_fkey FOREIGN KEY (shipper_id) REFERENCES public.shippers(id);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_shipper_id_fkey FOREIGN KEY (shipper_id) REFERENCES public.shippers(id);

ALTER TABLE ONLY public.identifiers
    ADD CONSTRAINT identifiers_consignment_id_fkey FOREIGN KEY (consignment_id) REFERENCES public.consignments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.labels
    ADD CONSTRAINT labels_consignment_id_fkey FOREIGN KEY (consignment_id) REFERENCES public.consignments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.notices
    ADD CONSTRAINT notices_consignment_id_fkey FOREIGN KEY (consignment_id) REFERENCES public.consignments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.packages
    ADD CONSTRAINT packages_consignment_id_fkey FOREIGN KEY (consignment_id) REFERENCES public.consignments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pushes
    ADD CONSTRAINT pushes_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.redeliveries
    ADD CONSTRAINT redeliveries_shipper_id_fkey FOREIGN KEY (shipper_id) REFERENCES public.shippers(id);

ALTER TABLE ONLY public.request_acts
    ADD CONSTRAINT request_acts_consignment_id_fkey FOREIGN KEY (consignment_id) REFERENCES public.consignments(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.request_acts
    ADD CONSTRAINT request_acts_dispatch_id_fkey FOREIGN KEY (dispatch_id) REFERENCES public.dispatches(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.request_acts
    ADD CONSTRAINT request_acts_shipper_id_environment_key_fkey FOREIGN KEY (shipper_id, environment, key) REFERENCES public.idempotency_keys(shipper_id, environment, key) ON DELETE CASCADE;

ALTER TABLE ONLY public.sequences
    ADD CONSTRAINT sequences_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_shipper_id_fkey FOREIGN KEY (shipper_id) REFERENCES public.shippers(id);

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_shipper_id_fkey FOREIGN KEY (shipper_id) REFERENCES public.shippers(id);

