import type { Deps } from '../../../deps.ts'
import type { PersonImage, WebsiteUser } from '../../../domain/actor.ts'
import type { Arrival } from '../../../lib/net/requests.ts'
import { replaceImage } from '../../accounts/profile/service.ts'
import type { Box } from '../../listings/images/model.ts'
import { claimObject, receiveImage, storeObject } from '../../listings/images/service.ts'

export const PERSON_BOXES: Readonly<Record<PersonImage, Box>> = {
  picture: { width: 320, height: 320, fit: 'cover' },
  banner: { width: 1600, height: 400, fit: 'cover' },
}

/** Re-encodes the `file` of a form as a picture of the account. */
export async function receivePersonImage(
  deps: Deps,
  user: WebsiteUser,
  kind: PersonImage,
  arrival: Arrival,
): Promise<void> {
  const whose = { accountUid: user.userUid, gameUid: null }
  await receiveImage(deps, arrival, whose, async (file) => {
    const image = await storeObject(deps.objects, PERSON_BOXES[kind], file)
    await deps.db.transaction(async (tx) => {
      await replaceImage(deps, tx, user.userUid, kind, await claimObject(deps, tx, image))
    })
  })
}

export async function removePersonImage(deps: Deps, userUid: string, kind: PersonImage): Promise<void> {
  await deps.db.transaction(async (tx) => await replaceImage(deps, tx, userUid, kind, null))
}
