CREATE TABLE "crash_quotas" (
	"game_uid" uuid NOT NULL,
	"day" date NOT NULL,
	"network" bigint NOT NULL,
	"kinds" integer DEFAULT 0 NOT NULL,
	"logs" integer DEFAULT 0 NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "crash_quotas_game_uid_day_network_pk" PRIMARY KEY("game_uid","day","network")
);
--> statement-breakpoint
CREATE TABLE "installation" (
	"singleton" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"id" uuid NOT NULL,
	"held_sweep" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "installation_singleton" CHECK ("installation"."singleton")
);
--> statement-breakpoint
DROP INDEX "oauth_consents_user_id";--> statement-breakpoint
ALTER TABLE "search_words" ALTER COLUMN "word" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "deploy_keys" ADD COLUMN "issued_by" uuid;--> statement-breakpoint
ALTER TABLE "licenses" ADD COLUMN "game_name" text;--> statement-breakpoint
ALTER TABLE "build_health" ADD COLUMN "shared_boot_ok" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "launch_devices" ADD COLUMN "network" bigint;--> statement-breakpoint
ALTER TABLE "oauth_consents" ADD COLUMN "last_used_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "search_words" ADD COLUMN "version" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "search_words" ADD COLUMN "freed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "crash_quotas" ADD CONSTRAINT "crash_quotas_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "crash_quotas_day" ON "crash_quotas" USING btree ("day");--> statement-breakpoint
ALTER TABLE "deploy_keys" ADD CONSTRAINT "deploy_keys_issued_by_users_id_fk" FOREIGN KEY ("issued_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
-- By hand: what the constraints below would not allow.
DELETE FROM "oauth_access_tokens";--> statement-breakpoint
DELETE FROM "oauth_consents" AS older USING "oauth_consents" AS newer
WHERE older."user_id" = newer."user_id" AND older."client_id" = newer."client_id" AND older."id" < newer."id";--> statement-breakpoint
DELETE FROM "oauth_refresh_tokens" AS token WHERE token."resources" IS NULL OR NOT EXISTS (
  SELECT FROM "oauth_consents" AS consent
  WHERE consent."user_id" = token."user_id" AND consent."client_id" = token."client_id"
);--> statement-breakpoint
-- By hand: before the foreign keys that need it.
ALTER TABLE "oauth_consents" ADD CONSTRAINT "oauth_consents_pair" UNIQUE("user_id","client_id");--> statement-breakpoint
ALTER TABLE "oauth_access_tokens" ADD CONSTRAINT "oauth_access_tokens_consent_fk" FOREIGN KEY ("user_id","client_id") REFERENCES "public"."oauth_consents"("user_id","client_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_refresh_tokens" ADD CONSTRAINT "oauth_refresh_tokens_consent_fk" FOREIGN KEY ("user_id","client_id") REFERENCES "public"."oauth_consents"("user_id","client_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deploy_keys_issued_by" ON "deploy_keys" USING btree ("issued_by");--> statement-breakpoint
CREATE INDEX "launch_devices_network" ON "launch_devices" USING btree ("build_uid","network");--> statement-breakpoint
CREATE INDEX "search_words_version" ON "search_words" USING btree ("version");--> statement-breakpoint
CREATE INDEX "search_words_free" ON "search_words" USING btree ("freed_at") WHERE "search_words"."freed_at" is not null;
