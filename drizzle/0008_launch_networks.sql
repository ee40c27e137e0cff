ALTER TABLE "build_health" ADD COLUMN "shared_boot_ok" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "launch_devices" ADD COLUMN "network" bigint;--> statement-breakpoint
CREATE INDEX "launch_devices_network" ON "launch_devices" USING btree ("build_uid","network");