import type { ComponentChildren } from 'preact'

import { INPUT_LABELS, NET_LABELS, SESSION_LABELS } from '../../../domain/listings/fields.ts'
import { showLanguage } from '../../../domain/listings/languages.ts'
import type { Listing } from '../../../features/catalog/pages/model.ts'
import type { PlatformHealth } from '../../../features/telemetry/health/service.ts'
import { Prose } from '../../components/prose.tsx'
import {
  bytesText,
  CompatBadge,
  Day,
  HEALTH_TEXTS,
  HealthBadge,
  isMain,
  LICENSE_LABELS,
  STATUS_LABELS,
  SYSTEM_LABELS,
} from '../../kit/labels.tsx'
import { downloadsOf } from './choice.ts'

/** The languages that are named; of longer lists the number of the others. */
const LANGUAGES_NAMED = 3

interface FactsProps {
  listing: Listing
  /** It stands in both; the width of the window decides which one is shown. */
  place: 'beside' | 'below'
}

/** What to know before downloading: short enough to stay beside the text with the box above it. */
export function Facts({ listing, place }: FactsProps) {
  const { taxonomy, status, license_kind } = listing
  const systems = [...new Set(listing.files.filter(isMain).map(({ os }) => os))]
  return (
    <section class={`game-facts facts-${place}`} aria-labelledby={`facts-${place}`}>
      <h2 id={`facts-${place}`}>Facts</h2>
      <dl class="fact-list">
        <Fact name="Genres">{links('genres', taxonomy.genres)}</Fact>
        <Fact name="Tone">{links('tone', taxonomy.tone)}</Fact>
        <Fact name="Session">
          {taxonomy.session_bucket === null ? null : SESSION_LABELS[taxonomy.session_bucket]}
        </Fact>
        <Fact name="Players">{playersText(taxonomy.players_min, taxonomy.players_max)}</Fact>
        <Fact name="Multiplayer">{taxonomy.net === null ? null : NET_LABELS[taxonomy.net]}</Fact>
        <Fact name="Platforms">{systems.map((os) => SYSTEM_LABELS[os]).join(', ')}</Fact>
        <Fact name="Size">{sizeText(listing)}</Fact>
        <Fact name="Languages">{languagesText(listing)}</Fact>
        <Fact name="Inputs">{taxonomy.inputs.map((input) => INPUT_LABELS[input]).join(', ')}</Fact>
        <Fact name="Warnings">{taxonomy.content_warnings.join(', ').replaceAll('_', ' ')}</Fact>
        <Fact name="Works with">{listing.engine_compat.map(rangeText).join(', ')}</Fact>
        <Fact name="Licence">{license_kind === null ? null : LICENSE_LABELS[license_kind]}</Fact>
        <Fact name="Status">{STATUS_LABELS[status]}</Fact>
      </dl>
    </section>
  )
}

