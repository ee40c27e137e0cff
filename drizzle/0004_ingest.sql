CREATE TABLE "crash_devices" (
	"group_uid" uuid NOT NULL,
	"device_id" text NOT NULL,
	CONSTRAINT "crash_devices_group_uid_device_id_pk" PRIMARY KEY("group_uid","device_id")
);
--> statement-breakpoint
CREATE TABLE "crash_groups" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"signature" text NOT NULL,
	"reason" text NOT NULL,
	"count" integer DEFAULT 0 NOT NULL,
	"devices" integer DEFAULT 0 NOT NULL,
	"first_at" timestamp (3) with time zone NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	"build_uid" uuid,
	"frames" jsonb NOT NULL,
	"stack" jsonb,
	"symbolicated_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "crash_versions" (
	"group_uid" uuid NOT NULL,
	"version" text NOT NULL,
	CONSTRAINT "crash_versions_group_uid_version_pk" PRIMARY KEY("group_uid","version")
);
--> statement-breakpoint
CREATE TABLE "crashes" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"group_uid" uuid NOT NULL,
	"build_uid" uuid NOT NULL,
	"sent_key" text NOT NULL,
	"device_id" text NOT NULL,
	"session_id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"before_boot" boolean NOT NULL,
	"reason" text NOT NULL,
	"frames" jsonb NOT NULL,
	"client_version" text,
	"os" text,
	"arch" text,
	"log" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "build_health" (
	"build_uid" uuid PRIMARY KEY NOT NULL,
	"band" text NOT NULL,
	"devices" integer NOT NULL,
	"boot_ok" integer NOT NULL,
	"crashed" integer NOT NULL,
	"median_session_s" integer,
	"judged_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "game_boots" (
	"game_uid" uuid PRIMARY KEY NOT NULL,
	"first_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "launch_devices" (
	"build_uid" uuid NOT NULL,
	"device_id" text NOT NULL,
	"boot_at" timestamp (3) with time zone,
	CONSTRAINT "launch_devices_build_uid_device_id_pk" PRIMARY KEY("build_uid","device_id")
);
--> statement-breakpoint
CREATE TABLE "launch_sessions" (
	"build_uid" uuid NOT NULL,
	"device_id" text NOT NULL,
	"session_id" text NOT NULL,
	"boot_at" timestamp (3) with time zone,
	"crash_at" timestamp (3) with time zone,
	"first_at" timestamp (3) with time zone,
	"last_at" timestamp (3) with time zone,
	"heard_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "launch_sessions_build_uid_device_id_session_id_pk" PRIMARY KEY("build_uid","device_id","session_id")
);
--> statement-breakpoint
CREATE TABLE "play_clocks" (
	"user_uid" uuid NOT NULL,
	"game_uid" uuid NOT NULL,
	"credited_at" bigint DEFAULT 0 NOT NULL,
	"rest_ms" integer DEFAULT 0 NOT NULL,
	"sessions" jsonb DEFAULT '[]'::jsonb NOT NULL,
	CONSTRAINT "play_clocks_user_uid_game_uid_pk" PRIMARY KEY("user_uid","game_uid")
);
--> statement-breakpoint
CREATE TABLE "session_lengths" (
	"build_uid" uuid NOT NULL,
	"seconds" integer NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "session_lengths_build_uid_seconds_pk" PRIMARY KEY("build_uid","seconds")
);
--> statement-breakpoint
CREATE TABLE "shelves" (
	"kind" text NOT NULL,
	"os" text NOT NULL,
	"date" date NOT NULL,
	"game_uids" uuid[] NOT NULL,
	CONSTRAINT "shelves_kind_os_pk" PRIMARY KEY("kind","os")
);
--> statement-breakpoint
ALTER TABLE "crash_devices" ADD CONSTRAINT "crash_devices_group_uid_crash_groups_uid_fk" FOREIGN KEY ("group_uid") REFERENCES "public"."crash_groups"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crash_groups" ADD CONSTRAINT "crash_groups_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crash_groups" ADD CONSTRAINT "crash_groups_build_uid_builds_uid_fk" FOREIGN KEY ("build_uid") REFERENCES "public"."builds"("uid") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crash_versions" ADD CONSTRAINT "crash_versions_group_uid_crash_groups_uid_fk" FOREIGN KEY ("group_uid") REFERENCES "public"."crash_groups"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crashes" ADD CONSTRAINT "crashes_group_uid_crash_groups_uid_fk" FOREIGN KEY ("group_uid") REFERENCES "public"."crash_groups"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crashes" ADD CONSTRAINT "crashes_build_uid_builds_uid_fk" FOREIGN KEY ("build_uid") REFERENCES "public"."builds"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "build_health" ADD CONSTRAINT "build_health_build_uid_builds_uid_fk" FOREIGN KEY ("build_uid") REFERENCES "public"."builds"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "game_boots" ADD CONSTRAINT "game_boots_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "launch_devices" ADD CONSTRAINT "launch_devices_build_uid_builds_uid_fk" FOREIGN KEY ("build_uid") REFERENCES "public"."builds"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "launch_sessions" ADD CONSTRAINT "launch_sessions_build_uid_builds_uid_fk" FOREIGN KEY ("build_uid") REFERENCES "public"."builds"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "play_clocks" ADD CONSTRAINT "play_clocks_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "play_clocks" ADD CONSTRAINT "play_clocks_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_lengths" ADD CONSTRAINT "session_lengths_build_uid_builds_uid_fk" FOREIGN KEY ("build_uid") REFERENCES "public"."builds"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "crash_groups_signature" ON "crash_groups" USING btree ("game_uid","signature");--> statement-breakpoint
CREATE INDEX "crash_groups_game" ON "crash_groups" USING btree ("game_uid","last_at","uid");--> statement-breakpoint
CREATE INDEX "crash_groups_build" ON "crash_groups" USING btree ("build_uid");--> statement-breakpoint
CREATE UNIQUE INDEX "crashes_sent_key" ON "crashes" USING btree ("sent_key");--> statement-breakpoint
CREATE INDEX "crashes_group" ON "crashes" USING btree ("group_uid","uid");--> statement-breakpoint
CREATE INDEX "crashes_build" ON "crashes" USING btree ("build_uid");--> statement-breakpoint
CREATE INDEX "launch_sessions_crashed" ON "launch_sessions" USING btree ("build_uid","device_id") WHERE crash_at is not null;--> statement-breakpoint
CREATE INDEX "play_clocks_game" ON "play_clocks" USING btree ("game_uid");--> statement-breakpoint
ALTER TABLE "launch_sessions" SET (fillfactor = 80);--> statement-breakpoint
CREATE SCHEMA "ingest";
--> statement-breakpoint
-- One partition for each day; they are made and dropped as days come and go. "key" is a hash of what makes an event the
-- same event sent again.
CREATE TABLE "ingest"."events" (
	"day" date NOT NULL,
	"key" bigint NOT NULL,
	"build_uid" uuid NOT NULL,
	"device_id" text NOT NULL,
	"session_id" text NOT NULL,
	"name" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"metadata" jsonb,
	CONSTRAINT "events_once" PRIMARY KEY ("key", "day")
) PARTITION BY RANGE ("day");
