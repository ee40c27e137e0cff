ALTER TABLE "promotion_requests" ADD COLUMN "post_uid" uuid;--> statement-breakpoint
ALTER TABLE "promotion_requests" ADD CONSTRAINT "promotion_requests_post_uid_posts_uid_fk" FOREIGN KEY ("post_uid") REFERENCES "public"."posts"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "promotion_requests_post" ON "promotion_requests" USING btree ("post_uid");