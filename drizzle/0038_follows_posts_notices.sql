CREATE TABLE "developer_follows" (
	"user_uid" uuid NOT NULL,
	"developer_uid" uuid NOT NULL,
	"new_games" boolean DEFAULT true NOT NULL,
	"posts" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "developer_follows_user_uid_developer_uid_pk" PRIMARY KEY("user_uid","developer_uid")
);
--> statement-breakpoint
CREATE TABLE "feed_keys" (
	"user_uid" uuid PRIMARY KEY NOT NULL,
	"key_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "feed_keys_key_hash_unique" UNIQUE("key_hash")
);
--> statement-breakpoint
CREATE TABLE "game_follows" (
	"user_uid" uuid NOT NULL,
	"game_uid" uuid NOT NULL,
	"releases" boolean DEFAULT true NOT NULL,
	"posts" boolean DEFAULT true NOT NULL,
	"platforms" text[] DEFAULT '{}' NOT NULL,
	"wish" boolean DEFAULT false NOT NULL,
	"position" integer,
	"wished_price_cents" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"wished_at" timestamp (3) with time zone,
	CONSTRAINT "game_follows_user_uid_game_uid_pk" PRIMARY KEY("user_uid","game_uid")
);
--> statement-breakpoint
CREATE TABLE "wishlist_shares" (
	"user_uid" uuid PRIMARY KEY NOT NULL,
	"token_hash" text NOT NULL,
	"token" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "wishlist_shares_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "notice_events" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"game_uid" uuid,
	"developer_uid" uuid,
	"post_uid" uuid,
	"user_uid" uuid,
	"platforms" text[] DEFAULT '{}' NOT NULL,
	"facts" jsonb NOT NULL,
	"once_key" text,
	"at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notice_mails" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"user_uid" uuid NOT NULL,
	"event_uid" uuid,
	"events_from" timestamp (3) with time zone,
	"events_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"sent_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "notice_reads" (
	"user_uid" uuid NOT NULL,
	"event_uid" uuid NOT NULL,
	CONSTRAINT "notice_reads_user_uid_event_uid_pk" PRIMARY KEY("user_uid","event_uid")
);
--> statement-breakpoint
CREATE TABLE "notice_settings" (
	"user_uid" uuid PRIMARY KEY NOT NULL,
	"kinds" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"digest" text DEFAULT 'weekly' NOT NULL,
	"hour" integer DEFAULT 18 NOT NULL,
	"time_zone" text DEFAULT 'UTC' NOT NULL,
	"read_until" timestamp (3) with time zone,
	"next_digest_at" timestamp (3) with time zone,
	"digest_until" timestamp (3) with time zone,
	"bounces" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "posts" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"slug" text NOT NULL,
	"title" text NOT NULL,
	"markdown" text DEFAULT '' NOT NULL,
	"kind" text DEFAULT 'news' NOT NULL,
	"state" text DEFAULT 'draft' NOT NULL,
	"publish_at" timestamp (3) with time zone,
	"published_at" timestamp (3) with time zone,
	"pinned" boolean DEFAULT false NOT NULL,
	"send_to_followers" boolean DEFAULT true NOT NULL,
	"sent_at" timestamp (3) with time zone,
	"picture_uid" uuid,
	"taken_down" jsonb,
	"revision" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "follow_library" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "reviews" ADD COLUMN "answer" text;--> statement-breakpoint
ALTER TABLE "reviews" ADD COLUMN "answered_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "reviews" ADD COLUMN "answer_updated_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "page_reports" ADD COLUMN "post_uid" uuid;--> statement-breakpoint
ALTER TABLE "developer_follows" ADD CONSTRAINT "developer_follows_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "developer_follows" ADD CONSTRAINT "developer_follows_developer_uid_users_id_fk" FOREIGN KEY ("developer_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feed_keys" ADD CONSTRAINT "feed_keys_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "game_follows" ADD CONSTRAINT "game_follows_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "game_follows" ADD CONSTRAINT "game_follows_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "wishlist_shares" ADD CONSTRAINT "wishlist_shares_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_events" ADD CONSTRAINT "notice_events_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_events" ADD CONSTRAINT "notice_events_developer_uid_users_id_fk" FOREIGN KEY ("developer_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_events" ADD CONSTRAINT "notice_events_post_uid_posts_uid_fk" FOREIGN KEY ("post_uid") REFERENCES "public"."posts"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_events" ADD CONSTRAINT "notice_events_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_mails" ADD CONSTRAINT "notice_mails_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_mails" ADD CONSTRAINT "notice_mails_event_uid_notice_events_uid_fk" FOREIGN KEY ("event_uid") REFERENCES "public"."notice_events"("uid") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_reads" ADD CONSTRAINT "notice_reads_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_reads" ADD CONSTRAINT "notice_reads_event_uid_notice_events_uid_fk" FOREIGN KEY ("event_uid") REFERENCES "public"."notice_events"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_settings" ADD CONSTRAINT "notice_settings_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posts" ADD CONSTRAINT "posts_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posts" ADD CONSTRAINT "posts_picture_uid_images_uid_fk" FOREIGN KEY ("picture_uid") REFERENCES "public"."images"("uid") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "developer_follows_developer" ON "developer_follows" USING btree ("developer_uid","created_at");--> statement-breakpoint
CREATE INDEX "game_follows_game" ON "game_follows" USING btree ("game_uid","created_at");--> statement-breakpoint
CREATE INDEX "game_follows_wishes" ON "game_follows" USING btree ("user_uid","position") WHERE wish;--> statement-breakpoint
CREATE INDEX "notice_events_game" ON "notice_events" USING btree ("game_uid","at","uid");--> statement-breakpoint
CREATE INDEX "notice_events_developer" ON "notice_events" USING btree ("developer_uid","at","uid") WHERE user_uid is null;--> statement-breakpoint
CREATE INDEX "notice_events_user" ON "notice_events" USING btree ("user_uid","at","uid") WHERE user_uid is not null;--> statement-breakpoint
CREATE INDEX "notice_events_post" ON "notice_events" USING btree ("post_uid");--> statement-breakpoint
CREATE INDEX "notice_events_at" ON "notice_events" USING btree ("at","uid");--> statement-breakpoint
CREATE UNIQUE INDEX "notice_events_once" ON "notice_events" USING btree ("once_key");--> statement-breakpoint
CREATE UNIQUE INDEX "notice_mails_event" ON "notice_mails" USING btree ("user_uid","event_uid");--> statement-breakpoint
CREATE INDEX "notice_mails_user" ON "notice_mails" USING btree ("user_uid","created_at");--> statement-breakpoint
CREATE INDEX "notice_mails_created" ON "notice_mails" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "notice_reads_event" ON "notice_reads" USING btree ("event_uid");--> statement-breakpoint
CREATE INDEX "notice_settings_due" ON "notice_settings" USING btree ("next_digest_at") WHERE next_digest_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "posts_game_slug" ON "posts" USING btree ("game_uid","slug");--> statement-breakpoint
CREATE INDEX "posts_game_published" ON "posts" USING btree ("game_uid","published_at","uid");--> statement-breakpoint
CREATE INDEX "posts_newest" ON "posts" USING btree ("published_at","uid") WHERE state = 'published' and taken_down is null;--> statement-breakpoint
CREATE INDEX "posts_scheduled" ON "posts" USING btree ("publish_at") WHERE state = 'scheduled';--> statement-breakpoint
CREATE UNIQUE INDEX "posts_pinned" ON "posts" USING btree ("game_uid") WHERE pinned;--> statement-breakpoint
CREATE INDEX "posts_picture" ON "posts" USING btree ("picture_uid");--> statement-breakpoint
ALTER TABLE "page_reports" ADD CONSTRAINT "page_reports_post_uid_posts_uid_fk" FOREIGN KEY ("post_uid") REFERENCES "public"."posts"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "page_reports_post" ON "page_reports" USING btree ("post_uid");