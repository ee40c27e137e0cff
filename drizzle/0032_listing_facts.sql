CREATE TABLE "videos" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"game_uid" uuid NOT NULL,
	"kind" text NOT NULL,
	"url" text,
	"provider" text,
	"object_key" text,
	"content_type" text,
	"width" integer,
	"height" integer,
	"duration_ms" integer,
	"size" integer DEFAULT 0 NOT NULL,
	"poster_uid" uuid,
	"position" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "videos_object_key_unique" UNIQUE("object_key")
);
--> statement-breakpoint
ALTER TABLE "games" ADD COLUMN "accessibility" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "games" ADD COLUMN "languages" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "games" ADD COLUMN "requirements" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "videos" ADD CONSTRAINT "videos_game_uid_games_uid_fk" FOREIGN KEY ("game_uid") REFERENCES "public"."games"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "videos" ADD CONSTRAINT "videos_poster_uid_images_uid_fk" FOREIGN KEY ("poster_uid") REFERENCES "public"."images"("uid") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "videos_game" ON "videos" USING btree ("game_uid");--> statement-breakpoint
CREATE INDEX "videos_poster" ON "videos" USING btree ("poster_uid");