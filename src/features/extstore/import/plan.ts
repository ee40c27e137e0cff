import type { StoreApp } from '../../../clients/ext-store/ext-store.ts'
import type { PressKitValue } from '../../../domain/listings/press-kit.ts'
import type { Input } from '../../../domain/listings/taxonomy.ts'
import type { ListingPatch } from '../../listings/page/model.ts'
import { type Group, GROUPS, NOT_IMPORTED, type Report } from './model.ts'
import {
  planAge,
  planDescription,
  planName,
  planPrice,
  planStatus,
  planStoreLink,
  planText,
} from './plan-page.ts'
import type { Part } from './plan-part.ts'
import { planPress } from './plan-press.ts'
import { planTaxonomy } from './plan-taxonomy.ts'
import { planImages, type Screenshots } from './screenshots.ts'

export interface Plan {
  patch: ListingPatch
  press: Partial<PressKitValue>
  storeLink: string | null
  report: Report
}

export interface Target {
  isNew: boolean
  anonymousDownloads: boolean
  /** The current inputs of the listing. */
  inputs: readonly Input[]
}

/** Decides per field what is imported; preview and import share it. */
export function planImport(
  app: StoreApp,
  target: Target,
  groups: ReadonlySet<Group>,
  screenshots: Screenshots,
): Plan {
  const planners: Readonly<Record<Group, () => Part[]>> = {
    text: () => planText(app),
    taxonomy: () => planTaxonomy(app, target.inputs),
    status: () => [planStatus(app)],
    images: () => [planImages(screenshots)],
    press: () => planPress(app),
    price: () => [planPrice(app, target)],
    age: () => planAge(app),
    store_link: () => [planStoreLink(app)],
  }
  const always = target.isNew && !groups.has('text') ? [planName(app), planDescription(app)] : []
  const parts = [...always, ...GROUPS.flatMap((group) => (groups.has(group) ? planners[group]() : []))]
  return {
    patch: Object.assign({}, ...parts.map(({ patch }) => patch)),
    press: Object.assign({}, ...parts.map(({ press }) => press)),
    storeLink: parts.find(({ storeLink }) => storeLink !== undefined)?.storeLink ?? null,
    report: {
      imported: parts.flatMap(importedBy),
      skipped: parts.flatMap(({ skipped = [] }) => skipped),
      not_imported: [...NOT_IMPORTED],
    },
  }
}

function importedBy({ patch = {}, press = {}, storeLink, images }: Part): Report['imported'] {
  const entries: [field: string, value: unknown][] = [
    ...Object.entries(patch),
    ...Object.entries(images ?? {}),
    ...Object.entries(press).map(([field, value]): [string, unknown] => [`press.${field}`, value]),
    ...(storeLink === undefined ? [] : [['store_link', storeLink] satisfies [string, string]]),
  ]
  return entries.map(([field, value]) => ({ field, value }))
}
