import type { Random } from '../../../lib/random.ts'
import { ASPECT, BLACK, type Canvas, type Colour, distance, mix, ramp } from '../canvas.ts'
import type { Palette } from '../palettes.ts'
import { glow, polygon, rectangle } from '../shapes.ts'
import { stars } from './skies.ts'

/** Small symmetric creatures of large pixels. */
export function sprites(canvas: Canvas, palette: Palette, random: Random): void {
  canvas.fill((_, y) => mix(mix(palette.sky[0], BLACK, 0.35), palette.sky[1], y * 0.6))
  stars(canvas, random, 60, 1)
  const hero = { x: ASPECT / 2, y: 0.5 }
  glow(canvas, hero, 0.6, palette.sky[2], 0.55)
  for (let count = 0; count < 14; count += 1) {
    const column = (count % 7) - 3
    if (column === 0) continue
    const at = { x: ASPECT / 2 + column * 0.27, y: count < 7 ? 0.24 : 0.76 }
    creature(canvas, at, 0.011, random.pick([palette.far, palette.sky[2], palette.spark]), palette, random)
  }
  creature(canvas, hero, 0.042, palette.spark, palette, random)
  canvas.blend({ left: 0, top: 0, right: ASPECT, bottom: 1 }, BLACK, (_, y) =>
    Math.sin(y * 760) > 0.2 ? 0.1 : 0,
  )
}

/** Rooms and corridors seen from above. */
export function rooms(canvas: Canvas, palette: Palette, random: Random): void {
  const size = 1 / 18
  const [columns, rows] = [32, 18]
  const floor = Array.from({ length: columns * rows }, () => false)
  const dig = (column: number, row: number) => {
    if (column > 0 && row > 0 && column < columns - 1 && row < rows - 1) floor[row * columns + column] = true
  }
  let last = { x: random.below(columns), y: random.below(rows) }
  for (let room = 0; room < 11; room += 1) {
    const [width, height] = [3 + random.below(6), 2 + random.below(4)]
    const corner = { x: 1 + random.below(columns - width - 2), y: 1 + random.below(rows - height - 2) }
    for (let y = corner.y; y < corner.y + height; y += 1) {
      for (let x = corner.x; x < corner.x + width; x += 1) dig(x, y)
    }
    for (let x = Math.min(last.x, corner.x); x <= Math.max(last.x, corner.x); x += 1) dig(x, last.y)
    for (let y = Math.min(last.y, corner.y); y <= Math.max(last.y, corner.y); y += 1) dig(corner.x, y)
    last = corner
  }
  const isFloor = (column: number, row: number) => floor[row * columns + column] ?? false
  canvas.fill(mix(palette.near, BLACK, 0.4))
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const at = { x: column * size, y: row * size }
      if (isFloor(column, row)) {
        rectangle(
          canvas,
          at,
          size,
          size,
          mix(palette.far, palette.sky[2], 0.25 + ((column + row) % 2) * 0.06 + random.next() * 0.05),
        )
      } else if (isFloor(column, row + 1)) {
        rectangle(canvas, at, size, size, mix(palette.near, palette.far, 0.75))
        rectangle(canvas, at, size, size * 0.3, mix(palette.far, palette.light, 0.35))
        rectangle(
          canvas,
          { x: at.x + size * (row % 2 ? 0.3 : 0.7), y: at.y + size * 0.3 },
          size * 0.06,
          size * 0.7,
          palette.near,
        )
      } else {
        rectangle(
          canvas,
          { x: at.x + size * 0.06, y: at.y + size * 0.06 },
          size * 0.88,
          size * 0.88,
          palette.near,
        )
      }
    }
  }
  furnish(canvas, palette, random, floor, columns, size)
}

