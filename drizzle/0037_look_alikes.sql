CREATE TABLE "look_alikes" (
	"user_uid" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"other_uid" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"dismissed_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "name_skeleton" text;--> statement-breakpoint
ALTER TABLE "look_alikes" ADD CONSTRAINT "look_alikes_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "look_alikes" ADD CONSTRAINT "look_alikes_other_uid_users_id_fk" FOREIGN KEY ("other_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "look_alikes_other" ON "look_alikes" USING btree ("other_uid");--> statement-breakpoint
CREATE INDEX "look_alikes_open" ON "look_alikes" USING btree ("dismissed_at","created_at");--> statement-breakpoint
CREATE INDEX "users_name_skeleton" ON "users" USING btree ("name_skeleton");--> statement-breakpoint
CREATE INDEX "users_username_skeleton" ON "users" USING btree (replace(replace(replace(replace(replace(replace(replace("username", '-', ''), '0', 'o'), '1', 'l'), 'i', 'l'), '5', 's'), 'rn', 'm'), 'vv', 'w'));