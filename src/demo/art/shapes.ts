import { type Canvas, distance, type Paint } from './canvas.ts'

export interface Point {
  x: number
  y: number
}

export function disc(canvas: Canvas, { x, y }: Point, radius: number, paint: Paint, alpha = 1): void {
  canvas.shape(around({ x, y }, radius), paint, (px, py) => distance(px - x, py - y) - radius, alpha)
}

export function ring(
  canvas: Canvas,
  { x, y }: Point,
  radius: number,
  thickness: number,
  paint: Paint,
  alpha = 1,
): void {
  const distanceAt = (px: number, py: number) => Math.abs(distance(px - x, py - y) - radius) - thickness / 2
  canvas.shape(around({ x, y }, radius + thickness), paint, distanceAt, alpha)
}

/** Light that fades outwards from the centre. */
export function glow(canvas: Canvas, { x, y }: Point, radius: number, paint: Paint, strength = 1): void {
  canvas.blend(around({ x, y }, radius), paint, (px, py) => {
    const rest = 1 - distance(px - x, py - y) / radius
    return rest > 0 ? strength * rest * rest : 0
  })
}

export function line(
  canvas: Canvas,
  from: Point,
  to: Point,
  thickness: number,
  paint: Paint,
  alpha = 1,
): void {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const length = dx * dx + dy * dy || 1
  const distanceAt = (px: number, py: number) => {
    const along = Math.min(1, Math.max(0, ((px - from.x) * dx + (py - from.y) * dy) / length))
    return distance(px - from.x - along * dx, py - from.y - along * dy) - thickness / 2
  }
  const box = {
    left: Math.min(from.x, to.x) - thickness / 2 - canvas.grain,
    right: Math.max(from.x, to.x) + thickness / 2 + canvas.grain,
    top: Math.min(from.y, to.y) - thickness / 2 - canvas.grain,
    bottom: Math.max(from.y, to.y) + thickness / 2 + canvas.grain,
  }
  canvas.shape(box, paint, distanceAt, alpha)
}

export function rectangle(
  canvas: Canvas,
  { x, y }: Point,
  width: number,
  height: number,
  paint: Paint,
  alpha = 1,
): void {
  rounded(canvas, { x, y }, width, height, 0, paint, alpha)
}

/** `x` and `y` are the top left corner. */
export function rounded(
  canvas: Canvas,
  { x, y }: Point,
  width: number,
  height: number,
  radius: number,
  paint: Paint,
  alpha = 1,
): void {
  const distanceAt = (px: number, py: number) => {
    const outX = Math.abs(px - x - width / 2) - width / 2 + radius
    const outY = Math.abs(py - y - height / 2) - height / 2 + radius
    return distance(Math.max(outX, 0), Math.max(outY, 0)) + Math.min(Math.max(outX, outY), 0) - radius
  }
  canvas.shape({ left: x, top: y, right: x + width, bottom: y + height }, paint, distanceAt, alpha)
}

/** A convex shape with its corners in clockwise order. */
export function polygon(canvas: Canvas, corners: readonly Point[], paint: Paint, alpha = 1): void {
  const sides = corners.map((from, index) => {
    const to = corners[(index + 1) % corners.length] ?? from
    const length = distance(to.x - from.x, to.y - from.y) || 1
    return { from, nx: (to.y - from.y) / length, ny: (from.x - to.x) / length }
  })
  const distanceAt = (px: number, py: number) => {
    let far = -1
    for (const { from, nx, ny } of sides) far = Math.max(far, (px - from.x) * nx + (py - from.y) * ny)
    return far
  }
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)]
  const box = {
    left: Math.min(...xs),
    right: Math.max(...xs),
    top: Math.min(...ys),
    bottom: Math.max(...ys),
  }
  canvas.shape(box, paint, distanceAt, alpha)
}

function around({ x, y }: Point, radius: number) {
  return { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius }
}
