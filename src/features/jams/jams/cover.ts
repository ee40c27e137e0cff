import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import type { Arrival } from '../../../lib/net/requests.ts'
import { BOXES } from '../../listings/images/model.ts'
import type { ProcessedImage } from '../../listings/images/process.ts'
import { claimObject, receiveImage, storeObject } from '../../listings/images/service.ts'
import { discardObjects } from '../../storage/service.ts'
import { lockManagedJam, markJamChanged, openJam, recordHostAct, requireHost } from '../access.ts'
import { hasStarted } from './edit.ts'
import type { OwnJam } from './model.ts'
import * as queries from './queries.ts'
import { toOwnJam } from './responses.ts'

/** Receives a form with `file`. Permission is checked before it is read. */
export async function uploadCover(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  arrival: Arrival,
): Promise<OwnJam> {
  const { jam } = await requireHost(deps, user, ref)
  const whose = { accountUid: user.userUid, gameUid: null }
  return await receiveImage(deps, arrival, whose, async (file) => {
    const image = await storeObject(deps.objects, BOXES.cover, file)
    return await setCover(deps, user, jam.uid, image)
  })
}

export async function removeCover(deps: Deps, user: WebsiteUser, ref: string): Promise<OwnJam> {
  return await setCover(deps, user, ref, null)
}

/** The revision stays: a text that is being edited meanwhile can still be saved. */
async function setCover(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  image: ProcessedImage | null,
): Promise<OwnJam> {
  return await deps.db.transaction(async (tx) => {
    const access = await lockManagedJam(deps, tx, user, ref)
    const { jam, now, isNamedHost } = access
    const coverKey = image && (await claimObject(deps, tx, image))
    if (coverKey !== jam.coverKey) {
      await queries.setCover(tx, jam.uid, coverKey)
      if (jam.coverKey !== null) await discardObjects(tx, { keys: [jam.coverKey] })
      const text = coverKey === null ? 'The cover was removed.' : 'The cover was changed.'
      if (hasStarted(jam, now)) await recordHostAct(tx, user, jam, { listed: text })
      else if (!isNamedHost) await recordHostAct(tx, user, jam, { text })
      await markJamChanged(tx, jam.uid)
    }
    return await toOwnJam(tx, deps.config.baseUrl, await openJam(tx, user, jam.uid))
  })
}
