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
ALTER TABLE "crash_quotas" ADD CONSTRAINT "crash_quotas_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "crash_quotas_day" ON "crash_quotas" USING btree ("day");