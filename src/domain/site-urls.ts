/** The addresses of the asset library: its own, and the one that editors up to 3.2 have built in. */
export const ASSET_LIBRARY_PATH = '/api/v1/public/asset-library'
export const ASSET_LIBRARY_ALIAS = '/asset-library/api'

/** The only module that knows the paths of the website's pages. */
export function listingUrl(baseUrl: string, vanityName: string): string {
  return `${baseUrl}/games/${vanityName}`
}

/** The path of a post's page. */
export function postPath(vanityName: string, slug: string): string {
  return `/games/${vanityName}/posts/${slug}`
}

export function developerUrl(baseUrl: string, username: string): string {
  return `${baseUrl}/developers/${username}`
}

export function changelogPath(vanityName: string): string {
  return `/games/${vanityName}/changelog`
}

/** The key prefix of images. The rest of a key is the hash of the bytes, so an object never changes. */
export const IMAGE_PREFIX = 'images/'

/** The address of a picture by its object key. */
export function mediaUrl(baseUrl: string, objectKey: string): string {
  return `${baseUrl}/media/${objectKey.slice(IMAGE_PREFIX.length)}`
}

export function collectionUrl(baseUrl: string, slug: string): string {
  return `${baseUrl}/collections/${slug}`
}

/** Where a person creates player keys. */
export function accountUrl(baseUrl: string): string {
  return `${baseUrl}/account`
}

/** What the person was told. */
export function noticesUrl(baseUrl: string): string {
  return `${baseUrl}/notices`
}

/** Where a person chooses what is mailed. */
export function noticeSettingsUrl(baseUrl: string): string {
  return `${accountUrl(baseUrl)}/notices`
}

/** Ends mails by its button; programs for mail POST to it. */
export function mailEndUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/notices/unsubscribe/${token}`
}

export function invitesUrl(baseUrl: string): string {
  return `${baseUrl}/dashboard/invites`
}

/** A page of the listing's dashboard. */
export function studioUrl(
  baseUrl: string,
  vanityName: string,
  tab: 'builds' | 'posts' | 'publishing' | 'sign-in',
): string {
  return `${baseUrl}/studio/${vanityName}/${tab}`
}

/** Where operators approve or decline publications. */
export function queueUrl(baseUrl: string): string {
  return `${baseUrl}/operate/queue`
}

export function approvalUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/approvals/${token}`
}

export function orderUrl(baseUrl: string, orderUid: string): string {
  return `${baseUrl}/orders/${orderUid}`
}

/** The sales of a developer, or of the whole store. */
export function salesUrl(baseUrl: string, area: 'studio' | 'operate', query?: string): string {
  return `${baseUrl}/${area}/sales${query === undefined ? '' : `?q=${encodeURIComponent(query)}`}`
}

/** The path of a jam's page, or of one below it. */
export function jamPath(slug: string, page?: 'entries' | 'rate' | 'results' | 'manage'): string {
  return page === undefined ? `/jams/${slug}` : `/jams/${slug}/${page}`
}

/** An entry inside a jam, by the name of its listing. */
export function entryPath(slug: string, vanityName: string): string {
  return `${jamPath(slug, 'entries')}/${vanityName}`
}

/** Plays the version of the jam. */
export function entryPlayPath(slug: string, vanityName: string): string {
  return `/games/${vanityName}/play?jam=${slug}`
}

/** Where one person enters a jam after its end. */
export function lateLinkPath(slug: string, code: string): string {
  return `${jamPath(slug)}/late/${code}`
}

/** The page with a player's saves of a game, by its name or uid. */
export function savesPath(ref: string): string {
  return `/library/${ref}/saves`
}

/** Where the player downloads a revision of a save; without one, the current. */
export function saveFilePath(ref: string, slot: string, revision?: string): string {
  const query = new URLSearchParams({ slot, ...(revision !== undefined && { revision }) })
  return `${savesPath(ref)}/file?${query.toString()}`
}
