import { open } from 'node:fs/promises'
import { join } from 'node:path'

export interface Color {
  red: number
  green: number
  blue: number
}

interface Screen {
  /** For the environment of what is shown on it. */
  DISPLAY: string
  /** What is shown at a point. */
  colorAt(x: number, y: number): Promise<Color>
  close(): Promise<void>
}

/** A screen of its own, for programs that have no headless mode. Its pixels are in a file in this folder. */
export async function openScreen(width: number, height: number, dir: string): Promise<Screen> {
  const options = ['-screen', '0', `${width}x${height}x24`, '-nolisten', 'tcp', '-fbdir', dir]
  const xvfb = Bun.spawn(['Xvfb', '-displayfd', '1', ...options], { stdout: 'pipe', stderr: 'ignore' })
  return {
    DISPLAY: `:${await readDisplay(xvfb.stdout)}`,
    colorAt: (x, y) => readPixel(join(dir, 'Xvfb_screen0'), x, y),
    async close() {
      xvfb.kill('SIGKILL')
      await xvfb.exited
    },
  }
}

/** The numbers of the header of an XWD file that say where its pixels are. */
const HEADER = { size: 0, bytesPerLine: 12, colors: 19 } as const
const HEADER_BYTES = 100
const COLOR_BYTES = 12
const PIXEL_BYTES = 4

async function readPixel(path: string, x: number, y: number): Promise<Color> {
  await using file = await open(path)
  const header = Buffer.alloc(HEADER_BYTES)
  await file.read(header, 0, HEADER_BYTES, 0)
  const field = (index: number) => header.readUInt32BE(4 * index)
  const pixels = field(HEADER.size) + field(HEADER.colors) * COLOR_BYTES
  const pixel = Buffer.alloc(PIXEL_BYTES)
  await file.read(pixel, 0, PIXEL_BYTES, pixels + y * field(HEADER.bytesPerLine) + x * PIXEL_BYTES)
  const [blue = 0, green = 0, red = 0] = pixel
  return { red, green, blue }
}

/** Xvfb chooses a free display and prints its number once it is ready. */
async function readDisplay(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of stdout) {
    text += new TextDecoder().decode(chunk)
    if (text.includes('\n')) return text.trim()
  }
  throw new Error('Xvfb ended before it was ready')
}