/** A board of hexagons with woods, water and towers. */
export function hexes(canvas: Canvas, palette: Palette, random: Random): void {
  const radius = random.between(0.075, 0.1)
  const [across, down] = [radius * Math.sqrt(3), radius * 1.5]
  canvas.fill((_, y) => mix(palette.sky[0], palette.near, y))
  const land = [palette.near, palette.far, palette.sky[1], palette.sky[2], palette.light]
  const wave = random.between(0, 6)
  for (let row = -1; row * down < 1 + radius; row += 1) {
    for (let column = -1; column * across < ASPECT + radius; column += 1) {
      const at = { x: column * across + (row % 2 === 0 ? 0 : across / 2), y: row * down }
      const height =
        0.5 + 0.32 * Math.sin(at.x * 3.1 + wave) * Math.cos(at.y * 3.7 - wave) + random.between(-0.16, 0.16)
      const colour = ramp(land, height)
      hexagon(canvas, { x: at.x, y: at.y + radius * 0.16 }, radius * 0.97, mix(colour, BLACK, 0.45))
      hexagon(canvas, at, radius * 0.95, colour)
      hexagon(canvas, { x: at.x, y: at.y - radius * 0.05 }, radius * 0.8, mix(colour, palette.light, 0.1))
      if (random.chance(0.16))
        tent(canvas, at, radius * 0.45, random.chance(0.5) ? palette.spark : palette.light)
    }
  }
}

interface Place {
  x: number
  y: number
}

function creature(
  canvas: Canvas,
  { x, y }: Place,
  size: number,
  body: Colour,
  palette: Palette,
  random: Random,
): void {
  for (let row = 0; row < 9; row += 1) {
    for (let column = 0; column < 5; column += 1) {
      const middle = 1 - distance((column - 0.5) / 5, (row - 4) / 6)
      if (!random.chance(middle * 0.95)) continue
      const colour = mix(
        body,
        random.chance(0.2) ? palette.light : palette.near,
        random.chance(0.4) ? 0.35 : 0,
      )
      for (const side of [1, -1]) {
        rectangle(
          canvas,
          { x: x + side * column * size - size / 2, y: y + (row - 4.5) * size },
          size * 1.01,
          size * 1.01,
          colour,
        )
      }
    }
  }
  for (const side of [1, -1]) {
    rectangle(
      canvas,
      { x: x + side * 1.5 * size - size / 2, y: y - size * 1.5 },
      size,
      size * 1.4,
      palette.light,
    )
    rectangle(
      canvas,
      { x: x + side * 1.5 * size - size / 4, y: y - size },
      size / 2,
      size * 0.8,
      palette.near,
    )
  }
}

function furnish(
  canvas: Canvas,
  palette: Palette,
  random: Random,
  floor: readonly boolean[],
  columns: number,
  size: number,
): void {
  const free = floor.flatMap((isFree, index) => (isFree ? [index] : []))
  for (const [index, tile] of random.draw(free, 15).entries()) {
    const at = { x: ((tile % columns) + 0.5) * size, y: (Math.floor(tile / columns) + 0.5) * size }
    if (index < 6) {
      glow(canvas, at, size * 3.6, palette.spark, 0.5)
      rectangle(
        canvas,
        { x: at.x - size * 0.1, y: at.y - size * 0.25 },
        size * 0.2,
        size * 0.5,
        palette.light,
      )
    } else if (index < 12) {
      rectangle(canvas, { x: at.x - size * 0.3, y: at.y - size * 0.2 }, size * 0.6, size * 0.45, palette.near)
      rectangle(
        canvas,
        { x: at.x - size * 0.3, y: at.y - size * 0.2 },
        size * 0.6,
        size * 0.14,
        palette.spark,
      )
    } else {
      creature(canvas, at, size * 0.14, palette.light, palette, random)
    }
  }
}

function hexagon(canvas: Canvas, { x, y }: Place, radius: number, colour: Colour): void {
  const corners = Array.from({ length: 6 }, (_, side) => {
    const angle = (Math.PI / 3) * side - Math.PI / 2
    return { x: x + radius * Math.cos(angle), y: y + radius * Math.sin(angle) }
  })
  polygon(canvas, corners, colour)
}

function tent(canvas: Canvas, { x, y }: Place, size: number, colour: Colour): void {
  const roof = (side: number) => [
    { x, y: y - size },
    {
      x: x + Math.max(0, side) * size,
      y: y + size * 0.55 * Math.max(0, side) + (side < 0 ? size * 0.75 : 0),
    },
    { x: x + Math.min(0, side) * size, y: y + (side < 0 ? size * 0.55 : size * 0.75) },
  ]
  polygon(canvas, roof(-1), colour)
  polygon(canvas, roof(1), mix(colour, BLACK, 0.3))
}
