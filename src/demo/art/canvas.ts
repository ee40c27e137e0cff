/** Red, green and blue in one number, because a picture mixes millions of colours. */
export type Colour = number
export type Paint = Colour | ((x: number, y: number) => Colour)

export const ASPECT = 16 / 9

export interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/** A picture to draw on, in units of its height: y goes down from 0 to 1, x from 0 to ASPECT. */
export class Canvas {
  readonly width: number
  readonly pixels: Uint8Array
  /** The size of a pixel; edges are antialiased over this distance. */
  readonly grain: number

  constructor(readonly height: number) {
    this.width = Math.round(height * ASPECT)
    this.pixels = new Uint8Array(this.width * height * 3)
    this.grain = 1 / height
  }

  fill(paint: Paint): void {
    this.blend({ left: 0, top: 0, right: ASPECT, bottom: 1 }, paint, () => 1)
  }

  /** Blends paint over a part of the picture with the opacity `alphaAt`: 0 is transparent, 1 opaque. */
  blend(box: Box, paint: Paint, alphaAt: (x: number, y: number) => number): void {
    const { width, height, grain } = this
    const right = Math.min(width, Math.ceil(box.right * height))
    const bottom = Math.min(height, Math.ceil(box.bottom * height))
    const left = Math.max(0, Math.floor(box.left * height))
    const colourAt = typeof paint === 'function' ? paint : () => paint
    for (let row = Math.max(0, Math.floor(box.top * height)); row < bottom; row += 1) {
      const y = (row + 0.5) * grain
      for (let column = left; column < right; column += 1) {
        const x = (column + 0.5) * grain
        const alpha = alphaAt(x, y)
        if (alpha > 0) this.#lay((row * width + column) * 3, colourAt(x, y), alpha)
      }
    }
  }

  #lay(at: number, colour: Colour, alpha: number): void {
    const { pixels } = this
    if (alpha >= 1) {
      pixels[at] = colour >> 16
      pixels[at + 1] = colour >> 8
      pixels[at + 2] = colour
      return
    }
    pixels[at] = layer(pixels[at] ?? 0, colour >> 16, alpha)
    pixels[at + 1] = layer(pixels[at + 1] ?? 0, (colour >> 8) & 255, alpha)
    pixels[at + 2] = layer(pixels[at + 2] ?? 0, colour & 255, alpha)
  }

  /** Fills the points with a negative distance to the shape; edges are antialiased over one pixel. */
  shape(box: Box, paint: Paint, distanceAt: (x: number, y: number) => number, alpha = 1): void {
    this.blend(box, paint, (x, y) => alpha * coverage(distanceAt(x, y), this.grain))
  }

  /** Caches the function's value for every column of pixels. */
  perColumn(valueAt: (x: number) => number): (x: number) => number {
    const { width, height, grain } = this
    const values = Float64Array.from({ length: width }, (_, column) => valueAt((column + 0.5) * grain))
    return (x) => values[Math.min(width - 1, Math.max(0, Math.floor(x * height)))] ?? 0
  }

  /** Draws a line of this thickness from left to right. */
  stroke(heightAt: (x: number) => number, thickness: number, paint: Paint, alpha = 1): void {
    const edge = this.perColumn(heightAt)
    for (let x = this.grain / 2; x < ASPECT; x += this.grain) {
      const y = edge(x)
      const steep = distance(1, (edge(x + this.grain) - edge(x - this.grain)) / this.grain / 2)
      const reach = (thickness / 2) * steep
      const box = { left: x, right: x, top: y - reach - this.grain, bottom: y + reach + this.grain }
      this.shape(box, paint, (_, py) => (Math.abs(py - y) - reach) / steep, alpha)
    }
  }

  /** Fills everything below a line from left to right, down to `bottom`. */
  ground(heightAt: (x: number) => number, paint: Paint, bottom = 1): void {
    const edge = this.perColumn(heightAt)
    let top = 1
    for (let x = 0; x < ASPECT; x += this.grain) top = Math.min(top, edge(x))
    const box = { left: 0, top: top - this.grain, right: ASPECT, bottom }
    this.blend(box, paint, (x, y) => coverage(edge(x) - y, this.grain))
  }
}

function layer(below: number, above: number, share: number): number {
  return below + (above - below) * share + 0.5
}

function coverage(distance: number, grain: number): number {
  return Math.min(1, Math.max(0, 0.5 - distance / grain))
}

/** Math.hypot takes ten times as long, and no value here is large enough to need it. */
export function distance(x: number, y: number): number {
  return Math.sqrt(x * x + y * y)
}

export function mix(from: Colour, to: Colour, share: number): Colour {
  const part = Math.min(1, Math.max(0, share))
  const red = layer(from >> 16, to >> 16, part)
  const green = layer((from >> 8) & 255, (to >> 8) & 255, part)
  const blue = layer(from & 255, to & 255, part)
  return (red << 16) | (green << 8) | blue
}

/** Interpolates between the first colour (0) and the last (1). */
export function ramp(colours: readonly Colour[], place: number): Colour {
  const at = Math.min(1, Math.max(0, place)) * (colours.length - 1)
  const from = colours[Math.floor(at)] ?? BLACK
  const to = colours[Math.ceil(at)] ?? from
  return mix(from, to, at - Math.floor(at))
}

export const BLACK: Colour = 0x000000
export const WHITE: Colour = 0xffffff
