import type { Random } from '../../../lib/random.ts'
import { ASPECT, BLACK, type Canvas, type Colour, mix, ramp } from '../canvas.ts'
import { createNoise } from '../noise.ts'
import type { Palette } from '../palettes.ts'
import { disc, glow, line, rectangle, ring, rounded } from '../shapes.ts'

/** Sound drawn as many fine lines, one above the other. */
export function waves(canvas: Canvas, palette: Palette, random: Random): void {
  const noise = createNoise(random)
  canvas.fill((_, y) => mix(palette.near, palette.sky[0], y))
  const middle = random.between(0.4, ASPECT - 0.4)
  glow(canvas, { x: middle, y: 0.55 }, 0.8, palette.sky[1], 0.7)
  for (let row = 0; row < 26; row += 1) {
    const base = 0.2 + row * 0.033
    const loud = (x: number) => Math.exp(-(((x - middle) / 0.42) ** 2)) * 0.2
    const height = (x: number) =>
      base - loud(x) * noise.layered(x * 9, row * 1.7, 3) - noise.at(x * 6, row * 5) * 0.008
    canvas.ground(height, (_, y) => mix(palette.near, palette.sky[0], y), base + 0.01)
    const colour = ramp([palette.spark, palette.light, palette.sky[2]], row / 25)
    canvas.stroke(height, 0.0045, colour)
  }
}

/** Boxes with wires between them. */
export function nodes(canvas: Canvas, palette: Palette, random: Random): void {
  const dark = mix(palette.near, palette.sky[0], 0.35)
  canvas.fill(dark)
  for (let y = 0.02; y < 1; y += 0.055) {
    for (let x = 0.02; x < ASPECT; x += 0.055) disc(canvas, { x, y }, 0.0022, palette.far, 0.6)
  }
  const boxes = Array.from({ length: 10 }, (_, index) => ({
    x: 0.06 + Math.floor(index / 2) * 0.345 + random.between(-0.02, 0.04),
    y: (index % 2 === 0 ? 0.1 : 0.55) + random.between(-0.05, 0.08),
    width: random.between(0.19, 0.25),
    height: random.between(0.2, 0.31),
    colour: random.pick([palette.spark, palette.sky[1], palette.sky[2], palette.far]),
  }))
  for (const [index, box] of boxes.entries()) {
    for (const next of boxes.slice(index + 1, index + 4).filter(() => random.chance(0.6))) {
      const from = { x: box.x + box.width, y: box.y + 0.07 + random.below(3) * 0.04 }
      wire(
        canvas,
        from,
        { x: next.x, y: next.y + 0.07 + random.below(3) * 0.04 },
        mix(box.colour, palette.light, 0.25),
      )
    }
  }
  for (const { x, y, width, height, colour } of boxes) {
    rounded(canvas, { x: x - 0.006, y: y + 0.006 }, width + 0.012, height + 0.012, 0.026, BLACK, 0.35)
    rounded(canvas, { x, y }, width, height, 0.02, mix(dark, palette.light, 0.12))
    rounded(canvas, { x, y }, width, 0.042, 0.02, colour)
    rectangle(canvas, { x, y: y + 0.025 }, width, 0.018, colour)
    for (let row = 0; row * 0.04 + 0.09 < height; row += 1) {
      const at = y + 0.07 + row * 0.04
      rounded(
        canvas,
        { x: x + 0.022, y: at - 0.006 },
        width * random.between(0.3, 0.7),
        0.012,
        0.006,
        palette.light,
        0.4,
      )
      disc(canvas, { x, y: at }, 0.009, palette.light)
      disc(canvas, { x: x + width, y: at }, 0.009, colour)
    }
  }
}

/** Knobs, sliders and lamps, like the front of a machine. */
export function panel(canvas: Canvas, palette: Palette, random: Random): void {
  const noise = createNoise(random)
  canvas.fill((x, y) =>
    mix(mix(palette.far, palette.near, 0.35), palette.near, y * 0.6 + noise.at(x * 3, y * 190) * 0.12),
  )
  const size = 0.25
  for (let row = 0; row < 4; row += 1) {
    for (let column = 0; column < 7; column += 1) {
      const at = { x: column * size + size * 0.56, y: row * size + size / 2 }
      switch (random.below(5)) {
        case 0:
        case 1:
          knob(canvas, at, size * 0.33, random, palette)
          break
        case 2:
          slider(canvas, at, size, random, palette)
          break
        case 3:
          screen(canvas, at, size, random, palette)
          break
        default:
          lamps(canvas, at, size, random, palette)
      }
    }
  }
}

