import type { Facet } from '../../clients/search/search-engine.ts'
import { OPERATING_SYSTEMS } from '../../domain/builds/platforms.ts'
import { LICENSE_KINDS } from '../../domain/listings/licenses.ts'
import { ASSET_TYPES } from '../../domain/listings/listing.ts'
import {
  AI_USES,
  AUTHORSHIP_LABELS,
  AUTHORSHIPS,
  CONTENT_WARNINGS,
  GENRES,
  NETS,
  SESSION_BUCKETS,
  TONES,
} from '../../domain/listings/taxonomy.ts'
import { NET_LABELS, SESSION_LABELS, SYSTEM_LABELS, TYPE_LABELS } from '../kit/labels.ts'

/** One group of the filter form: a facet of the search and the parameters that select its values. */
export interface FilterGroup {
  legend: string
  facet: Facet
  /** The parameter that includes a value; null where values can only be excluded. */
  include: string | null
  exclude?: string
  /** The allowed values in order; absent if any value may occur. */
  values?: readonly string[]
  labels?: Readonly<Record<string, string>>
  /** The API uses the first value it knows, and no other. */
  isSingle?: boolean
}

export const FILTER_GROUPS: readonly FilterGroup[] = [
  {
    legend: 'Type',
    facet: 'asset_type',
    include: 'asset_type',
    exclude: 'exclude_types',
    values: ASSET_TYPES,
    labels: TYPE_LABELS,
  },
  { legend: 'Genres', facet: 'genres', include: 'genres', exclude: 'exclude_genres', values: GENRES },
  { legend: 'Tags', facet: 'tags', include: 'tags', exclude: 'exclude_tags' },
  { legend: 'Tone', facet: 'tone', include: 'tone', exclude: 'exclude_tone', values: TONES },
  { legend: 'Platform', facet: 'os', include: 'os', values: OPERATING_SYSTEMS, labels: SYSTEM_LABELS },
  {
    legend: 'Session',
    facet: 'session_bucket',
    include: 'session_bucket',
    values: SESSION_BUCKETS,
    labels: SESSION_LABELS,
  },
  { legend: 'Multiplayer', facet: 'net', include: 'net', values: NETS, labels: NET_LABELS },
  {
    legend: 'Made by',
    facet: 'authorship',
    include: 'authorship',
    values: AUTHORSHIPS,
    labels: AUTHORSHIP_LABELS,
  },
  { legend: 'AI use', facet: 'ai_uses', include: 'ai_uses', exclude: 'exclude_ai_uses', values: AI_USES },
  {
    legend: 'Content warnings',
    facet: 'content_warnings',
    include: null,
    exclude: 'exclude_warnings',
    values: CONTENT_WARNINGS,
  },
  { legend: 'Engine', facet: 'engines', include: 'engine' },
  { legend: 'Licence', facet: 'license_kind', include: 'license', values: LICENSE_KINDS, isSingle: true },
]
