import type { ComponentChildren } from 'preact'

import type { Listing } from '../../../features/catalog/pages/listing-model.ts'
import { HEALTH_TEXTS, NET_LABELS, SESSION_LABELS } from '../../labels.ts'

const INPUT_LABELS: Readonly<Record<string, string>> = {
  keyboard_mouse: 'keyboard and mouse',
  gamepad: 'gamepad',
  touch: 'touch',
  vr: 'VR',
  motion: 'motion',
}

/** What there is to know before downloading it. */
export function Facts({ listing }: { listing: Listing }) {
  const { taxonomy, health, authorship, ai_uses, license_kind, engine_compat } = listing
  const text = HEALTH_TEXTS[health.band]
  const tags = [...new Set([...taxonomy.tags, ...listing.community_tags.map(({ tag }) => tag)])]
  return (
    <div class="panel facts-panel">
      <section aria-labelledby="health">
        <h2 id="health">Launch health</h2>
        <p>
          <span class={`badge ${text.tone}`}>{text.label}</span>
        </p>
        <p class="quiet small">{text.meaning}</p>
      </section>
      <dl class="pairs">
        <Fact name="Genres">{links('genres', taxonomy.genres)}</Fact>
        <Fact name="Players">{playersText(taxonomy.players_min, taxonomy.players_max)}</Fact>
        <Fact name="Multiplayer">{taxonomy.net === null ? null : NET_LABELS[taxonomy.net]}</Fact>
        <Fact name="Session">
          {taxonomy.session_bucket === null ? null : SESSION_LABELS[taxonomy.session_bucket]}
        </Fact>
        <Fact name="Inputs">{taxonomy.inputs.map((input) => INPUT_LABELS[input] ?? input).join(', ')}</Fact>
        <Fact name="Tone">{links('tone', taxonomy.tone)}</Fact>
        <Fact name="Warnings">{taxonomy.content_warnings.join(', ').replaceAll('_', ' ')}</Fact>
        <Fact name="Made by">
          {authorship === null ? null : [authorship.label, authorship.credit].filter(Boolean).join(': ')}
        </Fact>
        <Fact name="Generative AI">{ai_uses.join(', ')}</Fact>
        <Fact name="Licence">{license_kind}</Fact>
        <Fact name="Engines">{links('engine', taxonomy.engines)}</Fact>
        <Fact name="Works with">
          {engine_compat
            .map(({ engine, min_version, max_version }) => `${engine} ${min_version}–${max_version}`)
            .join(', ')}
        </Fact>
        <Fact name="Published">{dayOf(listing.published_at)}</Fact>
        <Fact name="Updated">{dayOf(listing.updated_at)}</Fact>
      </dl>
      {tags.length === 0 ? null : (
        <ul class="chips" aria-label="Tags">
          {tags.map((tag) => (
            <li key={tag}>
              <a class="chip" href={`/search?tags=${tag}`}>
                {tag}
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
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
      <a href={`/search?${parameter}=${value}`}>{value}</a>
    </>
  ))
}

function playersText(min: number | null, max: number | null): string | null {
  if (min === null || max === null) return null
  return min === max ? String(min) : `${min} to ${max}`
}

function dayOf(moment: string | null): string | null {
  return moment?.slice(0, 10) ?? null
}
