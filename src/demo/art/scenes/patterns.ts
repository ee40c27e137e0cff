import type { Random } from '../../../lib/random.ts'
import { ASPECT, type Canvas, type Colour, distance, mix, ramp } from '../canvas.ts'
import { createNoise } from '../noise.ts'
import type { Palette } from '../palettes.ts'
import { disc, polygon, rectangle, ring } from '../shapes.ts'

const coloursOf = ({ sky, light, far, near, spark }: Palette): Colour[] => [...sky, light, far, near, spark]

/** Large plain shapes on a grid, like the cover of an old design book. */
export function shapes(canvas: Canvas, palette: Palette, random: Random): void {
  const size = 1 / random.pick([3, 4])
  canvas.fill(palette.light)
  for (let y = 0; y < 1; y += size) {
    for (let x = -(size - (ASPECT % size)) / 2; x < ASPECT; x += size) {
      const [back, front, third] = random.draw(coloursOf(palette), 3)
      if (!back || !front || !third) continue
      rectangle(canvas, { x, y }, size + 0.002, size + 0.002, back)
      const corner = { x: x + random.below(2) * size, y: y + random.below(2) * size }
      const inTile = (px: number, py: number) =>
        Math.max(Math.abs(px - x - size / 2), Math.abs(py - y - size / 2)) - size / 2
      const box = { left: x, top: y, right: x + size, bottom: y + size }
      const quarter = (radius: number) => (px: number, py: number) =>
        Math.max(inTile(px, py), distance(px - corner.x, py - corner.y) - radius)
      switch (random.below(5)) {
        case 0:
          canvas.shape(box, front, quarter(size))
          canvas.shape(box, third, quarter(size / 2))
          break
        case 1:
          disc(canvas, { x: x + size / 2, y: y + size / 2 }, size * 0.42, front)
          disc(canvas, { x: x + size / 2, y: y + size / 2 }, size * 0.18, third)
          break
        case 2:
          polygon(
            canvas,
            [
              { x, y },
              { x: x + size, y: y + size },
              { x, y: y + size },
            ],
            front,
          )
          break
        case 3:
          for (let stripe = 0; stripe < 4; stripe += 1) {
            rectangle(canvas, { x, y: y + (stripe * size) / 4 }, size, size / 8, front)
          }
          break
        default:
          ring(canvas, { x: x + size / 2, y: y + size / 2 }, size * 0.3, size * 0.16, front)
      }
    }
  }
}

/** Stained glass. */
export function glass(canvas: Canvas, palette: Palette, random: Random): void {
  const step = random.between(0.13, 0.2)
  const [columns, rows] = [Math.ceil(ASPECT / step) + 2, Math.ceil(1 / step) + 2]
  const noise = createNoise(random)
  const seeds = Array.from({ length: columns * rows }, (_, index) => {
    const x = ((index % columns) - 1 + random.between(0.05, 0.95)) * step
    const y = (Math.floor(index / columns) - 1 + random.between(0.05, 0.95)) * step
    const shade = noise.layered(x * 1.4, y * 1.4, 2) * 1.7 - 0.35
    const colour = mix(
      ramp([palette.near, palette.far, ...palette.sky, palette.light], shade),
      palette.spark,
      random.chance(0.12) ? 0.85 : 0,
    )
    return { x, y, colour }
  })
  canvas.fill((x, y) => {
    const column = Math.floor(x / step) + 1
    const row = Math.floor(y / step) + 1
    let first = 9
    let second = 9
    let colour = palette.far
    for (let near = 0; near < 9; near += 1) {
      const seed = seeds[(row + Math.floor(near / 3) - 1) * columns + column + (near % 3) - 1]
      if (!seed) continue
      const far = distance(x - seed.x, y - seed.y)
      if (far < first) {
        second = first
        first = far
        colour = seed.colour
      } else if (far < second) {
        second = far
      }
    }
    const lead = Math.min(1, Math.max(0, (second - first - 0.006) / 0.006))
    const sheen = 1 - first / step
    return mix(palette.near, mix(colour, palette.light, sheen * 0.28), lead)
  })
}

/** Contour lines, as on a hiking map. */
export function contours(canvas: Canvas, palette: Palette, random: Random): void {
  const noise = createNoise(random)
  const levels = random.pick([9, 12, 15])
  const scale = random.between(1.6, 2.4)
  const paper = [palette.near, palette.far, palette.sky[1], palette.sky[2], palette.light]
  canvas.fill((x, y) => {
    const height = noise.layered(x * scale, y * scale, 3) * 1.5 - 0.25
    const level = height * levels
    const edge = Math.abs(level - Math.round(level))
    const isMain = Math.round(level) % 4 === 0
    const flat = ramp(paper, Math.floor(level) / levels)
    const inked = Math.min(1, Math.max(0, 1 - edge / (isMain ? 0.09 : 0.05)))
    return mix(flat, isMain ? palette.near : palette.far, inked * (isMain ? 0.85 : 0.5))
  })
  for (let pin = 0; pin < 3; pin += 1) {
    const at = { x: random.between(0.2, ASPECT - 0.2), y: random.between(0.2, 0.8) }
    disc(canvas, at, 0.034, palette.light)
    disc(canvas, at, 0.024, palette.spark)
    disc(canvas, at, 0.009, palette.light)
  }
}

/** Quarter circles that join into endless ribbons. */
export function ribbons(canvas: Canvas, palette: Palette, random: Random): void {
  const size = 1 / random.pick([4, 5, 6])
  const noise = createNoise(random)
  const silk = [palette.spark, palette.sky[2], palette.light, palette.far]
  const band = (x: number, y: number) => ramp(silk, noise.layered(x * 0.9, y * 0.9, 2) * 1.6 - 0.3)
  canvas.fill((x, y) => mix(palette.near, palette.sky[0], y * 0.7 + noise.at(x, y) * 0.2))
  for (let y = 0; y < 1; y += size) {
    for (let x = 0; x < ASPECT; x += size) {
      const side = random.chance(0.5) ? 0 : size
      const fromBend = (px: number, py: number) => {
        if (px < x || px >= x + size || py < y || py >= y + size) return 1
        const above = Math.abs(distance(px - x - side, py - y) - size / 2)
        const below = Math.abs(distance(px - x - size + side, py - y - size) - size / 2)
        return Math.min(above, below)
      }
      const box = { left: x, top: y, right: x + size, bottom: y + size }
      canvas.shape(box, palette.near, (px, py) => fromBend(px, py) - size * 0.23)
      canvas.shape(box, band, (px, py) => fromBend(px, py) - size * 0.17)
      canvas.shape(box, palette.near, (px, py) => fromBend(px, py) - size * 0.05, 0.35)
    }
  }
}
