import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import type { RevisedSettings, StoreImageName } from '../../../domain/store-settings.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { readFormFile } from '../../../lib/form/multipart.ts'
import { type Arrival, extendIdleTimeout } from '../../../lib/net/requests.ts'
import { type Box, RECEIVE_MS } from '../../listings/images/model.ts'
import { imageMemory, processImage } from '../../listings/images/process.ts'
import { settingsOf } from '../../settings/reader.ts'
import { changeImage } from '../../settings/service.ts'
import { FULL, ICON_SIDES } from '../../settings/storefront.ts'
import { recordChange } from './service.ts'

const STORE_IMAGE_BYTES_MAX = 4 * 1024 * 1024

const ICON_SIDE = Math.max(...ICON_SIDES)
const BOXES: Readonly<Record<StoreImageName, Box>> = {
  // Twice the height of the header's, for dense screens.
  logo: { width: 480, height: 96, fit: 'inside' },
  logo_dark: { width: 480, height: 96, fit: 'inside' },
  icon: { width: ICON_SIDE, height: ICON_SIDE, fit: 'cover', format: 'png' },
  share_image: { width: 1200, height: 630, fit: 'cover', format: 'jpeg' },
}

/** Re-encodes the uploaded `file` as an image of the store, so that no uploaded bytes are served. */
export async function receiveStoreImage(
  deps: Deps,
  operator: WebsiteUser,
  name: StoreImageName,
  arrival: Arrival,
): Promise<RevisedSettings> {
  const { bytes, ...size } = await extendIdleTimeout(arrival, () => receive(name, arrival))
  const variants = name === 'icon' ? await makeIcons(bytes) : { [FULL]: bytes }
  return await saveImage(deps, operator, name, { sha256: sha256Hex(bytes), ...size, variants })
}

export async function removeStoreImage(
  deps: Deps,
  operator: WebsiteUser,
  name: StoreImageName,
): Promise<RevisedSettings> {
  return await saveImage(deps, operator, name, null)
}

async function receive(name: StoreImageName, { request }: Arrival) {
  using receipt = imageMemory.open()
  const file = await readFormFile(request, {
    field: 'file',
    maxBytes: STORE_IMAGE_BYTES_MAX,
    signal: AbortSignal.any([AbortSignal.timeout(RECEIVE_MS), receipt.signal]),
    onBytes: receipt.add,
  })
  receipt.complete()
  const { bytes, width, height } = await processImage(file.bytes, BOXES[name], file.contentType)
  return { bytes, width, height }
}

/** Scales the largest icon, which is safe to decode because our own encoder wrote it. */
async function makeIcons(largest: Uint8Array): Promise<Record<string, Uint8Array>> {
  const variants: Record<string, Uint8Array> = {}
  for (const side of ICON_SIDES)
    variants[side] =
      side === ICON_SIDE ? largest : await new Bun.Image(largest).resize(side, side).png().bytes()
  return variants
}

async function saveImage(
  deps: Deps,
  operator: WebsiteUser,
  name: StoreImageName,
  image: Parameters<typeof changeImage>[3],
): Promise<RevisedSettings> {
  const after = await deps.db.transaction(async (tx) => {
    const changed = await changeImage(deps, tx, name, image)
    await recordChange(deps, tx, operator, changed)
    return changed.after
  })
  await settingsOf(deps).refresh()
  return after
}
