import { jamPath } from '../../../domain/site-urls.ts'

export function entryPath(slug: string, vanityName: string): string {
  return `${jamPath(slug, 'entries')}/${vanityName}`
}

/** Plays the version of the jam. */
export function entryPlayPath(slug: string, vanityName: string): string {
  return `/games/${vanityName}/play?jam=${slug}`
}
