import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import type { Preview } from '../../../features/extstore/import/model.ts'
import type { EditableListing } from '../../../features/listings/page/model.ts'
import { getListing } from '../../../features/listings/page/service.ts'
import { getPressKit } from '../../../features/listings/press/service.ts'
import { getStoreLinks } from '../../../features/listings/store-links/service.ts'
import { countText } from '../../kit/labels.tsx'

interface ComparedField {
  label: string
  now: string
  next: string
}

export interface Comparison {
  /** The listing that would change; null for a new draft. */
  listing: EditableListing | null
  fields: ComparedField[]
}

const EXTERNAL_STORE = 'store_01'
const PICTURES = new Set(['cover', 'thumbnail', 'gallery'])

/** Compares what an import would write with the present values. */
export async function compareImport(deps: Deps, user: WebsiteUser, preview: Preview): Promise<Comparison> {
  const { game_uid } = preview.target
  const { listing, read } = game_uid === null ? NOTHING : await openCurrent(deps, user, game_uid)
  const fields = preview.imported.map(({ field, value }) => ({
    label: field.replaceAll(/[_.]/g, ' '),
    now: showValue(field, read(field)),
    next: showValue(field, value),
  }))
  return { listing, fields }
}

interface Current {
  listing: EditableListing | null
  read: (field: string) => unknown
}

const NOTHING: Current = { listing: null, read: () => null }

async function openCurrent(deps: Deps, user: WebsiteUser, uid: string): Promise<Current> {
  const [{ listing }, pressKit, { store_links }] = await Promise.all([
    getListing(deps, user, uid),
    getPressKit(deps, user, uid),
    getStoreLinks(deps, user, uid),
  ])
  const read = (field: string): unknown => {
    if (field.startsWith('press.')) return Reflect.get(pressKit, field.slice('press.'.length))
    if (field === 'store_link') return store_links.find(({ platform }) => platform === EXTERNAL_STORE)?.url
    return Reflect.get(listing, field)
  }
  return { listing, read }
}

/** Pictures are counted; everything else is shown as text. */
function showValue(field: string, value: unknown): string {
  if (!PICTURES.has(field)) return textOf(value)
  const count = Array.isArray(value) ? value.length : Number(value !== null && value !== undefined)
  return count === 0 ? '' : countText(count, 'picture')
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (typeof value === 'object') return Object.values(value).map(textOf).filter(Boolean).join(' ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
