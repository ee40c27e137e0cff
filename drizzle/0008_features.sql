CREATE TABLE "bug_deliveries" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"ticket_uid" uuid,
	"url" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"next_try_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "bug_delivery_attempts" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"delivery_uid" uuid NOT NULL,
	"status" integer,
	"error" text,
	"latency_ms" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "bug_notices" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"ticket_uid" uuid NOT NULL,
	"fixed_in_version" text,
	"fixed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"acknowledged_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "bug_reporters" (
	"game_uid" uuid PRIMARY KEY NOT NULL,
	"enabled" boolean DEFAULT false NOT NULL,
	"daily_cap" integer DEFAULT 10 NOT NULL,
	"webhook_urls" text[] DEFAULT '{}' NOT NULL,
	"signing_key" text,
	CONSTRAINT "bug_reporters_key" CHECK ("bug_reporters"."signing_key" is not null or (not "bug_reporters"."enabled" and cardinality("bug_reporters"."webhook_urls") = 0))
);
--> statement-breakpoint
CREATE TABLE "bug_screenshots" (
	"ticket_uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"object_key" text NOT NULL,
	"content_type" text NOT NULL,
	"size" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "bug_ticket_events" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"ticket_uid" uuid NOT NULL,
	"by" text NOT NULL,
	"from_status" text,
	"to_status" text NOT NULL,
	"fixed_in_version" text,
	"note" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "bug_tickets" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"user_uid" uuid,
	"extstore_id" text,
	"source" text NOT NULL,
	"status" text DEFAULT 'open' NOT NULL,
	"message" text NOT NULL,
	"client_version" text,
	"os" text,
	"arch" text,
	"build_id" text,
	"log" text,
	"fixed_in_version" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "game_history" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"changed_by" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "operator_acts" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"operator_uid" uuid,
	"operator" text NOT NULL,
	"act" text NOT NULL,
	"subject" text NOT NULL,
	"subject_id" text,
	"subject_name" text NOT NULL,
	"reason" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
DROP INDEX "page_reports_created";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "author_id" integer NOT NULL GENERATED ALWAYS AS IDENTITY (sequence name "users_author_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1);--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "operator" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "suspended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "suspended_reason" text;--> statement-breakpoint
ALTER TABLE "file_entries" ADD COLUMN "at" bigint;--> statement-breakpoint
ALTER TABLE "file_entries" ADD COLUMN "length" bigint;--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "layout_faults" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "promotion_requests" ADD COLUMN "asked_by" text DEFAULT 'a program' NOT NULL;--> statement-breakpoint
ALTER TABLE "games" ADD COLUMN "asset_id" integer NOT NULL GENERATED ALWAYS AS IDENTITY (sequence name "games_asset_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1);--> statement-breakpoint
ALTER TABLE "games" ADD COLUMN "taken_down" jsonb;--> statement-breakpoint
ALTER TABLE "page_reports" ADD COLUMN "state" text DEFAULT 'open' NOT NULL;--> statement-breakpoint
ALTER TABLE "upload_sessions" ADD COLUMN "base_file_uid" uuid;--> statement-breakpoint
ALTER TABLE "bug_deliveries" ADD CONSTRAINT "bug_deliveries_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bug_deliveries" ADD CONSTRAINT "bug_deliveries_ticket_uid_bug_tickets_uid_fk" FOREIGN KEY ("ticket_uid") REFERENCES "public"."bug_tickets"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bug_delivery_attempts" ADD CONSTRAINT "bug_delivery_attempts_delivery_uid_bug_deliveries_uid_fk" FOREIGN KEY ("delivery_uid") REFERENCES "public"."bug_deliveries"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bug_notices" ADD CONSTRAINT "bug_notices_ticket_uid_bug_tickets_uid_fk" FOREIGN KEY ("ticket_uid") REFERENCES "public"."bug_tickets"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bug_reporters" ADD CONSTRAINT "bug_reporters_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bug_screenshots" ADD CONSTRAINT "bug_screenshots_ticket_uid_bug_tickets_uid_fk" FOREIGN KEY ("ticket_uid") REFERENCES "public"."bug_tickets"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bug_screenshots" ADD CONSTRAINT "bug_screenshots_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bug_ticket_events" ADD CONSTRAINT "bug_ticket_events_ticket_uid_bug_tickets_uid_fk" FOREIGN KEY ("ticket_uid") REFERENCES "public"."bug_tickets"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bug_tickets" ADD CONSTRAINT "bug_tickets_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bug_tickets" ADD CONSTRAINT "bug_tickets_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "game_history" ADD CONSTRAINT "game_history_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "bug_deliveries_game" ON "bug_deliveries" USING btree ("game_uid","uid");--> statement-breakpoint
CREATE INDEX "bug_deliveries_pending" ON "bug_deliveries" USING btree ("game_uid","url","next_try_at") WHERE "bug_deliveries"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "bug_deliveries_created" ON "bug_deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "bug_deliveries_ticket" ON "bug_deliveries" USING btree ("ticket_uid","url");--> statement-breakpoint
CREATE INDEX "bug_delivery_attempts_delivery" ON "bug_delivery_attempts" USING btree ("delivery_uid","uid");--> statement-breakpoint
CREATE INDEX "bug_notices_ticket" ON "bug_notices" USING btree ("ticket_uid");--> statement-breakpoint
CREATE UNIQUE INDEX "bug_notices_unread" ON "bug_notices" USING btree ("ticket_uid") WHERE "bug_notices"."acknowledged_at" is null;--> statement-breakpoint
CREATE INDEX "bug_screenshots_game" ON "bug_screenshots" USING btree ("game_uid");--> statement-breakpoint
CREATE UNIQUE INDEX "bug_screenshots_key" ON "bug_screenshots" USING btree ("object_key");--> statement-breakpoint
CREATE INDEX "bug_ticket_events_ticket" ON "bug_ticket_events" USING btree ("ticket_uid","uid");--> statement-breakpoint
CREATE INDEX "bug_tickets_game" ON "bug_tickets" USING btree ("game_uid","uid");--> statement-breakpoint
CREATE INDEX "bug_tickets_status" ON "bug_tickets" USING btree ("game_uid","status","uid");--> statement-breakpoint
CREATE INDEX "bug_tickets_user" ON "bug_tickets" USING btree ("user_uid","game_uid","created_at");--> statement-breakpoint
CREATE INDEX "bug_tickets_extstore" ON "bug_tickets" USING btree ("extstore_id","game_uid","created_at");--> statement-breakpoint
CREATE INDEX "game_history_game" ON "game_history" USING btree ("game_uid","uid");--> statement-breakpoint
CREATE INDEX "operator_acts_created" ON "operator_acts" USING btree ("created_at","uid");--> statement-breakpoint
ALTER TABLE "upload_sessions" ADD CONSTRAINT "upload_sessions_base_file_uid_files_uid_fk" FOREIGN KEY ("base_file_uid") REFERENCES "public"."files"("uid") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "games_taken_down" ON "games" USING btree ("uid") WHERE taken_down is not null;--> statement-breakpoint
CREATE INDEX "upload_sessions_base" ON "upload_sessions" USING btree ("base_file_uid");--> statement-breakpoint
CREATE INDEX "page_reports_created" ON "page_reports" USING btree ("state","created_at","uid");--> statement-breakpoint
ALTER TABLE "games" ADD CONSTRAINT "games_asset_id_unique" UNIQUE("asset_id");--> statement-breakpoint
ALTER TABLE "games" ADD CONSTRAINT "games_taken_down_hidden" CHECK (taken_down is null or visibility = 'owner');--> statement-breakpoint
CREATE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'The audit log of the operators only grows';
END $$;
--> statement-breakpoint
CREATE TRIGGER "operator_acts_only_grow" BEFORE UPDATE OR DELETE OR TRUNCATE ON "operator_acts"
	FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();
--> statement-breakpoint
-- Search documents know since this version which listings are packages for editors.
INSERT INTO "search_changes" ("game_uid") SELECT "uid" FROM "games" WHERE "visibility" = 'public' ORDER BY "uid";
