import { decodeHTMLStrict } from 'entities'

import { ExtStoreFailure, type StoreApp, type StoreSystem } from './client.ts'
import {
  fieldsOf,
  flagOf,
  isObject,
  listOf,
  noResponse,
  numberOf,
  numbersOf,
  requestJson,
  textOf,
  textsOf,
} from './request.ts'

const TAGS_ASKED = 20
const NAMES_MAX = 5000
const NAMES_MAX_AGE_MS = 60 * 60 * 1000

type Fields = Readonly<Record<string, unknown>>

/** The page without its tags, which come from another endpoint; null if there is none. */
export async function fetchStorePage(
  storeUrl: string,
  appId: number,
  signal: AbortSignal,
): Promise<Omit<StoreApp, 'tags'> | null> {
  const answer = await requestJson({
    address: `${storeUrl}/api/appdetails`,
    params: { appids: String(appId), cc: 'us', l: 'english' },
    signal,
  })
  const entry = fieldsOf(answer)[appId]
  if (!isObject(entry) || !('success' in entry)) throw noResponse('The external store did not show the page')
  if (!flagOf(entry.success)) return null
  if (!isObject(entry.data)) throw noResponse('The external store showed an empty page')
  return toStoreApp(appId, entry.data)
}

function toStoreApp(askedId: number, data: Fields): Omit<StoreApp, 'tags'> {
  const descriptors = fieldsOf(data.content_descriptors)
  const release = fieldsOf(data.release_date)
  const isFree = flagOf(data.is_free)
  return {
    // An app may have been merged into another.
    appId: numberOf(data.steam_appid) ?? askedId,
    type: textOf(data.type),
    name: plain(data.name),
    isFree,
    requiredAge: numberOf(data.required_age) ?? 0,
    shortDescription: plain(data.short_description),
    detailedDescription: textOf(data.detailed_description),
    aboutTheGame: textOf(data.about_the_game),
    website: textOf(data.website) || null,
    developers: textsOf(data.developers).map((name) => decodeHTMLStrict(name)),
    publishers: textsOf(data.publishers).map((name) => decodeHTMLStrict(name)),
    price: isFree ? null : parsePrice(fieldsOf(data.price_overview)),
    categoryIds: listOf(data.categories).flatMap((category) => numberOf(fieldsOf(category).id) ?? []),
    categoryNames: listOf(data.categories).map((category) => plain(fieldsOf(category).description)),
    supportedLanguages: decodeHTMLStrict(textOf(data.supported_languages)),
    requirements: {
      windows: parseRequirements(data.pc_requirements),
      mac: parseRequirements(data.mac_requirements),
      linux: parseRequirements(data.linux_requirements),
    },
    systems: STORE_SYSTEMS.filter((system) => flagOf(fieldsOf(data.platforms)[system])),
    genres: listOf(data.genres).flatMap((genre) => parseGenre(fieldsOf(genre))),
    screenshots: listOf(data.screenshots)
      .map((shot) => textOf(fieldsOf(shot).path_full))
      .filter(isWebAddress)
      .map((url) => ({ url })),
    trailers: listOf(data.movies).map(fieldsOf).toSorted(highlightedFirst).flatMap(parseTrailer),
    release: { comingSoon: flagOf(release.coming_soon), date: plain(release.date) },
    contentDescriptorIds: numbersOf(descriptors.ids),
    contentNotes: plain(descriptors.notes) || null,
  }
}

const STORE_SYSTEMS = ['windows', 'mac', 'linux'] as const satisfies readonly StoreSystem[]

/** An empty list where nothing is stated. */
function parseRequirements(value: unknown): { minimum: string; recommended: string } {
  const { minimum, recommended } = fieldsOf(value)
  return { minimum: textOf(minimum), recommended: textOf(recommended) }
}

function parsePrice({ currency, initial }: Fields): StoreApp['price'] {
  const amount = numberOf(initial)
  return amount === null ? null : { currency: textOf(currency).toUpperCase(), initial: amount }
}

function parseGenre({ id, description }: Fields): { id: number; name: string }[] {
  const number = numberOf(id)
  return number === null ? [] : [{ id: number, name: plain(description) }]
}

function highlightedFirst(a: Fields, b: Fields): number {
  return Number(flagOf(b.highlight)) - Number(flagOf(a.highlight))
}

/** Older pages list video files, newer ones only streams; some browsers can play HLS. */
function parseTrailer({ mp4, webm, hls_h264 }: Fields): string[] {
  const [files, more] = [fieldsOf(mp4), fieldsOf(webm)]
  const best = [files.max, files['480'], more.max, more['480'], hls_h264].map(textOf).find(isWebAddress)
  return best === undefined ? [] : [best.replace(/^http:/i, 'https:')]
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}

function plain(value: unknown): string {
  return decodeHTMLStrict(textOf(value)).trim()
}

interface TagNames {
  version: string
  names: ReadonlyMap<number, string>
  readAt: number
}

/** The ids of an app's tags, most used first. */
async function fetchTagIds(apiUrl: string, appId: number, signal: AbortSignal): Promise<number[]> {
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
    const [ids, names] = await Promise.all([fetchTagIds(apiUrl, appId, signal), readNames(signal)])
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
