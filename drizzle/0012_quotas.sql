CREATE TABLE "ingest_quotas" (
	"game_uid" uuid NOT NULL,
	"day" date NOT NULL,
	"network" bigint NOT NULL,
	"events" bigint DEFAULT 0 NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"refused_of_game" bigint DEFAULT 0 NOT NULL,
	"refused_of_networks" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "ingest_quotas_game_uid_day_network_pk" PRIMARY KEY("game_uid","day","network")
);
--> statement-breakpoint
CREATE TABLE "rate_counts" (
	"key" text PRIMARY KEY NOT NULL,
	"count" integer NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "storage_reservations" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"owner_uid" uuid NOT NULL,
	"bytes" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "storage_limit" bigint;--> statement-breakpoint
ALTER TABLE "ingest_quotas" ADD CONSTRAINT "ingest_quotas_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "storage_reservations" ADD CONSTRAINT "storage_reservations_owner_uid_users_id_fk" FOREIGN KEY ("owner_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ingest_quotas_day" ON "ingest_quotas" USING btree ("day");--> statement-breakpoint
CREATE INDEX "rate_counts_end" ON "rate_counts" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "storage_reservations_owner" ON "storage_reservations" USING btree ("owner_uid");--> statement-breakpoint
CREATE INDEX "storage_reservations_expiry" ON "storage_reservations" USING btree ("expires_at");