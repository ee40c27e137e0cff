ALTER TABLE "search_documents" ALTER COLUMN "document" SET DATA TYPE json;--> statement-breakpoint
ALTER TABLE "search_documents" ALTER COLUMN "word_ids" SET DATA TYPE text;