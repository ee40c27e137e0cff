import type { ComponentChildren } from 'preact'

import type { Listing } from '../../../features/catalog/pages/listing-model.ts'
import { isMain } from '../../kit/apps.ts'
import { Day } from '../../kit/dates.tsx'
import {
  INPUT_LABELS,
  LICENSE_LABELS,
  NET_LABELS,
  SESSION_LABELS,
  STATUS_LABELS,
  SYSTEM_LABELS,
} from '../../kit/labels.ts'

/** What to know before downloading. */
export function Facts({ listing }: { listing: Listing }) {
  const { taxonomy, authorship, ai_uses, license_kind } = listing
  const systems = [...new Set(listing.files.filter(isMain).map(({ os }) => os))]
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">Facts</h2>
      <dl class="pairs">
        <Fact name="Status">{STATUS_LABELS[listing.status]}</Fact>
        <Fact name="Platforms">{systems.map((os) => SYSTEM_LABELS[os]).join(', ')}</Fact>
        <Fact name="Genres">{links('genres', taxonomy.genres)}</Fact>
        <Fact name="Tone">{links('tone', taxonomy.tone)}</Fact>
        <Fact name="Players">{playersText(taxonomy.players_min, taxonomy.players_max)}</Fact>
        <Fact name="Multiplayer">{taxonomy.net === null ? null : NET_LABELS[taxonomy.net]}</Fact>
        <Fact name="Session">
          {taxonomy.session_bucket === null ? null : SESSION_LABELS[taxonomy.session_bucket]}
        </Fact>
        <Fact name="Inputs">{taxonomy.inputs.map((input) => INPUT_LABELS[input]).join(', ')}</Fact>
        <Fact name="Warnings">{taxonomy.content_warnings.join(', ').replaceAll('_', ' ')}</Fact>
        <Fact name="Made by">{authorship?.label ?? null}</Fact>
        <Fact name="Credit">{authorship?.credit ?? null}</Fact>
        <Fact name="Generative AI">
          {ai_uses.length > 0 ? ai_uses.join(', ') : authorship === null ? null : 'none declared'}
        </Fact>
        <Fact name="Licence">{license_kind === null ? null : LICENSE_LABELS[license_kind]}</Fact>
        <Fact name="Engines">{links('engine', taxonomy.engines)}</Fact>
        <Fact name="Works with">{listing.engine_compat.map(rangeText).join(', ')}</Fact>
        <Fact name="Published">{dayOf(listing.published_at)}</Fact>
        <Fact name="Updated">{dayOf(listing.updated_at)}</Fact>
      </dl>
    </section>
  )
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  if (children === null || children === '') return null
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

function links(parameter: string, values: readonly string[]) {
  if (values.length === 0) return null
  return values.map((value, index) => (
    <>
      {index === 0 ? '' : ', '}
      <a href={`/search?${parameter}=${encodeURIComponent(value)}`}>{value}</a>
    </>
  ))
}

function playersText(min: number | null, max: number | null): string | null {
  if (min === null && max === null) return null
  if (min === null || max === null || min === max) return String(min ?? max)
  return `${min} to ${max}`
}

function rangeText(range: Listing['engine_compat'][number]): string {
  const { engine, min_version, max_version, renderer, platform } = range
  const versions = min_version === max_version ? min_version : `${min_version}–${max_version}`
  const where = [renderer, platform === null ? null : SYSTEM_LABELS[platform]].filter(Boolean).join(', ')
  return where === '' ? `${engine} ${versions}` : `${engine} ${versions} (${where})`
}

function dayOf(moment: string | null) {
  return moment === null ? null : <Day at={moment} />
}
