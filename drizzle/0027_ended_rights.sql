ALTER TABLE "invitations" DROP CONSTRAINT "invitations_created_by_users_id_fk";
--> statement-breakpoint
ALTER TABLE "promotion_requests" ADD COLUMN "client_id" text;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;