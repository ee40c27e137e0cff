CREATE TABLE "key_batches" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"label" text NOT NULL,
	"edition_uid" uuid,
	"edition_name" text,
	"count" integer NOT NULL,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "license_keys" (
	"code_hash" text PRIMARY KEY NOT NULL,
	"batch_uid" uuid NOT NULL,
	"redeemed_by" uuid,
	"redeemed_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "key_batches" ADD CONSTRAINT "key_batches_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "key_batches" ADD CONSTRAINT "key_batches_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "license_keys" ADD CONSTRAINT "license_keys_batch_uid_key_batches_uid_fk" FOREIGN KEY ("batch_uid") REFERENCES "public"."key_batches"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "license_keys" ADD CONSTRAINT "license_keys_redeemed_by_users_id_fk" FOREIGN KEY ("redeemed_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "key_batches_game" ON "key_batches" USING btree ("game_uid","uid");--> statement-breakpoint
CREATE INDEX "key_batches_created_by" ON "key_batches" USING btree ("created_by");--> statement-breakpoint
CREATE INDEX "license_keys_batch" ON "license_keys" USING btree ("batch_uid","redeemed_at");--> statement-breakpoint
CREATE INDEX "license_keys_redeemed_by" ON "license_keys" USING btree ("redeemed_by") WHERE redeemed_by is not null;