CREATE TABLE "page_reports" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"user_uid" uuid NOT NULL,
	"reason" text NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "hidden_tags" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "page_reports" ADD CONSTRAINT "page_reports_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "page_reports" ADD CONSTRAINT "page_reports_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "page_reports_game" ON "page_reports" USING btree ("game_uid");--> statement-breakpoint
CREATE INDEX "page_reports_user" ON "page_reports" USING btree ("user_uid");--> statement-breakpoint
CREATE INDEX "page_reports_created" ON "page_reports" USING btree ("created_at","uid");