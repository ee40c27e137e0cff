import { decodePng, encodePng, type Picture } from '../../../src/lib/bytes/png.ts'
import type { Person } from '../people.ts'

export type Colour = readonly [red: number, green: number, blue: number, alpha?: number]

export const RED: Colour = [220, 20, 20]
export const GREEN: Colour = [20, 180, 20]
export const BLUE: Colour = [20, 20, 220]
export const CLEAR: Colour = [0, 0, 0, 0]

/** Returns the colour of a pixel by its position, from 0 to 1 in both directions. */
export type Paint = (x: number, y: number) => Colour

/** Three columns: a wide middle and two edges that are lost when cropping to a narrower ratio. */
export const COLUMNS: Paint = (x) => (x < 0.1 ? RED : x < 0.9 ? GREEN : BLUE)
export const ROWS: Paint = (_, y) => COLUMNS(y, 0)

export function paint(width: number, height: number, colourAt: Paint): Picture {
  const pixels = new Uint8Array(width * height * 4)
  let at = 0
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const colour = colourAt((x + 0.5) / width, (y + 0.5) / height)
      pixels[at++] = colour[0]
      pixels[at++] = colour[1]
      pixels[at++] = colour[2]
      pixels[at++] = colour[3] ?? 255
    }
  }
  return { width, height, channels: 4, pixels }
}

/** A picture as a part of a form. */
export async function drawPng(width: number, height: number, colourAt: Paint = COLUMNS): Promise<Blob> {
  return new Blob([new Uint8Array(encodePng(paint(width, height, colourAt)))], { type: 'image/png' })
}

export async function drawJpeg(width: number, height: number, colourAt: Paint = COLUMNS): Promise<Blob> {
  const png = await drawPng(width, height, colourAt)
  return await new Bun.Image(png).jpeg({ quality: 95 }).blob()
}

export async function drawWebp(width: number, height: number, colourAt: Paint = COLUMNS): Promise<Blob> {
  const png = await drawPng(width, height, colourAt)
  return await new Bun.Image(png).webp({ quality: 95 }).blob()
}

/** Decodes the picture to its visible pixels. */
export async function look(bytes: Uint8Array): Promise<Picture & { at(x: number, y: number): Colour }> {
  const picture = decodePng(await new Bun.Image(bytes).png({ compressionLevel: 0 }).bytes())
  return {
    ...picture,
    at(x, y) {
      const start =
        (Math.floor(y * picture.height) * picture.width + Math.floor(x * picture.width)) * picture.channels
      const [red = 0, green = 0, blue = 0, alpha = 255] = picture.pixels.subarray(
        start,
        start + picture.channels,
      )
      return [red, green, blue, alpha]
    },
  }
}

/** Tolerates the loss of encoding. */
export function isNear(a: Colour, b: Colour): boolean {
  return [0, 1, 2].every((channel) => Math.abs((a[channel] ?? 0) - (b[channel] ?? 0)) < 40)
}

/** Uploads a picture as the website's form does. */
export async function send(person: Person, path: string, file: Blob, field = 'file'): Promise<Response> {
  const body = new FormData()
  body.set(field, file, 'picture')
  return await person.fetch(path, { method: path.endsWith('/gallery') ? 'POST' : 'PUT', body })
}

/** A form with a small picture. */
export async function pictureForm(): Promise<FormData> {
  const form = new FormData()
  form.set('file', await drawPng(64, 36), 'picture.png')
  return form
}