/** Who made it, with what, and when. */
export function Making({ listing }: { listing: Listing }) {
  const { taxonomy, authorship, ai_uses } = listing
  return (
    <section aria-labelledby="making">
      <h3 id="making">How it was made</h3>
      <dl class="fact-list">
        <Fact name="Made by">{authorship?.label.replace(/^made by /, '') ?? null}</Fact>
        <Fact name="Credit">{authorship?.credit ?? null}</Fact>
        <Fact name="Generative AI">
          {ai_uses.length > 0 ? ai_uses.join(', ') : authorship === null ? null : 'none declared'}
        </Fact>
        <Fact name="Engines">{links('engine', taxonomy.engines)}</Fact>
        <Fact name="Published">{dayOf(listing.published_at)}</Fact>
        <Fact name="Updated">{dayOf(listing.updated_at)}</Fact>
      </dl>
    </section>
  )
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  if (children === null || children === '') return null
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </div>
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

/** How many can play, in words; null if nothing is known. */
export function playersText(min: number | null, max: number | null): string | null {
  if (min === null && max === null) return null
  if (min === null || max === null || min === max) return String(min ?? max)
  return `${min} to ${max}`
}

/** The size of the game on its systems: one, or the smallest and the largest. */
function sizeText(listing: Listing): string | null {
  const played = listing.web_player === null ? [] : [listing.web_player.bytes]
  const sizes = [...downloadsOf(listing).map(({ size }) => size), ...played]
  if (sizes.length === 0) return null
  const [least, most] = [bytesText(Math.min(...sizes)), bytesText(Math.max(...sizes))]
  return least === most ? least : `${least} to ${most}`
}

function languagesText({ languages }: Listing) {
  if (languages.length === 0) return null
  const named = languages.slice(0, LANGUAGES_NAMED).map(({ language }) => showLanguage(language))
  const others = languages.length - named.length
  return (
    <>
      {named.join(', ')}
      {others === 0 ? null : (
        <>
          {' and '}
          <a href="#languages">{others} more</a>
        </>
      )}
    </>
  )
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

interface HealthProps {
  listing: Listing
  platforms: readonly PlatformHealth[]
}

/** How reliably the game starts for players, and how that is measured. */
export function Health({ listing, platforms }: HealthProps) {
  const { band } = listing.health
  const isOnly = (os: PlatformHealth['os']) => platforms.filter((other) => other.os === os).length === 1
  return (
    <section aria-labelledby="health">
      <h3 id="health">Launch health</h3>
      <p>
        <HealthBadge band={band} />
      </p>
      <p class="quiet small">{HEALTH_TEXTS[band].meaning}</p>
      {platforms.length < 2 ? null : (
        <ul class="platform-health small" aria-label="Launch health by platform">
          {platforms.map(({ os, arch, version, band }) => (
            <li key={os + arch} class="row between">
              <span>
                {SYSTEM_LABELS[os]} <span class="quiet">{isOnly(os) ? version : `${version} ${arch}`}</span>
              </span>
              <HealthBadge band={band} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

interface LinksProps {
  listing: Listing
  isOpen: boolean
  acceptsBugReports: boolean
}

/** Links to the listing elsewhere, and the actions readers can take on the page. */
export function Links({ listing, isOpen, acceptsBugReports }: LinksProps) {
  const page = `/games/${listing.vanity_name}`
  return (
    <section aria-labelledby="links">
      <h3 id="links">Links</h3>
      <ul class="plain-list small">
        {listing.website === null ? null : (
          <li>
            <a href={listing.website} rel="nofollow noopener">
              Website
            </a>
          </li>
        )}
        {listing.store_links.map(({ platform, label, url }) => (
          <li key={platform}>
            <a href={url} rel="nofollow noopener">
              {label}
            </a>
          </li>
        ))}
        {listing.adult || !isOpen ? null : (
          <li>
            <a href={`${page}/press`}>Press kit</a>
          </li>
        )}
        <li>
          <a href={`${page}/changelog`}>Changelog</a>
        </li>
        {acceptsBugReports ? (
          <li>
            <a href={`${page}/report-bug`} rel="nofollow">
              Report a bug
            </a>
          </li>
        ) : null}
        <li>
          <a href={`${page}/report`} rel="nofollow">
            Report this page
          </a>
        </li>
      </ul>
    </section>
  )
}

/** Says why a listing cannot be bought here, and where it is available. */
export function Elsewhere({ listing, children }: { listing: Listing; children: ComponentChildren }) {
  const { website, store_links } = listing
  const stores = store_links.map(({ platform, label, url }, index) => (
    <>
      {index > 0 ? ' or ' : 'Get it at '}
      <a key={platform} href={url} rel="nofollow noopener">
        {label}
      </a>
    </>
  ))
  return (
    <p class="quiet small">
      {children} {stores}
      {website === null ? null : (
        <>
          {stores.length > 0 ? ', or ask on ' : 'You can ask on '}
          <a href={website} rel="nofollow noopener">
            its website
          </a>
        </>
      )}
      {stores.length === 0 && website === null ? 'The developer named no other place to get it' : null}. If
      somebody gave you a key, <a href="/redeem">redeem it</a>.
    </p>
  )
}

type Compat = NonNullable<Listing['mod_compat']>

/** For mods and plugins: compatibility with the game's builds, and how to install it. */
export function Modding({ listing }: { listing: Listing }) {
  const { mod_compat, mod_settings } = listing
  if (mod_compat === null && mod_settings === null) return null
  return (
    <>
      {mod_compat === null ? null : <Compatibility compat={mod_compat} />}
      {mod_settings === null ? null : <Installing settings={mod_settings} />}
    </>
  )
}

function Compatibility({ compat }: { compat: Compat }) {
  return (
    <section aria-labelledby="compatibility">
      <h2 id="compatibility">Compatibility</h2>
      <p>
        <CompatBadge status={compat.status} />{' '}
        <span class="quiet small">with the newest builds of the game, judged by their engine versions.</span>
      </p>
      {compat.builds.length === 0 ? null : (
        <ul class="platform-health small" aria-label="Compatibility by build">
          {compat.builds.map((build) => (
            <li key={build.build_id + build.os + build.arch} class="row between">
              <span>
                {SYSTEM_LABELS[build.os]} {build.version}{' '}
                <span class="quiet">
                  {build.engine_version === null
                    ? 'engine version not given'
                    : `engine ${build.engine_version}`}
                </span>
              </span>
              <CompatBadge status={build.status} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Installing({ settings }: { settings: NonNullable<Listing['mod_settings']> }) {
  const { install_path, loader, instructions_html } = settings
  return (
    <section aria-labelledby="installing">
      <h2 id="installing">How to install it</h2>
      <dl class="pairs">
        {install_path === null ? null : (
          <>
            <dt>Folder</dt>
            <dd>
              <code>{install_path}</code> inside the game's folder
            </dd>
          </>
        )}
        {loader === null ? null : (
          <>
            <dt>Loader</dt>
            <dd>{loader}</dd>
          </>
        )}
      </dl>
      {instructions_html === null ? null : <Prose html={instructions_html} under={2} />}
    </section>
  )
}
