import { openDatabase } from '../../src/db/client.ts'
import type { SearchDocument } from '../../src/domain/listings/search-document.ts'
import { loadDocuments } from '../../src/features/catalog/search/indexing.ts'
import { EVERYDAY_QUERIES, EVERYDAY_SHARE, isExpected } from '../helpers/search/everyday-queries.ts'
import { judge, type Line } from './report/line.ts'

/** What the program answers, as far as it matters here. */
interface Answer {
  data: { items: { uid: string }[]; engine: string }
}

/**
 * The share of everyday queries, among those that can be asked of any catalog, whose first five listings are what a person
 * expects.
 */
export async function measureEveryday(
  scenario: string,
  { url, databaseUrl, engine }: { url: string; databaseUrl: string; engine: string },
): Promise<Line> {
  const asked = EVERYDAY_QUERIES.filter(({ isGeneric }) => isGeneric)
  const database = openDatabase(databaseUrl, { maxConnections: 2 })
  const missed: string[] = []
  try {
    for (const [at, everyday] of asked.entries()) {
      const sent = new URLSearchParams({ find: everyday.query, page_size: '5' })
      const headers = { 'x-forwarded-for': `10.11.${at}.1` }
      const response = await fetch(`${url}/api/v1/public/search?${sent.toString()}`, { headers })
      const { data } = (await response.json()) as Answer
      if (data.engine !== engine) throw new Error(`${everyday.query} was answered by ${data.engine}`)
      const uids = data.items.map(({ uid }) => uid)
      const documents = await loadDocuments(database.db, uids)
      const found = uids.flatMap((uid): SearchDocument[] =>
        documents.filter((document) => document.uid === uid),
      )
      if (!isExpected(everyday, found)) missed.push(everyday.query)
    }
  } finally {
    await database.dispose()
  }
  return judge({
    scenario,
    measure: `share of ${asked.length} everyday queries that find what people expect`,
    unit: '%',
    subject: 100 * (1 - missed.length / asked.length),
    baseline: null,
    details: { missed },
    target: { of: 'subject', must: 'reach', value: 100 * EVERYDAY_SHARE },
  })
}
