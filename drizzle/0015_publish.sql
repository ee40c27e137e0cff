CREATE TABLE "attestations" (
	"file_uid" uuid NOT NULL,
	"predicate_type" text NOT NULL,
	"envelope" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "attestations_file_uid_predicate_type_pk" PRIMARY KEY("file_uid","predicate_type")
);
--> statement-breakpoint
CREATE TABLE "statement_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"public_key" text NOT NULL,
	"private_key" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "publishers" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"provider" text NOT NULL,
	"issuer" text NOT NULL,
	"repository" text NOT NULL,
	"workflow" text,
	"environment" text,
	"ref" text,
	"channels" text[],
	"added_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "used_pipeline_tokens" (
	"digest" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "origin" jsonb;--> statement-breakpoint
ALTER TABLE "deploy_keys" ADD COLUMN "expires_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "deploy_keys" ADD COLUMN "publisher_uid" uuid;--> statement-breakpoint
ALTER TABLE "deploy_keys" ADD COLUMN "channels" text[];--> statement-breakpoint
ALTER TABLE "deploy_keys" ADD COLUMN "origin" jsonb;--> statement-breakpoint
ALTER TABLE "games" ADD COLUMN "keys_allowed" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "upload_sessions" ADD COLUMN "origin" jsonb;--> statement-breakpoint
ALTER TABLE "upload_sessions" ADD COLUMN "key_uid" uuid;--> statement-breakpoint
ALTER TABLE "attestations" ADD CONSTRAINT "attestations_file_uid_files_uid_fk" FOREIGN KEY ("file_uid") REFERENCES "public"."files"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "publishers" ADD CONSTRAINT "publishers_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "publishers" ADD CONSTRAINT "publishers_added_by_users_id_fk" FOREIGN KEY ("added_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "publishers_game" ON "publishers" USING btree ("game_uid");--> statement-breakpoint
CREATE INDEX "publishers_added_by" ON "publishers" USING btree ("added_by");--> statement-breakpoint
CREATE INDEX "used_pipeline_tokens_expiry" ON "used_pipeline_tokens" USING btree ("expires_at");--> statement-breakpoint
ALTER TABLE "deploy_keys" ADD CONSTRAINT "deploy_keys_publisher_uid_publishers_uid_fk" FOREIGN KEY ("publisher_uid") REFERENCES "public"."publishers"("uid") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "files_checksum" ON "files" USING btree ("checksum");--> statement-breakpoint
CREATE INDEX "deploy_keys_publisher" ON "deploy_keys" USING btree ("publisher_uid");--> statement-breakpoint
CREATE INDEX "deploy_keys_expiry" ON "deploy_keys" USING btree ("expires_at") WHERE expires_at is not null;