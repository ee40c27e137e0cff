DROP INDEX "notice_events_game";--> statement-breakpoint
ALTER TABLE "notice_events" ADD COLUMN "burst_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL;--> statement-breakpoint
CREATE INDEX "notice_events_followers" ON "notice_events" USING btree ("game_uid","at","uid") WHERE user_uid is null;--> statement-breakpoint
CREATE INDEX "notice_events_game" ON "notice_events" USING btree ("game_uid");