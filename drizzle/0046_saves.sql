CREATE TABLE "save_contents" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"set_uid" uuid NOT NULL,
	"sha256" text NOT NULL,
	"size" bigint NOT NULL,
	"object_key" text NOT NULL,
	CONSTRAINT "save_contents_object_key_unique" UNIQUE("object_key")
);
--> statement-breakpoint
CREATE TABLE "save_faults" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"build_uid" uuid,
	"conflicts" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "save_faults_build" UNIQUE NULLS NOT DISTINCT("game_uid","build_uid")
);
--> statement-breakpoint
CREATE TABLE "save_revisions" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"slot_uid" uuid NOT NULL,
	"content_uid" uuid NOT NULL,
	"device" text,
	"note" text,
	"play_minutes" integer DEFAULT 0 NOT NULL,
	"refused" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "save_sets" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"user_uid" uuid NOT NULL,
	"game_uid" uuid NOT NULL,
	"game_name" text NOT NULL,
	"web_allowed" boolean,
	"thin_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "save_slots" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"set_uid" uuid NOT NULL,
	"name" text NOT NULL,
	"head_uid" uuid,
	"deleted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "games" ADD COLUMN "saves_enabled" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "save_contents" ADD CONSTRAINT "save_contents_set_uid_save_sets_uid_fk" FOREIGN KEY ("set_uid") REFERENCES "public"."save_sets"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "save_faults" ADD CONSTRAINT "save_faults_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "save_faults" ADD CONSTRAINT "save_faults_build_uid_builds_uid_fk" FOREIGN KEY ("build_uid") REFERENCES "public"."builds"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "save_revisions" ADD CONSTRAINT "save_revisions_slot_uid_save_slots_uid_fk" FOREIGN KEY ("slot_uid") REFERENCES "public"."save_slots"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "save_revisions" ADD CONSTRAINT "save_revisions_content_uid_save_contents_uid_fk" FOREIGN KEY ("content_uid") REFERENCES "public"."save_contents"("uid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "save_sets" ADD CONSTRAINT "save_sets_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "save_slots" ADD CONSTRAINT "save_slots_set_uid_save_sets_uid_fk" FOREIGN KEY ("set_uid") REFERENCES "public"."save_sets"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "save_contents_bytes" ON "save_contents" USING btree ("set_uid","sha256");--> statement-breakpoint
CREATE INDEX "save_faults_of_build" ON "save_faults" USING btree ("build_uid") WHERE build_uid is not null;--> statement-breakpoint
CREATE INDEX "save_revisions_slot" ON "save_revisions" USING btree ("slot_uid","created_at","uid");--> statement-breakpoint
CREATE INDEX "save_revisions_content" ON "save_revisions" USING btree ("content_uid");--> statement-breakpoint
CREATE UNIQUE INDEX "save_sets_player" ON "save_sets" USING btree ("user_uid","game_uid");--> statement-breakpoint
CREATE INDEX "save_sets_game" ON "save_sets" USING btree ("game_uid");--> statement-breakpoint
CREATE INDEX "save_sets_thin" ON "save_sets" USING btree ("thin_at");--> statement-breakpoint
CREATE UNIQUE INDEX "save_slots_name" ON "save_slots" USING btree ("set_uid","name");