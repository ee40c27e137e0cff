import { encodePng } from '../../lib/bytes/png.ts'
import { createRandom, type Random } from '../../lib/random.ts'
import { Canvas } from './canvas.ts'
import { openPalette, type Palette, type PaletteName } from './palettes.ts'
import { nodes, panel, waves } from './scenes/diagrams.ts'
import { dunes, forest, hills, sea } from './scenes/landscapes.ts'
import { contours, glass, ribbons, shapes } from './scenes/patterns.ts'
import { hexes, rooms, sprites } from './scenes/pixels.ts'
import { city, gridway, space } from './scenes/skies.ts'

type Scene = (canvas: Canvas, palette: Palette, random: Random) => void

const SCENES = {
  hills,
  sea,
  dunes,
  forest,
  space,
  city,
  gridway,
  shapes,
  glass,
  contours,
  ribbons,
  sprites,
  rooms,
  hexes,
  waves,
  nodes,
  panel,
} as const satisfies Record<string, Scene>

export type SceneName = keyof typeof SCENES
export const SCENE_NAMES = Object.keys(SCENES) as readonly SceneName[]

export interface Motif {
  scene: SceneName
  palette: PaletteName
  /** The seed: the same text draws the same picture. */
  seed: string
}

/** Draws a picture as a PNG of this height, 16:9. */
export function drawPicture({ scene, palette, seed }: Motif, height: number): Uint8Array {
  const canvas = new Canvas(height)
  SCENES[scene](canvas, openPalette(palette), createRandom(seed))
  const { width, pixels } = canvas
  return encodePng({ width, height, channels: 3, pixels })
}
