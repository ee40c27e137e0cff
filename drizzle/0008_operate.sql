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
ALTER TABLE "users" ADD COLUMN "operator" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "suspended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "suspended_reason" text;--> statement-breakpoint
ALTER TABLE "games" ADD COLUMN "taken_down" jsonb;--> statement-breakpoint
ALTER TABLE "page_reports" ADD COLUMN "state" text DEFAULT 'open' NOT NULL;--> statement-breakpoint
CREATE INDEX "operator_acts_created" ON "operator_acts" USING btree ("created_at","uid");--> statement-breakpoint
CREATE INDEX "games_taken_down" ON "games" USING btree ("uid") WHERE taken_down is not null;--> statement-breakpoint
CREATE INDEX "page_reports_created" ON "page_reports" USING btree ("state","created_at","uid");--> statement-breakpoint
ALTER TABLE "games" ADD CONSTRAINT "games_taken_down_hidden" CHECK (taken_down is null or visibility = 'owner');--> statement-breakpoint
CREATE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'The audit log of the operators only grows';
END $$;
--> statement-breakpoint
CREATE TRIGGER "operator_acts_only_grow" BEFORE UPDATE OR DELETE OR TRUNCATE ON "operator_acts"
	FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();
