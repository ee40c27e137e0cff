import type { Listing } from '../../../features/catalog/pages/listing-model.ts'
import { CompatBadge } from '../../components/badge.tsx'
import { Prose } from '../../components/prose.tsx'
import { SYSTEM_LABELS } from '../../kit/labels.ts'

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
