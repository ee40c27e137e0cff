import { describe, expect, test } from 'bun:test'

import { drawPicture, SCENE_NAMES } from '../../../src/demo/art/pictures.ts'
import { decodePng } from '../../../src/lib/bytes/png.ts'

const HEIGHT = 90
const draw = (scene: (typeof SCENE_NAMES)[number], seed: string) =>
  decodePng(drawPicture({ scene, palette: 'dusk', seed }, HEIGHT))

describe.each(SCENE_NAMES.map((scene) => [scene]))('the scene %s', (scene) => {
  const one = draw(scene, 'one')

  test('is 16:9 and no plain surface', () => {
    const { width, height, pixels } = one
    expect([width, height]).toEqual([160, HEIGHT])
    expect(new Set(pixels).size).toBeGreaterThan(20)
  })

  test('is the same for the same seed, and another for another', () => {
    expect(draw(scene, 'one').pixels).toEqual(one.pixels)
    expect(draw(scene, 'two').pixels).not.toEqual(one.pixels)
  })
})
