import type { Listing } from '../../../features/catalog/pages/listing-model.ts'
import type { PlatformHealth } from '../../../features/telemetry/health/service.ts'
import { HealthBadge } from '../../components/badge.tsx'
import { HEALTH_TEXTS, SYSTEM_LABELS } from '../../kit/labels.ts'

interface HealthProps {
  listing: Listing
  platforms: readonly PlatformHealth[]
}

/** How reliably it starts for players, and how that is measured. */
export function Health({ listing, platforms }: HealthProps) {
  const { band } = listing.health
  const isOnly = (os: PlatformHealth['os']) => platforms.filter((other) => other.os === os).length === 1
  return (
    <section aria-labelledby="health">
      <h2 id="health">Launch health</h2>
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
