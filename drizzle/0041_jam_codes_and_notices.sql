ALTER TABLE "jam_codes" ADD COLUMN "hint" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "jam_codes" ADD COLUMN "uses" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "jam_codes" ADD COLUMN "used" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "notice_events" ADD COLUMN "jam_uid" uuid;--> statement-breakpoint
ALTER TABLE "notice_events" ADD CONSTRAINT "notice_events_jam_uid_jams_uid_fk" FOREIGN KEY ("jam_uid") REFERENCES "public"."jams"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "notice_events_jam" ON "notice_events" USING btree ("jam_uid","at","uid") WHERE jam_uid is not null;