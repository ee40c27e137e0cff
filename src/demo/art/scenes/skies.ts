import type { Random } from '../../../lib/random.ts'
import { ASPECT, BLACK, type Canvas, type Colour, distance, mix, ramp, WHITE } from '../canvas.ts'
import { createNoise } from '../noise.ts'
import type { Palette } from '../palettes.ts'
import { disc, glow, line, rectangle } from '../shapes.ts'

/** Stars, a nebula and a planet or two. */
export function space(canvas: Canvas, palette: Palette, random: Random): void {
  const noise = createNoise(random)
  const dark = mix(palette.sky[0], BLACK, 0.55)
  canvas.fill((x, y) => {
    const cloud = noise.layered(x * 2 + noise.at(x * 3, y * 3), y * 2.6, 5)
    const dust = Math.max(0, cloud - 0.42) * 2.4
    return mix(mix(dark, palette.sky[1], dust), palette.sky[2], Math.max(0, dust - 0.45) * 0.9)
  })
  stars(canvas, random, 220, 1)
  const big = {
    x: random.between(0.4, ASPECT - 0.4),
    y: random.between(0.45, 0.75),
    radius: random.between(0.2, 0.34),
  }
  planet(canvas, palette, random, big, random.chance(0.6))
  const small = {
    x: ASPECT - big.x + random.between(-0.2, 0.2),
    y: random.between(0.16, 0.3),
    radius: random.between(0.03, 0.08),
  }
  planet(canvas, palette, random, small, false)
}

/** Houses with lit windows, row behind row. */
export function city(canvas: Canvas, palette: Palette, random: Random): void {
  canvas.fill((_, y) => ramp(palette.sky, y / 0.8))
  stars(canvas, random, 70, 0.45)
  const moon = { x: random.between(0.3, ASPECT - 0.3), y: random.between(0.16, 0.34) }
  glow(canvas, moon, 0.42, palette.light, 0.6)
  disc(canvas, moon, 0.085, palette.light)
  for (let layer = 0; layer < 4; layer += 1) {
    const depth = layer / 3
    const wall = mix(mix(palette.sky[2], palette.far, 0.55), palette.near, depth)
    let x = random.between(-0.08, 0)
    while (x < ASPECT) {
      const width = random.between(0.06, 0.14) * (0.8 + depth * 0.5)
      const top = 0.42 + depth * 0.26 + random.between(-0.16, 0.1)
      tower(canvas, { x, top, width }, wall, depth, palette, random)
      x += width * random.between(0.85, 1.15)
    }
    glow(canvas, { x: ASPECT / 2, y: 1.1 }, 1.1, palette.sky[2], 0.3 * (1 - depth))
  }
}

/** A grid that runs to the horizon under a striped sun. */
export function gridway(canvas: Canvas, palette: Palette, random: Random): void {
  const horizon = random.between(0.56, 0.64)
  canvas.fill((_, y) => ramp(palette.sky, (y / horizon) ** 1.6))
  stars(canvas, random, 120, 0.8)
  const sun = { x: ASPECT / 2 + random.between(-0.25, 0.25), y: horizon - 0.13 }
  const radius = random.between(0.2, 0.27)
  glow(canvas, sun, radius * 2.4, palette.spark, 0.4)
  const striped = (x: number, y: number) => {
    const gap = (y - sun.y) / radius
    const stripe = gap > -0.2 && Math.sin((gap + 0.2) * 26) > 0.75 - gap * 1.1 ? 1 : -1
    return Math.max(distance(x - sun.x, y - sun.y) - radius, stripe * 0.01)
  }
  const box = { left: sun.x - radius, right: sun.x + radius, top: sun.y - radius, bottom: horizon }
  canvas.shape(box, (_, y) => mix(palette.light, palette.spark, (y - sun.y) / radius / 1.6 + 0.55), striped)
  mountains(canvas, palette, random, horizon)
  canvas.ground(
    () => horizon,
    (_, y) => mix(palette.sky[1], palette.near, (y - horizon) * 4),
  )
  for (let column = -26; column <= 26; column += 1) {
    const from = { x: ASPECT / 2 + column * 0.035, y: horizon }
    line(canvas, from, { x: ASPECT / 2 + column * 0.34, y: 1.02 }, 0.0035, palette.spark, 0.75)
  }
  for (let row = 0; row < 12; row += 1) {
    const y = horizon + (1 - horizon) * (row / 11) ** 2.3
    line(canvas, { x: 0, y }, { x: ASPECT, y }, 0.002 + row * 0.0004, palette.spark, 0.8)
  }
  glow(canvas, { x: sun.x, y: horizon }, 0.7, palette.sky[2], 0.35)
}

