import { type AppError, invalidFields } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { type Area, cropPicture, decodePng, encodePng, type Picture } from '../../../lib/bytes/png.ts'
import { type Oklch, toHex, toOklch } from '../../../lib/color/oklch.ts'
import { createReceiveBudget } from '../../../lib/flow/buffer-memory.ts'
import { createSemaphore } from '../../../lib/flow/semaphore.ts'
import { type Box, FILE_BYTES_MAX, type Size } from './model.ts'

/** The image as served: re-encoded, with no bytes of the uploaded file. */
export interface ProcessedImage {
  bytes: Uint8Array
  sha256: string
  width: number
  height: number
  /** Of covers: the colour that carries the picture; null for a grey one. */
  accent?: string | null
  /** Of covers: the same in more pixels, if the upload had them. */
  wide?: Omit<ProcessedImage, 'accent' | 'wide'>
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

/** Enough pixels to tell which colour prevails. */
const SAMPLE_SIDE = 32

/** The colour that carries an image of our own encoder, as #rrggbb; null for a grey one. */
export async function computeAccent(bytes: Uint8Array): Promise<string | null> {
  const small = open(bytes).resize(SAMPLE_SIDE, SAMPLE_SIDE).png({ compressionLevel: 0 })
  return findAccent(decodePng(await small.bytes()))
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

export type ImageFormat = 'png' | 'jpeg' | 'webp'

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff])

/** The media types that clients send for the formats we accept. */
const DECLARED_TYPES: Readonly<Record<string, ImageFormat>> = {
  'image/png': 'png',
  'image/x-png': 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/pjpeg': 'jpeg',
  'image/webp': 'webp',
}

/** Detects the format from the bytes, ignoring what the client says. */
export function sniffFormat(bytes: Buffer): ImageFormat | null {
  if (bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return 'png'
  if (bytes.subarray(0, JPEG_START.length).equals(JPEG_START)) return 'jpeg'
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'
  return isWebp ? 'webp' : null
}

/** A type that is not an image type, such as application/octet-stream, matches every format. */
export function fitsDeclaredType(format: ImageFormat, declaredType: string): boolean {
  return !declaredType.startsWith('image/') || DECLARED_TYPES[declaredType] === format
}

type FileFault = 'ends_early' | 'too_many_scans'

/** A progressive JPEG has about ten. Each is a pass over all pixels, so thousands would block a decoder for hours. */
const JPEG_SCANS_MAX = 64

/**
 * Finds faults that a decoder accepts: it fills a truncated image with grey. Data after the end is ignored, because
 * cameras append further pictures.
 */
export function findFault(format: ImageFormat, bytes: Buffer): FileFault | null {
  return FAULT_FINDERS[format](bytes)
}

const FAULT_FINDERS: Readonly<Record<ImageFormat, (bytes: Buffer) => FileFault | null>> = {
  png: findPngFault,
  jpeg: findJpegFault,
  webp: (bytes) => (bytes.length >= bytes.readUInt32LE(4) + 8 ? null : 'ends_early'),
}

/** Walks the chunks: length, type, data, checksum. */
function findPngFault(bytes: Buffer): FileFault | null {
  let at = PNG_SIGNATURE.length
  while (at + 12 <= bytes.length) {
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return null
    at += 12 + bytes.readUInt32BE(at)
  }
  return 'ends_early'
}

/** Walks the markers. Skips segments, because an embedded preview has an end marker of its own. */
function findJpegFault(bytes: Buffer): FileFault | null {
  let at = JPEG_START.length - 1
  let scans = 0
  while (at + 1 < bytes.length) {
    const marker = bytes[at] === 0xff ? bytes[at + 1] : undefined
    if (marker === 0xd9) return null
    if (marker === 0xda) scans += 1
    if (scans > JPEG_SCANS_MAX) return 'too_many_scans'
    if (marker === undefined || marker === 0xff) at += 1
    else if (isBareMarker(marker)) at += 2
    else if (at + 4 <= bytes.length) at += 2 + bytes.readUInt16BE(at + 2)
    else return 'ends_early'
  }
  return 'ends_early'
}

/** Markers without a segment: an escaped FF in the image data, restarts, a start. */
function isBareMarker(marker: number): boolean {
  return marker === 0x00 || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
}

/** Each spans ten degrees of the circle of hues. */
const BINS = 36
/** The sum of chroma over all pixels, on average: below it a picture counts as grey. */
const LEAST_CHROMA = 0.012
/** Of too little colour, and too dark or bright to tell which. */
const isColourful = ({ l, c }: Oklch) => c > 0.02 && l > 0.15 && l < 0.97
const CHROMA = { min: 0.06, max: 0.17 }
const LIGHTNESS = { min: 0.42, max: 0.78 }

/** The colour that carries a picture, as #rrggbb; null for a grey one. The picture should be small. */
export function findAccent({ pixels, channels }: Picture): string | null {
  const bins = Array.from({ length: BINS }, () => ({ weight: 0, l: 0, a: 0, b: 0 }))
  for (let at = 0; at + channels <= pixels.length; at += channels) {
    const colour = toOklch(`#${Buffer.from(pixels.subarray(at, at + 3)).toString('hex')}`)
    const bin = bins[Math.floor(((colour.h / (2 * Math.PI) + 1) % 1) * BINS)]
    if (!bin || !isColourful(colour)) continue
    bin.weight += colour.c
    bin.l += colour.c * colour.l
    bin.a += colour.c * colour.c * Math.cos(colour.h)
    bin.b += colour.c * colour.c * Math.sin(colour.h)
  }
  const around = bins.map((bin, index) => [bins.at(index - 1) ?? bin, bin, bins[(index + 1) % BINS] ?? bin])
  const best = around.toSorted((a, b) => weigh(b) - weigh(a))[0] ?? []
  const weight = weigh(best)
  if (weight < (LEAST_CHROMA * pixels.length) / channels) return null
  const sum = (part: 'l' | 'a' | 'b') => best.reduce((total, bin) => total + bin[part], 0) / weight
  return toHex({
    l: clamp(sum('l'), LIGHTNESS),
    c: clamp(Math.hypot(sum('a'), sum('b')), CHROMA),
    h: Math.atan2(sum('b'), sum('a')),
  })
}

function weigh(bins: readonly { weight: number }[]): number {
  return bins.reduce((total, { weight }) => total + weight, 0)
}

function clamp(value: number, { min, max }: { min: number; max: number }): number {
  return Math.min(max, Math.max(min, value))
}
