CREATE TABLE "extstore_links" (
	"game_uid" uuid PRIMARY KEY NOT NULL,
	"app_id" bigint NOT NULL,
	"linked_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_sync_at" timestamp (3) with time zone,
	"auth_key" text,
	"ticket_key" text,
	"web_api_key" text,
	CONSTRAINT "extstore_links_app_id_unique" UNIQUE("app_id"),
	CONSTRAINT "extstore_links_keys" CHECK (num_nonnulls("extstore_links"."auth_key", "extstore_links"."ticket_key", "extstore_links"."web_api_key") in (0, 3))
);
--> statement-breakpoint
CREATE TABLE "extstore_nonces" (
	"nonce" text PRIMARY KEY NOT NULL,
	"used_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "extstore_revocations" (
	"game_uid" uuid NOT NULL,
	"extstore_id" text NOT NULL,
	"revoked_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "extstore_revocations_game_uid_extstore_id_pk" PRIMARY KEY("game_uid","extstore_id")
);
--> statement-breakpoint
CREATE TABLE "extstore_sessions" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"extstore_id" text NOT NULL,
	"owner_extstore_id" text,
	"user_uid" uuid,
	"ip" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
DROP TABLE "game_auth_keys" CASCADE;--> statement-breakpoint
ALTER TABLE "extstore_links" ADD CONSTRAINT "extstore_links_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "extstore_revocations" ADD CONSTRAINT "extstore_revocations_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "extstore_sessions" ADD CONSTRAINT "extstore_sessions_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "extstore_sessions" ADD CONSTRAINT "extstore_sessions_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "extstore_nonces_used" ON "extstore_nonces" USING btree ("used_at");--> statement-breakpoint
CREATE INDEX "extstore_revocations_revoked" ON "extstore_revocations" USING btree ("revoked_at");--> statement-breakpoint
CREATE INDEX "extstore_sessions_player" ON "extstore_sessions" USING btree ("game_uid","extstore_id","expires_at");--> statement-breakpoint
CREATE INDEX "extstore_sessions_expires" ON "extstore_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "extstore_sessions_user" ON "extstore_sessions" USING btree ("user_uid");