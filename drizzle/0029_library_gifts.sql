ALTER TABLE "licenses" ADD COLUMN "pending" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "licenses" ADD COLUMN "hidden_at" timestamp (3) with time zone;