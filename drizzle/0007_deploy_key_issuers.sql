ALTER TABLE "deploy_keys" ADD COLUMN "issued_by" uuid;--> statement-breakpoint
ALTER TABLE "deploy_keys" ADD CONSTRAINT "deploy_keys_issued_by_users_id_fk" FOREIGN KEY ("issued_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deploy_keys_issued_by" ON "deploy_keys" USING btree ("issued_by");