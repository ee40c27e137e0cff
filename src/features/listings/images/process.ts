import { type AppError, invalidFields } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { type Area, cropPicture, decodePng, encodePng } from '../../../lib/bytes/png.ts'
import { createReceiveBudget } from '../../../lib/flow/receive-budget.ts'
import { createSemaphore } from '../../../lib/flow/semaphore.ts'
import { type FileFault, findFault, fitsDeclaredType, sniffFormat } from './inspect.ts'
import { type Box, FILE_BYTES_MAX, type Size } from './model.ts'

/** The image as served: re-encoded, with no bytes of the uploaded file. */
export interface ProcessedImage {
  bytes: Uint8Array
  sha256: string
  width: number
  height: number
}

const FAULTS: Readonly<Record<FileFault, string>> = {
  ends_early: 'The image is truncated: a part of the file is missing. Upload it again.',
  too_many_scans: 'The JPEG has too many scans. Save it again as a normal JPEG.',
}

const SIDE_MIN = 16
const SIDE_MAX = 16_384
/** A screenshot of an 8K screen has 33 million pixels. */
const PIXELS_MAX = 40_000_000
const QUALITY = 82

/** Files are in memory while they are received and until they are decoded: at most twelve of the largest size. */
export const imageMemory = createReceiveBudget(12 * FILE_BYTES_MAX)
/** Limits decoded pixels, which use the most memory: two average images at once, or one large one. */
const decoding = createSemaphore(PIXELS_MAX)
/** How many copies of the scaled image's raw pixels exist at once. */
const COPIES = 4

export async function processImage(
  file: Uint8Array,
  box: Box,
  declaredType: string,
): Promise<ProcessedImage> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  checkFile(bytes, declaredType)
  const size = await readSize(bytes)
  using held = new DisposableStack()
  held.use(await decoding.acquire(estimatePixels(size, box)))
  const image = await orRefuse(render(bytes, size, box))
  return { ...image, sha256: sha256Hex(image.bytes) }
}

/** The size of a complete file, without decoding it. */
export async function measureImage(file: Uint8Array, declaredType: string): Promise<Size> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  checkFile(bytes, declaredType)
  return await readSize(bytes)
}

function checkFile(bytes: Buffer, declaredType: string): void {
  if (bytes.length === 0) throw refusal('The file is empty; it must be a PNG, JPEG or WebP image.')
  const format = sniffFormat(bytes)
  if (!format) throw refusal('The file must be a PNG, JPEG or WebP image.')
  if (!fitsDeclaredType(format, declaredType)) {
    throw refusal(`The file was sent as ${declaredType}, but is image/${format}.`)
  }
  const fault = findFault(format, bytes)
  if (fault) throw refusal(FAULTS[fault])
}

/** Read from the header only; takes the camera's orientation into account. */
async function readSize(bytes: Buffer): Promise<Size> {
  const { width, height } = await orRefuse(open(bytes).metadata())
  if (Math.min(width, height) < SIDE_MIN) {
    throw refusal(`The image is ${width}×${height} pixels, but must be at least ${SIDE_MIN}×${SIDE_MIN}.`)
  }
  if (Math.max(width, height) > SIDE_MAX) throw tooManyPixels()
  return { width, height }
}

function estimatePixels(size: Size, box: Box): number {
  const pixels = pixelsOf(size) + COPIES * pixelsOf(scaleDown(size, box))
  return Math.min(Math.max(pixels, PIXELS_MAX / 2), PIXELS_MAX)
}

function pixelsOf({ width, height }: Size): number {
  return width * height
}

/** Goes through raw pixels, because Bun.Image cannot crop and keeps the colour profile of the file. */
async function render(bytes: Buffer, size: Size, box: Box): Promise<Size & Pick<ProcessedImage, 'bytes'>> {
  const scaled = scaleDown(size, box)
  const decoded = open(bytes).resize(scaled.width, scaled.height).png({ compressionLevel: 0 })
  const picture = decodePng(await decoded.bytes())
  const cut = box.fit === 'cover' ? cropPicture(picture, centredArea(picture, box)) : picture
  const target = box.fit === 'cover' ? box : scaled
  const sized = open(encodePng(cut)).resize(target.width, target.height)
  return { bytes: await encode(sized, box.format).bytes(), width: target.width, height: target.height }
}

function encode(image: Bun.Image, format: Box['format']): Bun.Image {
  if (format === 'png') return image.png()
  return format === 'jpeg' ? image.jpeg({ quality: QUALITY }) : image.webp({ quality: QUALITY })
}

/** The smallest size that fills the box, or the largest inside it; small images are not enlarged. */
function scaleDown({ width, height }: Size, box: Box): Size {
  const choose = box.fit === 'cover' ? Math.max : Math.min
  const scale = Math.min(1, choose(box.width / width, box.height / height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** The largest centred area with the proportions of the box. */
function centredArea({ width, height }: Size, box: Size): Area {
  const scale = Math.min(width / box.width, height / box.height)
  const area = {
    width: Math.max(1, Math.round(box.width * scale)),
    height: Math.max(1, Math.round(box.height * scale)),
  }
  return {
    ...area,
    left: Math.floor((width - area.width) / 2),
    top: Math.floor((height - area.height) / 2),
  }
}

function open(bytes: Uint8Array): Bun.Image {
  return new Bun.Image(bytes, { maxPixels: PIXELS_MAX })
}

/** Turns a decoding error into a refusal for the sender; rethrows everything else. */
async function orRefuse<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'ERR_IMAGE_TOO_MANY_PIXELS') throw tooManyPixels(error)
    if (code === 'ERR_IMAGE_DECODE_FAILED' || code === 'ERR_IMAGE_UNKNOWN_FORMAT') {
      throw refusal('The image cannot be decoded: it is damaged or animated.', error)
    }
    throw error
  }
}

function tooManyPixels(cause?: unknown): AppError {
  const millions = PIXELS_MAX / 1_000_000
  return refusal(
    `The image is too large: the limit is ${SIDE_MAX} pixels per side and ${millions} million in total.`,
    cause,
  )
}

function refusal(message: string, cause?: unknown): AppError {
  return invalidFields([{ path: 'file', message }], { cause })
}
