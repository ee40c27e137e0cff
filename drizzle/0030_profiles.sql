CREATE TABLE "profiles" (
	"user_uid" uuid PRIMARY KEY NOT NULL,
	"bio" text DEFAULT '' NOT NULL,
	"links" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"featured_uid" uuid,
	"banner_key" text,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "display_name" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "picture_key" text;--> statement-breakpoint
ALTER TABLE "profiles" ADD CONSTRAINT "profiles_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "profiles" ADD CONSTRAINT "profiles_featured_uid_games_uid_fk" FOREIGN KEY ("featured_uid") REFERENCES "public"."games"("uid") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "profiles_banner_key" ON "profiles" USING btree ("banner_key");--> statement-breakpoint
CREATE INDEX "profiles_featured_uid" ON "profiles" USING btree ("featured_uid");--> statement-breakpoint
CREATE INDEX "users_picture_key" ON "users" USING btree ("picture_key");