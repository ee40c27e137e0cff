import type { Deps } from '../../../deps.ts'
import { IMAGE_KINDS } from '../../../domain/listings/listing.ts'
import { AppError } from '../../../errors.ts'
import { writeZip, type ZipEntry } from '../../../lib/bytes/zip-writer.ts'
import type { GameRow } from '../../games/service.ts'
import type { Factsheet } from './model.ts'
import type { ImageFile } from './queries.ts'

const MB = 1024 ** 2
const IMAGE_MAX = 16 * MB
const TOTAL_MAX = 64 * MB

interface PressImage {
  name: string
  objectKey: string
}

/** The bytes of `press.zip`; an error aborts the download, so that nobody takes it for complete. */
export async function* writePressZip(
  deps: Pick<Deps, 'objects' | 'log'>,
  game: Pick<GameRow, 'uid' | 'updatedAt'>,
  factsheet: Factsheet,
  files: readonly ImageFile[],
): AsyncGenerator<Uint8Array> {
  try {
    yield* writeZip(openEntries(deps, game, factsheet, files))
  } catch (error) {
    deps.log.error('A press zip was aborted', { game_uid: game.uid, error })
    throw error
  }
}

async function* openEntries(
  deps: Pick<Deps, 'objects' | 'log'>,
  game: Pick<GameRow, 'uid' | 'updatedAt'>,
  factsheet: Factsheet,
  files: readonly ImageFile[],
): AsyncGenerator<ZipEntry> {
  const modifiedAt = game.updatedAt
  yield {
    name: 'factsheet.json',
    modifiedAt,
    body: [Buffer.from(`${JSON.stringify(factsheet, null, 2)}\n`)],
  }
  for (const { name, objectKey } of chooseImages(files)) {
    const body = await openImage(deps, objectKey)
    if (!body) {
      deps.log.warn('An image of a press zip is missing', { game_uid: game.uid, object_key: objectKey })
      continue
    }
    try {
      yield { name, modifiedAt, body }
    } finally {
      // The client may have disconnected before the first byte.
      await body.cancel()
    }
  }
}

/** Cover, thumbnail and gallery, except images that are too large; their numbers are skipped. */
function chooseImages(files: readonly ImageFile[]): PressImage[] {
  let total = 0
  return IMAGE_KINDS.flatMap((kind) => {
    const named = files
      .filter((file) => file.kind === kind)
      .map((file, index) => ({ ...file, name: nameOf(kind, index) }))
    return named.filter(({ size }) => {
      const fits = size <= IMAGE_MAX && total + size <= TOTAL_MAX
      if (fits) total += size
      return fits
    })
  })
}

function nameOf(kind: ImageFile['kind'], index: number): string {
  const number = kind === 'gallery' ? `-${String(index + 1).padStart(2, '0')}` : ''
  return `images/${kind}${number}.webp`
}

async function openImage(
  { objects }: Pick<Deps, 'objects'>,
  key: string,
): Promise<ReadableStream<Uint8Array> | null> {
  try {
    return (await objects.get(key)).stream
  } catch (error) {
    if (error instanceof AppError && error.kind === 'not_found') return null
    throw error
  }
}
