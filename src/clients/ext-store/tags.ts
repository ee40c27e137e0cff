import { ExtStoreFailure } from './ext-store.ts'
import { noResponse, requestJson } from './request.ts'
import { fieldsOf, isObject, listOf, numberOf, textOf } from './untrusted.ts'

const TAGS_ASKED = 20
const NAMES_MAX = 5000
const NAMES_MAX_AGE_MS = 60 * 60 * 1000

interface TagNames {
  version: string
  names: ReadonlyMap<number, string>
  readAt: number
}

/** The ids of an app's tags, most used first. */
async function readTagIds(apiUrl: string, appId: number, signal: AbortSignal): Promise<number[]> {
  const request = {
    ids: [{ appid: appId }],
    context: { language: 'english', country_code: 'US' },
    data_request: { include_tag_count: TAGS_ASKED },
  }
  const answer = await requestJson({
    address: `${apiUrl}/IStoreBrowseService/GetItems/v1/`,
    params: { input_json: JSON.stringify(request) },
    signal,
  })
  const { response } = fieldsOf(answer)
  if (!isObject(response)) throw noResponse('The external store did not tell the tags')
  const item = listOf(response.store_items)
    .map(fieldsOf)
    .find(({ id, appid }) => numberOf(id ?? appid) === appId)
  const weighted = listOf(item?.tags)
    .map(fieldsOf)
    .map(({ tagid, weight }) => ({ id: numberOf(tagid), weight: numberOf(weight) ?? 0 }))
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ id }) => id)
  const ids = weighted.length > 0 ? weighted : listOf(item?.tagids).map(numberOf)
  return ids.flatMap((id) => id ?? []).slice(0, TAGS_ASKED)
}

/** Caches the names of all tags and refreshes them at most once an hour. */
export function createTagReader(apiUrl: string) {
  let known: TagNames | null = null

  async function readNames(signal: AbortSignal): Promise<ReadonlyMap<number, string>> {
    if (known && Date.now() - known.readAt < NAMES_MAX_AGE_MS) return known.names
    try {
      known = await refresh(apiUrl, known, signal)
    } catch (error) {
      if (!known || !(error instanceof ExtStoreFailure)) throw error
      known = { ...known, readAt: Date.now() }
    }
    return known.names
  }

  return async (appId: number, signal: AbortSignal): Promise<string[]> => {
    const [ids, names] = await Promise.all([readTagIds(apiUrl, appId, signal), readNames(signal)])
    return ids.flatMap((id) => names.get(id) ?? [])
  }
}

async function refresh(apiUrl: string, known: TagNames | null, signal: AbortSignal): Promise<TagNames> {
  const answer = await requestJson({
    address: `${apiUrl}/IStoreService/GetTagList/v1/`,
    params: { language: 'english', ...(known && { have_version_hash: known.version }) },
    signal,
  })
  const { response } = fieldsOf(answer)
  if (!isObject(response)) throw noResponse('The external store did not name its tags')
  const version = textOf(response.version_hash)
  const tags = listOf(response.tags).slice(0, NAMES_MAX).map(fieldsOf)
  if (known && tags.length === 0) return { ...known, readAt: Date.now() }
  const names = new Map(
    tags.flatMap(({ tagid, name }): [number, string][] => {
      const id = numberOf(tagid)
      return id === null || textOf(name) === '' ? [] : [[id, textOf(name)]]
    }),
  )
  return { version, names, readAt: Date.now() }
}
