CREATE TABLE "jam_changes" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"jam_uid" uuid NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "jam_codes" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"jam_uid" uuid NOT NULL,
	"code_hash" text NOT NULL,
	"late" boolean DEFAULT false NOT NULL,
	"label" text DEFAULT '' NOT NULL,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_by" uuid,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "jam_codes_code_hash_unique" UNIQUE("code_hash")
);
--> statement-breakpoint
CREATE TABLE "jam_entries" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"jam_uid" uuid NOT NULL,
	"game_uid" uuid NOT NULL,
	"submitted_by" uuid,
	"note" text DEFAULT '' NOT NULL,
	"submitted_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"late" boolean DEFAULT false NOT NULL,
	"withdrawn_at" timestamp (3) with time zone,
	"disqualified_at" timestamp (3) with time zone,
	"disqualified_for" text,
	"prizes" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"received" integer DEFAULT 0 NOT NULL,
	"given" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "jam_members" (
	"jam_uid" uuid NOT NULL,
	"user_uid" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "jam_members_jam_uid_user_uid_pk" PRIMARY KEY("jam_uid","user_uid")
);
--> statement-breakpoint
CREATE TABLE "jam_people" (
	"jam_uid" uuid NOT NULL,
	"user_uid" uuid NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "jam_people_jam_uid_user_uid_role_pk" PRIMARY KEY("jam_uid","user_uid","role")
);
--> statement-breakpoint
CREATE TABLE "jam_pins" (
	"jam_uid" uuid NOT NULL,
	"entry_uid" uuid NOT NULL,
	"file_uid" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "jam_pins_entry_uid_file_uid_pk" PRIMARY KEY("entry_uid","file_uid")
);
--> statement-breakpoint
CREATE TABLE "jam_ratings" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"jam_uid" uuid NOT NULL,
	"entry_uid" uuid NOT NULL,
	"user_uid" uuid,
	"scores" integer[] NOT NULL,
	"comment" text DEFAULT '' NOT NULL,
	"comment_public" boolean DEFAULT false NOT NULL,
	"network_hash" text,
	"account_days" integer DEFAULT 0 NOT NULL,
	"fault" text,
	"decision" text,
	"decision_reason" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "jam_results" (
	"jam_uid" uuid NOT NULL,
	"entry_uid" uuid NOT NULL,
	"rank" integer,
	"ratings" integer NOT NULL,
	"score" double precision,
	"adjusted" double precision,
	"criteria" jsonb NOT NULL,
	CONSTRAINT "jam_results_jam_uid_entry_uid_pk" PRIMARY KEY("jam_uid","entry_uid"),
	CONSTRAINT "jam_results_entry_uid_unique" UNIQUE("entry_uid")
);
--> statement-breakpoint
CREATE TABLE "jam_visits" (
	"entry_uid" uuid NOT NULL,
	"user_uid" uuid NOT NULL,
	"played_seconds" integer DEFAULT 0 NOT NULL,
	"last_played_at" timestamp (3) with time zone,
	"downloaded_at" timestamp (3) with time zone,
	"skipped_at" timestamp (3) with time zone,
	"cannot_run_at" timestamp (3) with time zone,
	CONSTRAINT "jam_visits_entry_uid_user_uid_pk" PRIMARY KEY("entry_uid","user_uid")
);
--> statement-breakpoint
CREATE TABLE "jams" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"slug" text NOT NULL,
	"title" text NOT NULL,
	"tagline" text DEFAULT '' NOT NULL,
	"text" text DEFAULT '' NOT NULL,
	"cover_key" text,
	"theme" text DEFAULT '' NOT NULL,
	"theme_hidden" boolean DEFAULT false NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"voting_ends_at" timestamp (3) with time zone,
	"grace_minutes" integer DEFAULT 0 NOT NULL,
	"visibility" text DEFAULT 'draft' NOT NULL,
	"entry" text DEFAULT 'open' NOT NULL,
	"types" text[] DEFAULT '{}' NOT NULL,
	"platforms" text[] DEFAULT '{}' NOT NULL,
	"web_required" boolean DEFAULT false NOT NULL,
	"entries_per_person" integer DEFAULT 1 NOT NULL,
	"made_during" boolean DEFAULT false NOT NULL,
	"voters" text DEFAULT 'entrants' NOT NULL,
	"criteria" jsonb NOT NULL,
	"must_play" boolean DEFAULT true NOT NULL,
	"min_ratings" integer DEFAULT 5 NOT NULL,
	"pinned_at" timestamp (3) with time zone,
	"results_held" boolean DEFAULT false NOT NULL,
	"computed_at" timestamp (3) with time zone,
	"published_at" timestamp (3) with time zone,
	"median" double precision,
	"revision" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "jams_slug_unique" UNIQUE("slug")
);
--> statement-breakpoint
ALTER TABLE "jam_changes" ADD CONSTRAINT "jam_changes_jam_uid_jams_uid_fk" FOREIGN KEY ("jam_uid") REFERENCES "public"."jams"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jam_codes" ADD CONSTRAINT "jam_codes_jam_uid_jams_uid_fk" FOREIGN KEY ("jam_uid") REFERENCES "public"."jams"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jam_codes" ADD CONSTRAINT "jam_codes_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jam_codes" ADD CONSTRAINT "jam_codes_used_by_users_id_fk" FOREIGN KEY ("used_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jam_entries" ADD CONSTRAINT "jam_entries_jam_uid_jams_uid_fk" FOREIGN KEY ("jam_uid") REFERENCES "public"."jams"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jam_entries" ADD CONSTRAINT "jam_entries_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jam_entries" ADD CONSTRAINT "jam_entries_submitted_by_users_id_fk" FOREIGN KEY ("submitted_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jam_members" ADD CONSTRAINT "jam_members_jam_uid_jams_uid_fk" FOREIGN KEY ("jam_uid") REFERENCES "public"."jams"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jam_members" ADD CONSTRAINT "jam_members_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jam_people" ADD CONSTRAINT "jam_people_jam_uid_jams_uid_fk" FOREIGN KEY ("jam_uid") REFERENCES "public"."jams"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jam_people" ADD CONSTRAINT "jam_people_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jam_pins" ADD CONSTRAINT "jam_pins_jam_uid_jams_uid_fk" FOREIGN KEY ("jam_uid") REFERENCES "public"."jams"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jam_pins" ADD CONSTRAINT "jam_pins_entry_uid_jam_entries_uid_fk" FOREIGN KEY ("entry_uid") REFERENCES "public"."jam_entries"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jam_pins" ADD CONSTRAINT "jam_pins_file_uid_files_uid_fk" FOREIGN KEY ("file_uid") REFERENCES "public"."files"("uid") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jam_ratings" ADD CONSTRAINT "jam_ratings_jam_uid_jams_uid_fk" FOREIGN KEY ("jam_uid") REFERENCES "public"."jams"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jam_ratings" ADD CONSTRAINT "jam_ratings_entry_uid_jam_entries_uid_fk" FOREIGN KEY ("entry_uid") REFERENCES "public"."jam_entries"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jam_ratings" ADD CONSTRAINT "jam_ratings_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jam_results" ADD CONSTRAINT "jam_results_jam_uid_jams_uid_fk" FOREIGN KEY ("jam_uid") REFERENCES "public"."jams"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jam_results" ADD CONSTRAINT "jam_results_entry_uid_jam_entries_uid_fk" FOREIGN KEY ("entry_uid") REFERENCES "public"."jam_entries"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jam_visits" ADD CONSTRAINT "jam_visits_entry_uid_jam_entries_uid_fk" FOREIGN KEY ("entry_uid") REFERENCES "public"."jam_entries"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jam_visits" ADD CONSTRAINT "jam_visits_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "jam_changes_jam" ON "jam_changes" USING btree ("jam_uid","uid");--> statement-breakpoint
CREATE INDEX "jam_codes_jam" ON "jam_codes" USING btree ("jam_uid","uid");--> statement-breakpoint
CREATE INDEX "jam_codes_created_by" ON "jam_codes" USING btree ("created_by");--> statement-breakpoint
CREATE INDEX "jam_codes_used_by" ON "jam_codes" USING btree ("used_by");--> statement-breakpoint
CREATE UNIQUE INDEX "jam_entries_game" ON "jam_entries" USING btree ("jam_uid","game_uid");--> statement-breakpoint
CREATE INDEX "jam_entries_of_game" ON "jam_entries" USING btree ("game_uid");--> statement-breakpoint
CREATE INDEX "jam_entries_submitted_by" ON "jam_entries" USING btree ("submitted_by");--> statement-breakpoint
CREATE INDEX "jam_members_user" ON "jam_members" USING btree ("user_uid");--> statement-breakpoint
CREATE INDEX "jam_people_user" ON "jam_people" USING btree ("user_uid");--> statement-breakpoint
CREATE INDEX "jam_pins_jam" ON "jam_pins" USING btree ("jam_uid");--> statement-breakpoint
CREATE INDEX "jam_pins_file" ON "jam_pins" USING btree ("file_uid");--> statement-breakpoint
CREATE UNIQUE INDEX "jam_ratings_voter" ON "jam_ratings" USING btree ("entry_uid","user_uid");--> statement-breakpoint
CREATE INDEX "jam_ratings_jam" ON "jam_ratings" USING btree ("jam_uid","user_uid");--> statement-breakpoint
CREATE INDEX "jam_ratings_user" ON "jam_ratings" USING btree ("user_uid");--> statement-breakpoint
CREATE INDEX "jam_visits_user" ON "jam_visits" USING btree ("user_uid");--> statement-breakpoint
CREATE INDEX "jams_starts" ON "jams" USING btree ("starts_at","uid");--> statement-breakpoint
CREATE INDEX "jams_cover" ON "jams" USING btree ("cover_key");--> statement-breakpoint
CREATE INDEX "jams_unpinned" ON "jams" USING btree ("ends_at") WHERE pinned_at is null;--> statement-breakpoint
CREATE INDEX "jams_uncomputed" ON "jams" USING btree ("voting_ends_at") WHERE computed_at is null;