ALTER TABLE "publishers" ADD COLUMN "repository_id" text;--> statement-breakpoint
ALTER TABLE "publishers" ADD COLUMN "repository_owner_id" text;