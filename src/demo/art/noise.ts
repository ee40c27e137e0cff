import type { Random } from '../../lib/random.ts'

const SIDE = 256

/** Smooth random heights between 0 and 1 on an infinite plane. */
export interface Noise {
  at(x: number, y: number): number
  /** Sums coarse and fine noise, as for clouds and mountains. */
  layered(x: number, y: number, octaves: number): number
}

export function createNoise(random: Random): Noise {
  const heights = Float32Array.from({ length: SIDE * SIDE }, () => random.next())
  const height = (column: number, row: number) => heights[((row & 255) << 8) | (column & 255)] ?? 0

  function at(x: number, y: number): number {
    const left = Math.floor(x)
    const top = Math.floor(y)
    const across = ease(x - left)
    const above = slope(height(left, top), height(left + 1, top), across)
    const below = slope(height(left, top + 1), height(left + 1, top + 1), across)
    return slope(above, below, ease(y - top))
  }

  function layered(x: number, y: number, octaves: number): number {
    let sum = 0
    let total = 0
    let scale = 1
    for (let octave = 0; octave < octaves; octave += 1) {
      sum += at(x * scale + octave * 17, y * scale + octave * 31) / scale
      total += 1 / scale
      scale *= 2
    }
    return sum / total
  }

  return { at, layered }
}

function ease(share: number): number {
  return share * share * (3 - 2 * share)
}

function slope(from: number, to: number, share: number): number {
  return from + (to - from) * share
}
