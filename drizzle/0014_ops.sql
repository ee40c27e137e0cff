ALTER TABLE "licenses" DROP CONSTRAINT "licenses_game_uid_games_uid_fk";
--> statement-breakpoint
ALTER TABLE "licenses" ADD COLUMN "removed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "build_health" ADD COLUMN "left_out" integer;--> statement-breakpoint
ALTER TABLE "launch_devices" ADD COLUMN "heard_at" timestamp (3) with time zone DEFAULT now() NOT NULL;