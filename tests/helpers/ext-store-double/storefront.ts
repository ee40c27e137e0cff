import { drawPng } from '../files/pictures.ts'
import { PICTURES } from './fixture.ts'
import type { DoubleState } from './state.ts'

/** The address that serves recorded pictures instead. */
export const PICTURE_PATH = '/store_item_assets/steam/apps'

export function appDetails(state: DoubleState, origin: string, ids: string): Response {
  // The store allows several ids only with filters that this program does not use.
  if (!/^\d+$/.test(ids)) return new Response('null', { status: 400 })
  const details = state.apps.get(Number(ids))?.details
  const entry = details ? { success: true, data: details } : { success: false }
  const text = JSON.stringify({ [ids]: entry }).replaceAll(PICTURES, origin + PICTURE_PATH)
  return new Response(text, { headers: { 'content-type': 'application/json; charset=utf-8' } })
}

const drawn = new Map<string, Promise<Blob>>()

/** Returns a picture of the size in the fixture, whatever its name says. */
export async function servePicture(state: DoubleState, path: string): Promise<Response> {
  const [, appId = '', file = ''] = /\/(\d+)\/([^/]+)$/.exec(path) ?? []
  const size = state.apps.get(Number(appId))?.pictures?.[file]
  if (!size) return new Response('Not Found', { status: 404 })
  const key = size.join('x')
  const picture = drawn.get(key) ?? draw(...size)
  drawn.set(key, picture)
  return new Response(await picture, { headers: { 'content-type': 'image/jpeg' } })
}

/** Painted small and enlarged: painting two million pixels one by one takes a second. */
async function draw(width: number, height: number): Promise<Blob> {
  const small = await drawPng(64, 36)
  return await new Bun.Image(small).resize(width, height, { fit: 'fill' }).jpeg({ quality: 80 }).blob()
}