function mountains(canvas: Canvas, palette: Palette, random: Random, horizon: number): void {
  const noise = createNoise(random)
  for (const depth of [0, 1]) {
    const colour = mix(palette.far, palette.near, depth)
    canvas.ground((x) => {
      const valley = Math.abs(x - ASPECT / 2) / ASPECT
      const step = Math.abs(noise.layered(x * 4 + depth * 20, 2, 3) - 0.5) * (0.5 + valley)
      return horizon - step * (0.62 - depth * 0.25) * (valley * 1.7)
    }, colour)
  }
}

export function stars(canvas: Canvas, random: Random, count: number, reach: number): void {
  for (let star = 0; star < count; star += 1) {
    const at = { x: random.between(0, ASPECT), y: random.between(0, reach) }
    const size = random.next() ** 4
    disc(canvas, at, 0.0014 + size * 0.003, WHITE, 0.3 + random.next() * 0.6)
    if (size > 0.75) glow(canvas, at, 0.03, WHITE, 0.5)
  }
}

interface Ball {
  x: number
  y: number
  radius: number
}

function planet(canvas: Canvas, palette: Palette, random: Random, ball: Ball, hasRing: boolean): void {
  const { x, y, radius } = ball
  const noise = createNoise(random)
  const tilt = random.between(-0.5, 0.5)
  const light = { x: -0.6, y: -0.55 }
  glow(canvas, ball, radius * 1.35, mix(palette.sky[2], palette.light, 0.4), 0.55)
  const surface = (px: number, py: number): Colour => {
    const [dx, dy] = [(px - x) / radius, (py - y) / radius]
    const bulge = Math.sqrt(Math.max(0, 1 - dx * dx - dy * dy))
    const band = noise.layered(dx * 1.2 + 5, (dy + dx * tilt) * 6, 4)
    const lit = Math.max(0, dx * light.x + dy * light.y + bulge * 0.75)
    return mix(
      BLACK,
      mix(mix(palette.far, palette.spark, band), palette.light, band * lit * 0.6),
      0.08 + lit * 0.95,
    )
  }
  const halo = (front: boolean) =>
    canvas.blend(
      { left: x - radius * 2.2, right: x + radius * 2.2, top: y - radius * 1.4, bottom: y + radius * 1.4 },
      palette.light,
      (px, py) => {
        const [dx, dy] = [px - x, (py - y - (px - x) * tilt * 0.6) * 4.2]
        const far = distance(dx, dy) / radius
        if (dy > 0 !== front || far < 1.35 || far > 2.05) return 0
        return 0.6 * noise.at(far * 22, 4) * Math.min(1, (far - 1.35) * 14, (2.05 - far) * 14)
      },
    )
  if (hasRing) halo(false)
  disc(canvas, ball, radius, surface)
  if (hasRing) halo(true)
}

interface Tower {
  x: number
  top: number
  width: number
}

function tower(
  canvas: Canvas,
  { x, top, width }: Tower,
  wall: Colour,
  depth: number,
  palette: Palette,
  random: Random,
): void {
  rectangle(canvas, { x, y: top }, width, 1 - top, wall)
  if (random.chance(0.3)) rectangle(canvas, { x: x + width * 0.3, y: top - 0.03 }, width * 0.4, 0.03, wall)
  if (random.chance(0.25))
    line(canvas, { x: x + width / 2, y: top }, { x: x + width / 2, y: top - 0.08 }, 0.004, wall)
  const pane = 0.009 + depth * 0.004
  for (let row = top + pane * 1.5; row < 0.98; row += pane * 2.3) {
    for (let column = x + pane; column < x + width - pane * 1.4; column += pane * 2) {
      if (!random.chance(0.2 + depth * 0.14)) continue
      const colour = random.chance(0.16) ? palette.spark : palette.light
      rectangle(canvas, { x: column, y: row }, pane, pane * 1.25, colour, 0.25 + depth * 0.6)
    }
  }
}
