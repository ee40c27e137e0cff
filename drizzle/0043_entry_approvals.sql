ALTER TABLE "promotion_requests" ADD COLUMN "jam_uid" uuid;--> statement-breakpoint
ALTER TABLE "promotion_requests" ADD COLUMN "entry_note" text;--> statement-breakpoint
ALTER TABLE "promotion_requests" ADD CONSTRAINT "promotion_requests_jam_uid_jams_uid_fk" FOREIGN KEY ("jam_uid") REFERENCES "public"."jams"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "promotion_requests_jam" ON "promotion_requests" USING btree ("jam_uid");