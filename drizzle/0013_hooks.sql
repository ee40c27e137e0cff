ALTER TABLE "promotion_requests" ALTER COLUMN "channel" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "promotion_requests" ALTER COLUMN "build_uid" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "promotion_requests" ADD COLUMN "kind" text DEFAULT 'promotion' NOT NULL;--> statement-breakpoint
ALTER TABLE "promotion_requests" ADD COLUMN "webhook_urls" text[];--> statement-breakpoint
UPDATE "oauth_clients" SET "backchannel_logout_uri" = NULL, "jwks_uri" = NULL WHERE "backchannel_logout_uri" IS NOT NULL OR "jwks_uri" IS NOT NULL;
