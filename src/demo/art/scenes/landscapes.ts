import type { Random } from '../../../lib/random.ts'
import { ASPECT, type Canvas, distance, mix, ramp, WHITE } from '../canvas.ts'
import { createNoise, type Noise } from '../noise.ts'
import type { Palette } from '../palettes.ts'
import { disc, glow, line, type Point, polygon, rectangle } from '../shapes.ts'

/** Ridges one behind the other, paler with distance, under a low sun. */
export function hills(canvas: Canvas, palette: Palette, random: Random): void {
  const noise = createNoise(random)
  const horizon = random.between(0.5, 0.62)
  sky(canvas, palette, horizon, noise)
  sun(canvas, palette, random, horizon)
  birds(canvas, palette, random, horizon)
  const layers = 5
  for (let layer = 0; layer < layers; layer += 1) {
    const depth = (layer + 1) / layers
    const base = horizon + depth * depth * (0.94 - horizon)
    const height = (y: number) =>
      base - (noise.layered(y * (1.3 + depth), layer * 9, 5) - 0.4) * (0.34 - depth * 0.12)
    const colour = mix(mix(palette.sky[2], palette.far, 0.35 + depth * 0.65), palette.near, depth ** 2.2)
    canvas.ground(height, (_, y) => mix(colour, palette.sky[2], Math.max(0, y - base + 0.02) * (1.1 - depth)))
    if (layer === layers - 2) house(canvas, palette, random, height)
  }
  firs(canvas, palette, random)
}

/** Open water with the reflection of the light, and a small boat. */
export function sea(canvas: Canvas, palette: Palette, random: Random): void {
  const noise = createNoise(random)
  const horizon = random.between(0.48, 0.58)
  sky(canvas, palette, horizon, noise)
  const place = sun(canvas, palette, random, horizon, 0.02)
  canvas.ground(
    (x) => horizon - Math.max(0, noise.layered(x * 2.2, 3, 4) - 0.5) * 0.16,
    mix(palette.far, palette.sky[2], 0.45),
  )
  canvas.ground(
    () => horizon,
    (x, y) => {
      const depth = Math.max(0, (y - horizon) / (1 - horizon))
      const wave = noise.layered(x * (7 - depth * 4), (y - horizon) * (90 - depth * 62), 3)
      const water = mix(mix(palette.sky[2], palette.far, 0.55), palette.near, depth ** 0.7)
      const reach = 0.05 + depth * 0.24
      const way = Math.max(0, 1 - Math.abs(x - place.x) / reach) * Math.max(0, wave * 2.6 - 1.05)
      return mix(mix(water, palette.light, Math.max(0, wave - 0.56) * 0.9), palette.light, way)
    },
  )
  const boat = {
    x: place.x + random.between(0.2, 0.45) * (place.x > ASPECT / 2 ? -1 : 1),
    y: horizon + random.between(0.1, 0.2),
  }
  sail(canvas, palette, boat, random.between(0.09, 0.14))
}

/** Long sand dunes with a sharp edge between light and shadow. */
export function dunes(canvas: Canvas, palette: Palette, random: Random): void {
  const noise = createNoise(random)
  const horizon = random.between(0.36, 0.46)
  sky(canvas, palette, horizon, noise)
  sun(canvas, palette, random, horizon - 0.06)
  for (let layer = 0; layer < 4; layer += 1) {
    const depth = (layer + 1) / 4
    const base = horizon + depth * 0.5
    const crest = canvas.perColumn(
      (x) => base - Math.abs(noise.at(x * (1.6 - depth * 0.8) + layer * 5, layer * 7) - 0.5) * 0.42,
    )
    const lit = mix(mix(palette.sky[2], palette.far, 0.3 + depth * 0.5), palette.light, 0.3)
    const shade = mix(palette.far, palette.near, 0.2 + depth * 0.6)
    canvas.ground(crest, (x, y) => {
      const below = y - crest(x)
      const foot = x - below * 1.6 - noise.at(x * 4, y * 4) * below * 0.8
      const ripple = Math.sin(below * 160 + noise.at(x * 9, y * 9) * 7) * 0.04 * depth
      return mix(lit, shade, (crest(foot + 0.012) > crest(foot) ? 0.12 : 0.8) + below * 0.9 + ripple)
    })
  }
}

/** Trunks in the mist, and small lights between them. */
export function forest(canvas: Canvas, palette: Palette, random: Random): void {
  const noise = createNoise(random)
  const lamp = { x: random.between(0.5, ASPECT - 0.5), y: random.between(0.3, 0.5) }
  canvas.fill((x, y) => {
    const far = distance(x - lamp.x, y - lamp.y)
    return mix(ramp(palette.sky, 1 - far * 0.9), palette.light, Math.max(0, 0.5 - far) * 0.9)
  })
  for (let layer = 0; layer < 4; layer += 1) {
    const depth = layer / 3
    const colour = mix(mix(palette.sky[1], palette.sky[2], 0.4), palette.near, 0.15 + depth * 0.85)
    for (
      let x = random.between(-0.1, 0.05);
      x < ASPECT + 0.1;
      x += random.between(0.07, 0.2) * (1 + depth * 0.8)
    ) {
      trunk(canvas, x, (0.012 + depth * 0.03) * random.between(0.7, 1.4), colour, random)
    }
    canvas.blend({ left: 0, top: 0.35, right: ASPECT, bottom: 1 }, palette.sky[2], (x, y) => {
      const mist = noise.layered(x * 2 + layer * 3, y * 5, 3)
      return (1 - depth) * 0.5 * Math.max(0, mist - 0.25) * (y - 0.3)
    })
    canvas.ground((x) => 0.86 + depth * 0.08 - noise.layered(x * 3, layer * 5, 4) * 0.12, colour)
  }
  for (let count = 0; count < 26; count += 1) {
    const fly = { x: random.between(0, ASPECT), y: random.between(0.35, 0.95) }
    glow(canvas, fly, random.between(0.012, 0.035), palette.spark, 0.9)
    disc(canvas, fly, 0.0025, WHITE, 0.9)
  }
}

