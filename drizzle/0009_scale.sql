CREATE TABLE "search_reindexes" (
	"is_only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"is_full" boolean NOT NULL,
	"next_uid" uuid NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"requests" integer DEFAULT 1 NOT NULL,
	"moved_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "upload_sessions" ALTER COLUMN "checksum" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "search_documents" ADD COLUMN "digest" bigint;