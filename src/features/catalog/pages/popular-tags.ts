import type { Db } from '../../../db/client.ts'
import type { PopularTags } from './browse-model.ts'
import { listPopularTags } from './browse-queries.ts'

const LETTERS_OF_TAGS = /^[a-z0-9-]*$/

/** Counts only public listings that are not adult. The prefix is already normalised. */
export async function readPopularTags(db: Db, prefix: string, limit: number): Promise<PopularTags> {
  return { tags: LETTERS_OF_TAGS.test(prefix) ? await listPopularTags(db, prefix, limit) : [] }
}
