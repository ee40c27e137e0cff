CREATE TABLE "used_play_tickets" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"used_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "file_entries" ADD COLUMN "method" smallint;--> statement-breakpoint
ALTER TABLE "file_entries" ADD COLUMN "crc32" bigint;--> statement-breakpoint
ALTER TABLE "file_entries" ADD COLUMN "packed" bigint;--> statement-breakpoint
ALTER TABLE "file_entries" ADD COLUMN "data_at" bigint;--> statement-breakpoint
ALTER TABLE "file_entries" ADD COLUMN "mode" integer;--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "entry_page" text;--> statement-breakpoint
ALTER TABLE "games" ADD COLUMN "web_player" jsonb;--> statement-breakpoint
CREATE INDEX "used_play_tickets_used" ON "used_play_tickets" USING btree ("used_at");--> statement-breakpoint
UPDATE "files" SET "entry_page" = (
	SELECT entry.path FROM "file_entries" AS entry
	WHERE entry.file_uid = "files".uid AND (
		entry.path = 'index.html' OR (
			entry.path = split_part(entry.path, '/', 1) || '/index.html' AND NOT EXISTS (
				SELECT 1 FROM "file_entries" AS other
				WHERE other.file_uid = entry.file_uid AND other.path NOT LIKE '\_\_MACOSX/%'
					AND (strpos(other.path, '/') = 0 OR split_part(other.path, '/', 1) <> split_part(entry.path, '/', 1))
			)
		)
	)
	ORDER BY length(entry.path) LIMIT 1
)
FROM "builds" WHERE "builds".uid = "files".build_uid AND "builds".os = 'web' AND "files".scan = 'clean';
