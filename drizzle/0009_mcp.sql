CREATE TABLE "game_history" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"changed_by" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "promotion_requests" ADD COLUMN "asked_by" text DEFAULT 'a program' NOT NULL;--> statement-breakpoint
ALTER TABLE "game_history" ADD CONSTRAINT "game_history_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "game_history_game" ON "game_history" USING btree ("game_uid","uid");