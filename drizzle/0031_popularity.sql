ALTER TABLE "games" ADD COLUMN "popularity" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Every document gets its price, rating, inputs and popularity.
INSERT INTO "search_changes" ("game_uid") SELECT "uid" FROM "games" WHERE "visibility" = 'public' ORDER BY "uid";
