import { withoutLinks } from '../lib/text/names.ts'
import { mediaUrl } from './site-urls.ts'

export const DISPLAY_NAME_MAX = 50
export const BIO_MAX = 5000
export const LINKS_MAX = 8
export const LINK_LABEL_MAX = 40

export const PERSON_IMAGES = ['picture', 'banner'] as const
export type PersonImage = (typeof PERSON_IMAGES)[number]

export interface ProfileLink {
  label: string
  url: string
}

/** A person as everyone sees them. The username is their address. */
export interface ShownPerson {
  username: string
  display_name: string
  /** The address of the picture. */
  picture: string | null
}

/** For mails, where a name of one's own choice must neither become a link nor pass for another's. */
export function nameForMail({ username, displayName }: { username: string; displayName: string }): string {
  return displayName === username ? username : `${withoutLinks(displayName)} (${username})`
}

interface PersonRow {
  username: string
  displayName: string
  pictureKey: string | null
}

export function toPerson(baseUrl: string, { username, displayName, pictureKey }: PersonRow): ShownPerson {
  return { username, display_name: displayName, picture: pictureKey && mediaUrl(baseUrl, pictureKey) }
}
