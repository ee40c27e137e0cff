CREATE TABLE "orders" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"user_uid" uuid,
	"seller_uid" uuid,
	"game_uid" uuid NOT NULL,
	"game_name" text NOT NULL,
	"edition_uid" uuid,
	"edition_name" text,
	"amount_cents" integer NOT NULL,
	"fee_cents" integer NOT NULL,
	"account_id" text NOT NULL,
	"status" text DEFAULT 'open' NOT NULL,
	"refunded_cents" integer DEFAULT 0 NOT NULL,
	"fee_refunded_cents" integer DEFAULT 0 NOT NULL,
	"dispute" text,
	"country" text,
	"session_id" text,
	"session_url" text,
	"payment_id" text,
	"receipt_url" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"paid_at" timestamp (3) with time zone,
	"checked_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revision" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "orders_session_id_unique" UNIQUE("session_id"),
	CONSTRAINT "orders_payment_id_unique" UNIQUE("payment_id")
);
--> statement-breakpoint
CREATE TABLE "refunds" (
	"uid" uuid PRIMARY KEY NOT NULL,
	"order_uid" uuid NOT NULL,
	"amount_cents" integer NOT NULL,
	"reason" text DEFAULT '' NOT NULL,
	"role" text NOT NULL,
	"user_uid" uuid,
	"state" text DEFAULT 'pending' NOT NULL,
	"fault" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payout_accounts" (
	"user_uid" uuid PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"charges_enabled" boolean DEFAULT false NOT NULL,
	"payouts_enabled" boolean DEFAULT false NOT NULL,
	"submitted" boolean DEFAULT false NOT NULL,
	"missing" text[] DEFAULT '{}' NOT NULL,
	"revision" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payout_accounts_account_id_unique" UNIQUE("account_id")
);
--> statement-breakpoint
CREATE TABLE "stripe_events" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"received_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "licenses" ADD COLUMN "edition_uid" uuid;--> statement-breakpoint
ALTER TABLE "licenses" ADD COLUMN "order_uid" uuid;--> statement-breakpoint
ALTER TABLE "games" ADD COLUMN "pay_more" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_seller_uid_users_id_fk" FOREIGN KEY ("seller_uid") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_order_uid_orders_uid_fk" FOREIGN KEY ("order_uid") REFERENCES "public"."orders"("uid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payout_accounts" ADD CONSTRAINT "payout_accounts_user_uid_users_id_fk" FOREIGN KEY ("user_uid") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "orders_open" ON "orders" USING btree ("user_uid","game_uid") WHERE status = 'open';--> statement-breakpoint
CREATE INDEX "orders_user" ON "orders" USING btree ("user_uid","uid");--> statement-breakpoint
CREATE INDEX "orders_seller" ON "orders" USING btree ("seller_uid","paid_at");--> statement-breakpoint
CREATE INDEX "orders_game" ON "orders" USING btree ("game_uid","paid_at");--> statement-breakpoint
CREATE INDEX "orders_paid" ON "orders" USING btree ("paid_at");--> statement-breakpoint
CREATE INDEX "orders_waiting" ON "orders" USING btree ("checked_at") WHERE status = 'open';--> statement-breakpoint
CREATE INDEX "refunds_order" ON "refunds" USING btree ("order_uid");--> statement-breakpoint
CREATE INDEX "refunds_user" ON "refunds" USING btree ("user_uid");--> statement-breakpoint
CREATE INDEX "stripe_events_received" ON "stripe_events" USING btree ("received_at");