CREATE TABLE "search_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "search_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"game_uid" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "search_documents" (
	"id" integer PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"document" jsonb,
	"word_ids" integer[] NOT NULL,
	"version" bigint NOT NULL,
	CONSTRAINT "search_documents_game_uid_unique" UNIQUE("game_uid"),
	CONSTRAINT "search_documents_version_unique" UNIQUE("version")
);
--> statement-breakpoint
CREATE TABLE "search_mirrors" (
	"engine" text PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL,
	"behind_since" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "search_postings" (
	"word_id" integer NOT NULL,
	"block" integer NOT NULL,
	"places" "bytea" NOT NULL,
	CONSTRAINT "search_postings_word_id_block_pk" PRIMARY KEY("word_id","block")
);
--> statement-breakpoint
CREATE TABLE "search_words" (
	"id" integer PRIMARY KEY NOT NULL,
	"word" text NOT NULL,
	CONSTRAINT "search_words_word_unique" UNIQUE("word")
);
--> statement-breakpoint
INSERT INTO "search_changes" ("game_uid") SELECT "uid" FROM "games" WHERE "visibility" = 'public';