interface Place {
  x: number
  y: number
}

function wire(canvas: Canvas, from: Place, to: Place, colour: Colour): void {
  const reach = Math.max(0.08, Math.abs(to.x - from.x) / 2)
  let last = from
  for (let step = 1; step <= 22; step += 1) {
    const t = step / 22
    const [a, b, c, d] = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3]
    const next = {
      x: a * from.x + b * (from.x + reach) + c * (to.x - reach) + d * to.x,
      y: a * from.y + b * from.y + c * to.y + d * to.y,
    }
    line(canvas, last, next, 0.007, colour)
    last = next
  }
}

function knob(canvas: Canvas, at: Place, radius: number, random: Random, palette: Palette): void {
  const turn = random.between(-2.2, 2.2)
  for (let tick = 0; tick < 11; tick += 1) {
    const angle = -Math.PI / 2 - 2.3 + tick * 0.46
    const mark = { x: at.x + Math.cos(angle) * radius * 1.22, y: at.y + Math.sin(angle) * radius * 1.22 }
    disc(canvas, mark, 0.005, angle < turn - Math.PI / 2 ? palette.spark : palette.sky[0])
  }
  disc(canvas, { x: at.x + 0.006, y: at.y + 0.012 }, radius, BLACK, 0.4)
  disc(canvas, at, radius, (_, y) => mix(palette.light, palette.far, (y - at.y) / radius / 2 + 0.7))
  disc(canvas, at, radius * 0.8, (_, y) => mix(palette.sky[1], palette.near, (y - at.y) / radius / 2 + 0.5))
  const angle = turn - Math.PI / 2
  const tip = { x: at.x + Math.cos(angle) * radius * 0.68, y: at.y + Math.sin(angle) * radius * 0.68 }
  line(canvas, { x: (at.x + tip.x) / 2, y: (at.y + tip.y) / 2 }, tip, 0.011, palette.light)
}

function slider(canvas: Canvas, at: Place, size: number, random: Random, palette: Palette): void {
  for (const offset of [-0.26, 0, 0.26]) {
    const x = at.x + offset * size
    const level = random.between(-0.3, 0.3) * size
    rounded(canvas, { x: x - 0.005, y: at.y - size * 0.36 }, 0.01, size * 0.72, 0.005, palette.near)
    rounded(canvas, { x: x - 0.005, y: at.y + level }, 0.01, size * 0.36 - level, 0.005, palette.spark)
    rounded(canvas, { x: x - 0.022, y: at.y + level - 0.012 }, 0.044, 0.024, 0.006, palette.light)
  }
}

function screen(canvas: Canvas, at: Place, size: number, random: Random, palette: Palette): void {
  const [width, height] = [size * 0.84, size * 0.6]
  const corner = { x: at.x - width / 2, y: at.y - height / 2 }
  rounded(canvas, corner, width, height, 0.014, mix(palette.near, BLACK, 0.5))
  const phase = random.between(0, 6)
  const speed = random.between(20, 60)
  canvas.blend(
    { left: corner.x + 0.012, right: corner.x + width - 0.012, top: corner.y, bottom: corner.y + height },
    palette.spark,
    (x, y) => {
      const wave = at.y + Math.sin(x * speed + phase) * Math.cos(x * 9) * height * 0.32
      return 1.4 - Math.abs(y - wave) / (canvas.grain * 1.8)
    },
  )
}

function lamps(canvas: Canvas, at: Place, size: number, random: Random, palette: Palette): void {
  for (let lamp = 0; lamp < 9; lamp += 1) {
    const place = {
      x: at.x + ((lamp % 3) - 1) * size * 0.27,
      y: at.y + (Math.floor(lamp / 3) - 1) * size * 0.27,
    }
    const isOn = random.chance(0.45)
    const colour = random.pick([palette.spark, palette.sky[2], palette.light])
    if (isOn) glow(canvas, place, size * 0.22, colour, 0.55)
    disc(canvas, place, size * 0.075, isOn ? colour : mix(palette.near, colour, 0.2))
    ring(canvas, place, size * 0.085, 0.005, palette.near)
  }
}
