CREATE TABLE "changelog_entries" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"title" text NOT NULL,
	"body" text NOT NULL,
	"version" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "editions" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"name" text NOT NULL,
	"price_cents" integer NOT NULL,
	"active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "images" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"kind" text NOT NULL,
	"object_key" text NOT NULL,
	"width" integer NOT NULL,
	"height" integer NOT NULL,
	"size" integer NOT NULL,
	"position" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "press_kits" (
	"game_uid" uuid PRIMARY KEY NOT NULL,
	"kit" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "licenses" (
	"user_uid" uuid NOT NULL,
	"game_uid" uuid NOT NULL,
	"source" text NOT NULL,
	"beta" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "licenses_user_uid_game_uid_pk" PRIMARY KEY("user_uid","game_uid")
);
--> statement-breakpoint
CREATE TABLE "play_times" (
	"user_uid" uuid NOT NULL,
	"game_uid" uuid NOT NULL,
	"seconds" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "play_times_user_uid_game_uid_pk" PRIMARY KEY("user_uid","game_uid")
);
--> statement-breakpoint
CREATE TABLE "reviews" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"user_uid" uuid NOT NULL,
	"rating" integer NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "game_dependencies" (
	"game_uid" uuid NOT NULL,
	"kind" text NOT NULL,
	"target_uid" uuid NOT NULL,
	"position" integer NOT NULL,
	CONSTRAINT "game_dependencies_game_uid_kind_target_uid_pk" PRIMARY KEY("game_uid","kind","target_uid")
);
--> statement-breakpoint
CREATE TABLE "game_similar_titles" (
	"game_uid" uuid NOT NULL,
	"similar_uid" uuid NOT NULL,
	"position" integer NOT NULL,
	CONSTRAINT "game_similar_titles_game_uid_similar_uid_pk" PRIMARY KEY("game_uid","similar_uid")
);
--> statement-breakpoint
CREATE TABLE "hidden_tags" (
	"game_uid" uuid NOT NULL,
	"tag" text NOT NULL,
	CONSTRAINT "hidden_tags_game_uid_tag_pk" PRIMARY KEY("game_uid","tag")
);
--> statement-breakpoint
CREATE TABLE "tag_counts" (
	"tag" text PRIMARY KEY NOT NULL,
	"count" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tag_suggestions" (
	"game_uid" uuid NOT NULL,
	"user_uid" uuid NOT NULL,
	"tag" text NOT NULL,
	CONSTRAINT "tag_suggestions_game_uid_tag_user_uid_pk" PRIMARY KEY("game_uid","tag","user_uid")
);
--> statement-breakpoint
CREATE TABLE "game_admins" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"user_uid" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"accepted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "games" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"owner_uid" uuid NOT NULL,
	"asset_type" text NOT NULL,
	"visibility" text DEFAULT 'draft' NOT NULL,
	"name" text NOT NULL,
	"vanity_name" text NOT NULL,
	"tagline" text DEFAULT '' NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"status" text DEFAULT 'in_development' NOT NULL,
	"website" text,
	"adult" boolean DEFAULT false NOT NULL,
	"indexable" boolean DEFAULT true NOT NULL,
	"price_cents" integer DEFAULT 0 NOT NULL,
	"anonymous_downloads" boolean DEFAULT false NOT NULL,
	"license_kind" text,
	"genres" text[] DEFAULT '{}' NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"tone" text[] DEFAULT '{}' NOT NULL,
	"inputs" text[] DEFAULT '{}' NOT NULL,
	"content_warnings" text[] DEFAULT '{}' NOT NULL,
	"engines" text[] DEFAULT '{}' NOT NULL,
	"session_bucket" text,
	"net" text,
	"players_min" integer,
	"players_max" integer,
	"authorship" text,
	"authorship_credit" text,
	"ai_uses" text[] DEFAULT '{}' NOT NULL,
	"parent_uid" uuid,
	"parent_external_name" text,
	"parent_external_url" text,
	"mod_settings" jsonb,
	"engine_compat" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"store_links" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"published_at" timestamp (3) with time zone,
	"public_since" timestamp (3) with time zone,
	"grace_warned_at" timestamp (3) with time zone,
	CONSTRAINT "games_vanity_name_unique" UNIQUE("vanity_name")
);
--> statement-breakpoint
CREATE TABLE "old_vanity_names" (
	"name" text PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "changelog_entries" ADD CONSTRAINT "changelog_entries_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "editions" ADD CONSTRAINT "editions_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "images" ADD CONSTRAINT "images_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "press_kits" ADD CONSTRAINT "press_kits_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "licenses" ADD CONSTRAINT "licenses_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "licenses" ADD CONSTRAINT "licenses_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "play_times" ADD CONSTRAINT "play_times_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "play_times" ADD CONSTRAINT "play_times_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "game_dependencies" ADD CONSTRAINT "game_dependencies_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "game_dependencies" ADD CONSTRAINT "game_dependencies_target_uid_games_uid_fk" FOREIGN KEY ("target_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "game_similar_titles" ADD CONSTRAINT "game_similar_titles_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "game_similar_titles" ADD CONSTRAINT "game_similar_titles_similar_uid_games_uid_fk" FOREIGN KEY ("similar_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hidden_tags" ADD CONSTRAINT "hidden_tags_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tag_suggestions" ADD CONSTRAINT "tag_suggestions_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tag_suggestions" ADD CONSTRAINT "tag_suggestions_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "game_admins" ADD CONSTRAINT "game_admins_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "game_admins" ADD CONSTRAINT "game_admins_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "games" ADD CONSTRAINT "games_owner_uid_users_id_fk" FOREIGN KEY ("owner_uid") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "games" ADD CONSTRAINT "games_parent_uid_games_uid_fk" FOREIGN KEY ("parent_uid") REFERENCES "public"."games"("uid") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "old_vanity_names" ADD CONSTRAINT "old_vanity_names_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "changelog_entries_game" ON "changelog_entries" USING btree ("game_uid","uid");--> statement-breakpoint
CREATE INDEX "editions_game" ON "editions" USING btree ("game_uid");--> statement-breakpoint
CREATE INDEX "images_game" ON "images" USING btree ("game_uid","kind");--> statement-breakpoint
CREATE INDEX "images_object" ON "images" USING btree ("object_key");--> statement-breakpoint
CREATE INDEX "licenses_game" ON "licenses" USING btree ("game_uid");--> statement-breakpoint
CREATE INDEX "play_times_game" ON "play_times" USING btree ("game_uid");--> statement-breakpoint
CREATE UNIQUE INDEX "reviews_game_user" ON "reviews" USING btree ("game_uid","user_uid");--> statement-breakpoint
CREATE INDEX "reviews_game_created" ON "reviews" USING btree ("game_uid","created_at","uid");--> statement-breakpoint
CREATE INDEX "reviews_game_rating" ON "reviews" USING btree ("game_uid","rating");--> statement-breakpoint
CREATE INDEX "reviews_user" ON "reviews" USING btree ("user_uid");--> statement-breakpoint
CREATE INDEX "game_dependencies_target" ON "game_dependencies" USING btree ("target_uid");--> statement-breakpoint
CREATE INDEX "game_similar_titles_similar" ON "game_similar_titles" USING btree ("similar_uid");--> statement-breakpoint
CREATE INDEX "tag_counts_popular" ON "tag_counts" USING btree ("count" DESC NULLS LAST,"tag");--> statement-breakpoint
CREATE INDEX "tag_counts_prefix" ON "tag_counts" USING btree ("tag" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "tag_suggestions_user" ON "tag_suggestions" USING btree ("user_uid","game_uid");--> statement-breakpoint
CREATE UNIQUE INDEX "game_admins_game_user" ON "game_admins" USING btree ("game_uid","user_uid");--> statement-breakpoint
CREATE INDEX "game_admins_user" ON "game_admins" USING btree ("user_uid");--> statement-breakpoint
CREATE INDEX "games_owner" ON "games" USING btree ("owner_uid","uid");--> statement-breakpoint
CREATE INDEX "games_parent" ON "games" USING btree ("parent_uid") WHERE parent_uid is not null;--> statement-breakpoint
CREATE INDEX "games_sitemap" ON "games" USING btree ("uid") WHERE visibility = 'public' and indexable;--> statement-breakpoint
CREATE INDEX "games_sitemap_developers" ON "games" USING btree ("owner_uid","updated_at") WHERE visibility = 'public' and indexable;--> statement-breakpoint
CREATE INDEX "games_public_owner" ON "games" USING btree ("owner_uid","published_at") WHERE visibility = 'public';--> statement-breakpoint
CREATE INDEX "old_vanity_names_game" ON "old_vanity_names" USING btree ("game_uid");--> statement-breakpoint
ALTER TABLE "deploy_keys" ADD CONSTRAINT "deploy_keys_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "game_auth_keys" ADD CONSTRAINT "game_auth_keys_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE FUNCTION "apply_tag_deltas"("deltas" jsonb) RETURNS void LANGUAGE sql AS $$
	-- Always in the order of the tags, so that two edits never wait for each other in a circle.
	INSERT INTO "tag_counts" AS "known" ("tag", "count")
	SELECT "key", "value"::integer FROM jsonb_each_text("deltas") ORDER BY "key"
	ON CONFLICT ("tag") DO UPDATE SET "count" = "known"."count" + EXCLUDED."count";
	DELETE FROM "tag_counts" WHERE "count" <= 0 AND "tag" IN (SELECT jsonb_object_keys("deltas"));
$$;
--> statement-breakpoint
CREATE FUNCTION "count_tags_of_inserted"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "apply_tag_deltas"((
		SELECT jsonb_object_agg("tag", "delta") FROM (
			SELECT "tag", count(*) AS "delta" FROM "new_games", unnest("tags") AS "tag"
			WHERE "visibility" = 'public' AND NOT "adult" GROUP BY "tag"
		) AS "changed" HAVING count(*) > 0
	));
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "count_tags_of_deleted"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "apply_tag_deltas"((
		SELECT jsonb_object_agg("tag", "delta") FROM (
			SELECT "tag", -count(*) AS "delta" FROM "old_games", unnest("tags") AS "tag"
			WHERE "visibility" = 'public' AND NOT "adult" GROUP BY "tag"
		) AS "changed" HAVING count(*) > 0
	));
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "count_tags_of_updated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM "apply_tag_deltas"((
		SELECT jsonb_object_agg("tag", "delta") FROM (
			SELECT "tag", sum("one") AS "delta" FROM (
				SELECT unnest("tags") AS "tag", 1 AS "one" FROM "new_games" WHERE "visibility" = 'public' AND NOT "adult"
				UNION ALL
				SELECT unnest("tags"), -1 FROM "old_games" WHERE "visibility" = 'public' AND NOT "adult"
			) AS "both" GROUP BY "tag" HAVING sum("one") <> 0
		) AS "changed" HAVING count(*) > 0
	));
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "games_tags_inserted" AFTER INSERT ON "games" REFERENCING NEW TABLE AS "new_games"
	FOR EACH STATEMENT EXECUTE FUNCTION "count_tags_of_inserted"();
--> statement-breakpoint
CREATE TRIGGER "games_tags_deleted" AFTER DELETE ON "games" REFERENCING OLD TABLE AS "old_games"
	FOR EACH STATEMENT EXECUTE FUNCTION "count_tags_of_deleted"();
--> statement-breakpoint
CREATE TRIGGER "games_tags_updated" AFTER UPDATE ON "games" REFERENCING OLD TABLE AS "old_games" NEW TABLE AS "new_games"
	FOR EACH STATEMENT EXECUTE FUNCTION "count_tags_of_updated"();
