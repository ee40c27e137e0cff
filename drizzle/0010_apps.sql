CREATE TABLE "release_notes" (
	"game_uid" uuid NOT NULL,
	"version" text NOT NULL,
	"entry_uid" uuid,
	CONSTRAINT "release_notes_game_uid_version_pk" PRIMARY KEY("game_uid","version")
);
--> statement-breakpoint
ALTER TABLE "changelog_entries" ADD COLUMN "items" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "release_notes" ADD CONSTRAINT "release_notes_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_notes" ADD CONSTRAINT "release_notes_entry_uid_changelog_entries_uid_fk" FOREIGN KEY ("entry_uid") REFERENCES "public"."changelog_entries"("uid") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "release_notes_entry" ON "release_notes" USING btree ("entry_uid");--> statement-breakpoint
-- Systems that only another app than the game has are no longer found.
INSERT INTO "search_changes" ("game_uid") SELECT DISTINCT "game_uid" FROM "apps" WHERE "slug" <> 'main';
