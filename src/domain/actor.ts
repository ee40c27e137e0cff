import { AppError } from '../errors.ts'
import { withoutLinks } from '../lib/text/names.ts'
import { mediaUrl } from './site-urls.ts'

/** The prefix that distinguishes a player key from a token. */
export const PLAYER_KEY_PREFIX = 'svc_play_'

export const PLAYER_SCOPES = [
  'player:read',
  'player:bugs',
  'player:install',
  'player:library',
  'player:saves',
] as const
export type PlayerScope = (typeof PLAYER_SCOPES)[number]

export const AGENT_SCOPES = [
  'mcp:catalog.read',
  'mcp:builds.read',
  'mcp:builds.write',
  'mcp:bugs.read',
  'mcp:bugs.write',
  'mcp:crash.read',
  'mcp:health.read',
  'mcp:posts',
] as const
export type AgentScope = (typeof AGENT_SCOPES)[number]

export interface Anonymous {
  kind: 'anonymous'
}

/** A person behind a player key or a player's OAuth token. */
export interface Player {
  kind: 'player'
  userUid: string
  scopes: readonly string[]
  adultContent: boolean
  hiddenTags: readonly string[]
}

/** A player of one game, signed in through the external store. */
export interface StorePlayer {
  kind: 'store_player'
  gameUid: string
  extstoreId: string
  /** The account that the player linked; null if there is none. */
  linkedUserUid: string | null
}

/** A player whose saves are read or written, by themselves or by the game that they play. */
export interface Saver {
  kind: 'saver'
  userUid: string
  /** The only game whose saves it may use; null for a key or token of the player. */
  gameUid: string | null
  /** How it proved itself: the game was opened on its play page, or through the external store. */
  via: 'player' | 'visit' | 'store'
}

/** A person signed in on the website. */
export interface WebsiteUser {
  kind: 'user'
  userUid: string
  sessionUid: string
  username: string
  displayName: string
  /** The address of the picture. */
  picture: string | null
  email: string
  emailVerified: boolean
  developerMode: boolean
  adultContent: boolean
  hiddenTags: readonly string[]
  /** Whether this person runs the store. */
  isOperator: boolean
  /** Whether the account has an authenticator app or a passkey. */
  hasSecondFactor: boolean
  /** When this session last proved who it belongs to; null: long ago. */
  confirmedAt: Date | null
}

/** A program that acts for a person, with an OAuth token of `mcp:*` scopes. */
export interface Agent {
  kind: 'agent'
  userUid: string
  clientId: string
  tokenId: string
  scopes: readonly string[]
  adultContent: boolean
  hiddenTags: readonly string[]
}

export interface DeployKey {
  kind: 'deploy_key'
  keyUid: string
  gameUid: string
  /** The owner of the game. */
  ownerUid: string
  /** The only channels that it may upload to; null for all. */
  channels: readonly string[] | null
  /** It may only finish uploads that it began. */
  hasExpired: boolean
}

export function keyExpired(): AppError {
  return new AppError('deploy_key_revoked', {
    message: 'This deploy key of a trusted publisher has expired. Exchange a new token of the pipeline.',
  })
}

export interface GameServer {
  kind: 'game_server'
  gameUid: string
  /** SHA-256 of the key in the request. */
  keyHash: string
}

/** Who makes a request. Services take an actor, never a request. */
export type Actor = Anonymous | Player | StorePlayer | Saver | WebsiteUser | Agent | DeployKey | GameServer

/** Whether adult listings are shown to this visitor: only where a person asked for them. */
export function seesAdult(actor: Actor): boolean {
  return 'adultContent' in actor && actor.adultContent
}

/** Tags whose listings are left out for this visitor, unless `show_hidden=true` was sent. */
export function hiddenTagsFor(actor: Actor, showHidden: string | null | undefined): readonly string[] {
  return 'hiddenTags' in actor && showHidden !== 'true' ? actor.hiddenTags : []
}

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

export interface PersonRow {
  username: string
  displayName: string
  pictureKey: string | null
}

export function toPerson(baseUrl: string, { username, displayName, pictureKey }: PersonRow): ShownPerson {
  return { username, display_name: displayName, picture: pictureKey && mediaUrl(baseUrl, pictureKey) }
}
