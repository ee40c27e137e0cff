CREATE TABLE "file_contents" (
	"file_uid" uuid PRIMARY KEY NOT NULL,
	"installed_size" bigint NOT NULL,
	"has_blocks" boolean NOT NULL,
	"document" "bytea"
);
--> statement-breakpoint
ALTER TABLE "builds" ADD COLUMN "launch" jsonb;--> statement-breakpoint
ALTER TABLE "file_contents" ADD CONSTRAINT "file_contents_file_uid_files_uid_fk" FOREIGN KEY ("file_uid") REFERENCES "public"."files"("uid") ON DELETE cascade ON UPDATE no action;