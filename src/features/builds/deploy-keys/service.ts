import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { createSecret } from '../../../lib/ids.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { changeGame, openGame } from '../../games/service.ts'
import { DeployKey, type NewDeployKey } from './model.ts'
import * as queries from './shared-queries.ts'

/** Returns the secret, which cannot be read again later. All earlier keys of the game are revoked. */
export async function issueDeployKey(deps: Deps, actor: WebsiteUser, ref: string): Promise<NewDeployKey> {
  return await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    if (!actor.developerMode) throw new AppError('developer_mode_needed')
    if (!game.keysAllowed) {
      throw new AppError('forbidden', {
        message:
          'Only trusted publishers upload builds of this game. Allow deploy keys in its Pipelines tab first.',
      })
    }
    const pair = { access_token: createSecret(), secret_key: createSecret() }
    await queries.revokeIssuedPairs(tx, game.uid)
    await queries.insertKey(tx, {
      gameUid: game.uid,
      accessToken: pair.access_token,
      secretHash: sha256Hex(pair.secret_key),
      issuedBy: actor.userUid,
    })
    return pair
  })
}

export async function listDeployKeys(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  page: Page,
): Promise<Paged<DeployKey>> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return mapPage(await queries.listKeys(deps.db, game.uid, page), ({ key, username, hasAccess }) =>
    respond(DeployKey, key, {
      last4: key.accessToken.slice(-4),
      issued_by: username === null ? null : { username, has_access: hasAccess },
    }),
  )
}

/** The channels that a trusted publisher's key is limited to; null means all channels. */
export interface ChannelLimit {
  channels: readonly string[] | null
}

export function requireChannel({ channels }: ChannelLimit, channel: string): void {
  if (channels === null || channels.includes(channel)) return
  throw new AppError('forbidden', {
    message: `This key is limited to ${channels.join(', ')}, and the build is for ${channel}. Add the channel to the trusted publisher, or build for another one.`,
  })
}

export interface ChangedBuild {
  uid: string
  channel: string
}

/**
 * The key must cover every channel that delivers the build or may roll back to it. Lock the game's row first,
 * so that no channel moves before the transaction ends.
 */
export async function requireBuildChannels(db: Db, limit: ChannelLimit, build: ChangedBuild): Promise<void> {
  requireChannel(limit, build.channel)
  const refusal = await findChannelRefusal(db, limit, build.uid)
  if (refusal !== null) throw new AppError('wrong_credential_kind', { message: refusal })
}

/** Explains why the key may not change a build that other channels use too; null if it may. */
export async function findChannelRefusal(
  db: Db,
  { channels }: ChannelLimit,
  buildUid: string,
): Promise<string | null> {
  if (channels === null) return null
  const others = (await queries.listReleasesOf(db, buildUid)).filter((channel) => !channels.includes(channel))
  if (others.length === 0) return null
  return `This key is limited to ${channels.join(', ')}, and the build was also released on ${others.join(', ')}. Register a new version, or use a publisher without channels.`
}

/** For changes that affect the whole game rather than one channel. */
export function requireEveryChannel({ channels }: ChannelLimit): void {
  if (channels === null) return
  throw new AppError('forbidden', {
    message: `This key is limited to ${channels.join(', ')}, and this is about the whole game. Use a publisher without channels.`,
  })
}
