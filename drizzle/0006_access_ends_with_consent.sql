DROP INDEX "oauth_consents_user_id";--> statement-breakpoint
ALTER TABLE "oauth_consents" ADD COLUMN "last_used_at" timestamp (3) with time zone;--> statement-breakpoint
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
ALTER TABLE "oauth_refresh_tokens" ADD CONSTRAINT "oauth_refresh_tokens_consent_fk" FOREIGN KEY ("user_id","client_id") REFERENCES "public"."oauth_consents"("user_id","client_id") ON DELETE cascade ON UPDATE no action;
