import { decodeHTMLStrict } from 'entities'

import type { StoreApp } from './ext-store.ts'
import { noResponse, requestJson } from './request.ts'
import { fieldsOf, flagOf, isObject, listOf, numberOf, numbersOf, textOf, textsOf } from './untrusted.ts'

type Fields = Readonly<Record<string, unknown>>

/** The page without its tags, which come from another endpoint; null if there is none. */
export async function readStorePage(
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
    price: isFree ? null : readPrice(fieldsOf(data.price_overview)),
    categoryIds: listOf(data.categories).flatMap((category) => numberOf(fieldsOf(category).id) ?? []),
    genres: listOf(data.genres).flatMap((genre) => readGenre(fieldsOf(genre))),
    screenshots: listOf(data.screenshots)
      .map((shot) => textOf(fieldsOf(shot).path_full))
      .filter(isWebAddress)
      .map((url) => ({ url })),
    trailers: listOf(data.movies).map(fieldsOf).toSorted(highlightedFirst).flatMap(readTrailer),
    release: { comingSoon: flagOf(release.coming_soon), date: plain(release.date) },
    contentDescriptorIds: numbersOf(descriptors.ids),
    contentNotes: plain(descriptors.notes) || null,
  }
}

function readPrice({ currency, initial }: Fields): StoreApp['price'] {
  const amount = numberOf(initial)
  return amount === null ? null : { currency: textOf(currency).toUpperCase(), initial: amount }
}

function readGenre({ id, description }: Fields): { id: number; name: string }[] {
  const number = numberOf(id)
  return number === null ? [] : [{ id: number, name: plain(description) }]
}

function highlightedFirst(a: Fields, b: Fields): number {
  return Number(flagOf(b.highlight)) - Number(flagOf(a.highlight))
}

/** Older pages list video files, newer ones only streams; some browsers can play HLS. */
function readTrailer({ mp4, webm, hls_h264 }: Fields): string[] {
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
