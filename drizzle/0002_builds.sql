CREATE TABLE "apps" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "builds" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"app_uid" uuid NOT NULL,
	"version" text NOT NULL,
	"build_type" text NOT NULL,
	"os" text NOT NULL,
	"arch" text NOT NULL,
	"channel" text NOT NULL,
	"title" text DEFAULT '' NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"engine_version" text,
	"changelog_items" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "file_entries" (
	"file_uid" uuid NOT NULL,
	"path" text NOT NULL,
	"size" bigint NOT NULL,
	"sha256" text NOT NULL,
	CONSTRAINT "file_entries_file_uid_path_pk" PRIMARY KEY("file_uid","path")
);
--> statement-breakpoint
CREATE TABLE "files" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"build_uid" uuid NOT NULL,
	"filename" text NOT NULL,
	"size" bigint NOT NULL,
	"checksum" text NOT NULL,
	"object_key" text NOT NULL,
	"scan" text DEFAULT 'scanning' NOT NULL,
	"scan_engine" text,
	"scan_detail" text,
	"source" text NOT NULL,
	"key_last4" text,
	"uploaded_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"scanned_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "scan_events" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"file_uid" uuid NOT NULL,
	"state" text NOT NULL,
	"engine" text,
	"detail" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "symbols" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"build_uid" uuid NOT NULL,
	"module" text NOT NULL,
	"debug_id" text NOT NULL,
	"filename" text NOT NULL,
	"size" bigint NOT NULL,
	"object_key" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "channel_moves" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"app_uid" uuid NOT NULL,
	"channel" text NOT NULL,
	"os" text NOT NULL,
	"arch" text NOT NULL,
	"kind" text NOT NULL,
	"from_build_uid" uuid,
	"from_version" text,
	"to_build_uid" uuid,
	"to_version" text NOT NULL,
	"parent_uid" uuid,
	"moved_by" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "channel_pointers" (
	"game_uid" uuid NOT NULL,
	"app_uid" uuid NOT NULL,
	"channel" text NOT NULL,
	"os" text NOT NULL,
	"arch" text NOT NULL,
	"build_uid" uuid NOT NULL,
	"move_uid" uuid NOT NULL,
	"moved_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "channel_pointers_app_uid_channel_os_arch_pk" PRIMARY KEY("app_uid","channel","os","arch")
);
--> statement-breakpoint
CREATE TABLE "promotion_requests" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"channel" text NOT NULL,
	"build_uid" uuid NOT NULL,
	"requested_by" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"decided_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "download_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "download_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp (3) with time zone NOT NULL,
	"game_uid" uuid,
	"file_uid" uuid,
	"source" text NOT NULL,
	"client" text NOT NULL,
	"country" text,
	"outcome" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "upload_sessions" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"build_uid" uuid NOT NULL,
	"filename" text NOT NULL,
	"total_size" bigint NOT NULL,
	"checksum" text NOT NULL,
	"object_key" text NOT NULL,
	"upload_id" text NOT NULL,
	"source" text NOT NULL,
	"key_last4" text,
	"writer" text,
	"file_uid" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "apps" ADD CONSTRAINT "apps_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "builds" ADD CONSTRAINT "builds_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "builds" ADD CONSTRAINT "builds_app_uid_apps_uid_fk" FOREIGN KEY ("app_uid") REFERENCES "public"."apps"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_entries" ADD CONSTRAINT "file_entries_file_uid_files_uid_fk" FOREIGN KEY ("file_uid") REFERENCES "public"."files"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_build_uid_builds_uid_fk" FOREIGN KEY ("build_uid") REFERENCES "public"."builds"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scan_events" ADD CONSTRAINT "scan_events_file_uid_files_uid_fk" FOREIGN KEY ("file_uid") REFERENCES "public"."files"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "symbols" ADD CONSTRAINT "symbols_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "symbols" ADD CONSTRAINT "symbols_build_uid_builds_uid_fk" FOREIGN KEY ("build_uid") REFERENCES "public"."builds"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_moves" ADD CONSTRAINT "channel_moves_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_moves" ADD CONSTRAINT "channel_moves_app_uid_apps_uid_fk" FOREIGN KEY ("app_uid") REFERENCES "public"."apps"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_moves" ADD CONSTRAINT "channel_moves_from_build_uid_builds_uid_fk" FOREIGN KEY ("from_build_uid") REFERENCES "public"."builds"("uid") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_moves" ADD CONSTRAINT "channel_moves_to_build_uid_builds_uid_fk" FOREIGN KEY ("to_build_uid") REFERENCES "public"."builds"("uid") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_moves" ADD CONSTRAINT "channel_moves_parent_uid_channel_moves_uid_fk" FOREIGN KEY ("parent_uid") REFERENCES "public"."channel_moves"("uid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_pointers" ADD CONSTRAINT "channel_pointers_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_pointers" ADD CONSTRAINT "channel_pointers_app_uid_apps_uid_fk" FOREIGN KEY ("app_uid") REFERENCES "public"."apps"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_pointers" ADD CONSTRAINT "channel_pointers_build_uid_builds_uid_fk" FOREIGN KEY ("build_uid") REFERENCES "public"."builds"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_pointers" ADD CONSTRAINT "channel_pointers_move_uid_channel_moves_uid_fk" FOREIGN KEY ("move_uid") REFERENCES "public"."channel_moves"("uid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "promotion_requests" ADD CONSTRAINT "promotion_requests_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "promotion_requests" ADD CONSTRAINT "promotion_requests_build_uid_builds_uid_fk" FOREIGN KEY ("build_uid") REFERENCES "public"."builds"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "promotion_requests" ADD CONSTRAINT "promotion_requests_requested_by_users_id_fk" FOREIGN KEY ("requested_by") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "upload_sessions" ADD CONSTRAINT "upload_sessions_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "upload_sessions" ADD CONSTRAINT "upload_sessions_build_uid_builds_uid_fk" FOREIGN KEY ("build_uid") REFERENCES "public"."builds"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "apps_game_slug" ON "apps" USING btree ("game_uid","slug");--> statement-breakpoint
CREATE UNIQUE INDEX "builds_identity" ON "builds" USING btree ("app_uid","version","build_type","os","arch","channel");--> statement-breakpoint
CREATE INDEX "builds_game" ON "builds" USING btree ("game_uid","uid");--> statement-breakpoint
CREATE INDEX "file_entries_sha256" ON "file_entries" USING btree ("sha256") WHERE size >= 1024;--> statement-breakpoint
CREATE INDEX "files_build" ON "files" USING btree ("build_uid");--> statement-breakpoint
CREATE INDEX "files_game" ON "files" USING btree ("game_uid","uid");--> statement-breakpoint
CREATE INDEX "files_object" ON "files" USING btree ("object_key");--> statement-breakpoint
CREATE INDEX "scan_events_file" ON "scan_events" USING btree ("file_uid","uid");--> statement-breakpoint
CREATE UNIQUE INDEX "symbols_module" ON "symbols" USING btree ("build_uid","module","debug_id");--> statement-breakpoint
CREATE INDEX "symbols_game" ON "symbols" USING btree ("game_uid","uid");--> statement-breakpoint
CREATE INDEX "symbols_object" ON "symbols" USING btree ("object_key");--> statement-breakpoint
CREATE INDEX "channel_moves_channel" ON "channel_moves" USING btree ("app_uid","channel","uid");--> statement-breakpoint
CREATE INDEX "channel_moves_game" ON "channel_moves" USING btree ("game_uid","uid");--> statement-breakpoint
CREATE INDEX "channel_moves_to" ON "channel_moves" USING btree ("to_build_uid");--> statement-breakpoint
CREATE INDEX "channel_moves_from" ON "channel_moves" USING btree ("from_build_uid");--> statement-breakpoint
CREATE INDEX "channel_moves_parent" ON "channel_moves" USING btree ("parent_uid");--> statement-breakpoint
CREATE INDEX "channel_pointers_game" ON "channel_pointers" USING btree ("game_uid","channel");--> statement-breakpoint
CREATE INDEX "channel_pointers_build" ON "channel_pointers" USING btree ("build_uid");--> statement-breakpoint
CREATE INDEX "channel_pointers_move" ON "channel_pointers" USING btree ("move_uid");--> statement-breakpoint
CREATE UNIQUE INDEX "promotion_requests_token" ON "promotion_requests" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "promotion_requests_game" ON "promotion_requests" USING btree ("game_uid");--> statement-breakpoint
CREATE INDEX "promotion_requests_build" ON "promotion_requests" USING btree ("build_uid");--> statement-breakpoint
CREATE INDEX "promotion_requests_user" ON "promotion_requests" USING btree ("requested_by");--> statement-breakpoint
CREATE INDEX "download_events_game" ON "download_events" USING btree ("game_uid","at");--> statement-breakpoint
CREATE INDEX "download_events_at" ON "download_events" USING btree ("at");--> statement-breakpoint
CREATE INDEX "upload_sessions_game" ON "upload_sessions" USING btree ("game_uid","expires_at");--> statement-breakpoint
CREATE INDEX "upload_sessions_build" ON "upload_sessions" USING btree ("build_uid");--> statement-breakpoint
CREATE INDEX "upload_sessions_expiry" ON "upload_sessions" USING btree ("expires_at");