CREATE TABLE "stripe_progress" (
	"singleton" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"event_id" text NOT NULL,
	CONSTRAINT "stripe_progress_singleton" CHECK ("stripe_progress"."singleton")
);
