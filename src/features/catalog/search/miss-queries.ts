import { count, desc, gte, lt, max, sql, sum } from 'drizzle-orm'

import { type Db, integerList, textList } from '../../../db/client.ts'
import { searchMisses } from '../../../db/schema/search.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import type { MissedSearch } from './model.ts'

/** Further words of a day are not stored: together they are a few megabytes. */
const WORDS_OF_DAY_MAX = 2000
export const KEPT_DAYS = 30

const today = sql`(now() at time zone 'utc')::date`
const firstDay = sql`${today} - ${sql.raw(String(KEPT_DAYS))}`

/** One statement for all, however many searches there were. */
export async function addMisses(db: Db, misses: ReadonlyMap<string, number>): Promise<void> {
  const lists = [textList([...misses.keys()]), integerList([...misses.values()])]
  await db.execute(sql`
    with given as (select * from unnest(${sql.join(lists, sql`, `)}) as given (words, count)),
      known as (select words from ${searchMisses} where day = ${today})
    insert into ${searchMisses} (words, day, count)
    select words, ${today}, count from given where words in (select words from known)
    union all
    (select words, ${today}, count from given where words not in (select words from known) order by count desc
      limit greatest(0, ${WORDS_OF_DAY_MAX} - (select count(*) from known)))
    on conflict (words, day) do update set count = ${searchMisses}.count + excluded.count`)
}

export async function deleteOldMisses(db: Db): Promise<void> {
  await db.delete(searchMisses).where(lt(searchMisses.day, firstDay))
}

/** The most searched first. */
export async function listMisses(db: Db, page: Page): Promise<Paged<MissedSearch>> {
  const isRecent = gte(searchMisses.day, firstDay)
  const total = sum(searchMisses.count).mapWith(Number)
  const [items, [all]] = await Promise.all([
    db
      .select({ words: searchMisses.words, count: total, last_day: max(searchMisses.day) })
      .from(searchMisses)
      .where(isRecent)
      .groupBy(searchMisses.words)
      .orderBy(desc(total), searchMisses.words)
      .limit(page.page_size)
      .offset(page.offset),
    db
      .select({ total: count() })
      .from(db.selectDistinct({ words: searchMisses.words }).from(searchMisses).where(isRecent).as('words')),
  ])
  return paged(
    page,
    items.map((item) => ({ ...item, last_day: item.last_day ?? '' })),
    all?.total ?? 0,
  )
}
