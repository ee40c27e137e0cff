ALTER TABLE "extstore_links" ADD COLUMN "auth_key_hash" text;--> statement-breakpoint
CREATE INDEX "extstore_links_auth_key" ON "extstore_links" USING btree ("auth_key_hash");