function sky(canvas: Canvas, palette: Palette, horizon: number, noise: Noise): void {
  canvas.fill((_, y) => ramp(palette.sky, y / horizon))
  canvas.blend({ left: 0, top: 0, right: ASPECT, bottom: horizon }, palette.light, (x, y) => {
    const cloud = noise.layered(x * 1.6, y * 7, 4)
    return Math.max(0, cloud - 0.55) * 1.6 * (y / horizon)
  })
}

function sun(canvas: Canvas, palette: Palette, random: Random, horizon: number, drop = 0.1): Point {
  const radius = random.between(0.06, 0.11)
  const place = {
    x: random.between(0.35, ASPECT - 0.35),
    y: horizon - radius * random.between(0.4, 1.6) - drop,
  }
  glow(canvas, place, radius * 5.5, palette.light, 0.75)
  disc(canvas, place, radius, palette.light)
  return place
}

function birds(canvas: Canvas, palette: Palette, random: Random, horizon: number): void {
  const flock = { x: random.between(0.3, 1.3), y: random.between(0.12, horizon - 0.22) }
  for (let bird = 0; bird < random.below(7); bird += 1) {
    const at = { x: flock.x + random.between(-0.16, 0.16), y: flock.y + random.between(-0.06, 0.06) }
    const span = random.between(0.01, 0.018)
    for (const side of [-1, 1]) {
      line(canvas, at, { x: at.x + side * span, y: at.y - span * 0.6 }, 0.003, palette.near, 0.75)
    }
  }
}

function house(canvas: Canvas, palette: Palette, random: Random, ground: (x: number) => number): void {
  const x = random.between(0.25, ASPECT - 0.35)
  const [width, height] = [0.05, 0.04]
  const y = ground(x + width / 2) - height * 0.7
  rectangle(canvas, { x, y }, width, height * 1.5, palette.near)
  const roof = [
    { x: x - 0.008, y },
    { x: x + width / 2, y: y - 0.035 },
    { x: x + width + 0.008, y },
  ]
  polygon(canvas, roof, palette.near)
  glow(canvas, { x: x + width / 2, y: y + 0.02 }, 0.07, palette.spark, 0.5)
  rectangle(canvas, { x: x + width / 2 - 0.007, y: y + 0.011 }, 0.014, 0.014, palette.light)
}

function firs(canvas: Canvas, palette: Palette, random: Random): void {
  for (let count = 0; count < 14; count += 1) {
    const edge = random.chance(0.5)
      ? random.between(-0.05, 0.45)
      : random.between(ASPECT - 0.45, ASPECT + 0.05)
    const size = random.between(0.14, 0.3)
    for (let tier = 0; tier < 4; tier += 1) {
      const top = 1.03 - size * (1 - tier * 0.2)
      const half = size * (0.09 + tier * 0.055)
      const corners = [
        { x: edge, y: top },
        { x: edge + half, y: top + size * 0.3 },
        { x: edge - half, y: top + size * 0.3 },
      ]
      polygon(canvas, corners, mix(palette.near, palette.far, 0.06))
    }
  }
}

function sail(canvas: Canvas, palette: Palette, { x, y }: Point, size: number): void {
  const hull = [
    { x: x - size * 0.55, y },
    { x: x + size * 0.6, y },
    { x: x + size * 0.35, y: y + size * 0.2 },
    { x: x - size * 0.35, y: y + size * 0.2 },
  ]
  const canvasSail = [
    { x: x + size * 0.04, y: y - size * 1.05 },
    { x: x + size * 0.5, y: y - size * 0.1 },
    { x: x + size * 0.04, y: y - size * 0.1 },
  ]
  const jib = [
    { x: x - size * 0.03, y: y - size * 0.9 },
    { x: x - size * 0.03, y: y - size * 0.1 },
    { x: x - size * 0.42, y: y - size * 0.1 },
  ]
  polygon(canvas, hull, palette.near)
  polygon(canvas, canvasSail, mix(palette.light, palette.spark, 0.12))
  polygon(canvas, jib, palette.spark)
}

function trunk(canvas: Canvas, x: number, width: number, colour: Palette['near'], random: Random): void {
  const lean = random.between(-0.03, 0.03)
  line(canvas, { x, y: 1.05 }, { x: x + lean, y: -0.05 }, width, colour)
  for (let branch = 0; branch < 3; branch += 1) {
    const y = random.between(0.05, 0.5)
    const side = random.chance(0.5) ? 1 : -1
    const from = { x: x + lean * (1 - y), y }
    line(canvas, from, { x: from.x + side * width * 4, y: y - width * 3 }, width * 0.25, colour)
  }
}
