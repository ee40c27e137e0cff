ALTER TABLE "file_entries" ADD COLUMN "at" bigint;--> statement-breakpoint
ALTER TABLE "file_entries" ADD COLUMN "length" bigint;--> statement-breakpoint
ALTER TABLE "upload_sessions" ADD COLUMN "base_file_uid" uuid;--> statement-breakpoint
ALTER TABLE "upload_sessions" ADD CONSTRAINT "upload_sessions_base_file_uid_files_uid_fk" FOREIGN KEY ("base_file_uid") REFERENCES "public"."files"("uid") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "upload_sessions_base" ON "upload_sessions" USING btree ("base_file_uid");