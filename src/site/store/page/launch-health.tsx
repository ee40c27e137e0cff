import type { Listing } from '../../../features/catalog/pages/listing-model.ts'
import type { PlatformHealth } from '../../../features/telemetry/health/service.ts'
import { CheckIcon, QuestionIcon, WarningIcon } from '../../components/icons.tsx'
import { HEALTH_TEXTS, SYSTEM_LABELS } from '../../kit/labels.ts'

const ICONS = { good: CheckIcon, fair: CheckIcon, warn: WarningIcon, bad: WarningIcon, none: QuestionIcon }

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
        <Band band={band} />
      </p>
      <p class="quiet small">{HEALTH_TEXTS[band].meaning}</p>
      {platforms.length < 2 ? null : (
        <ul class="platform-health small" aria-label="Launch health by platform">
          {platforms.map(({ os, arch, version, band }) => (
            <li key={os + arch} class="row between">
              <span>
                {SYSTEM_LABELS[os]} <span class="quiet">{isOnly(os) ? version : `${version} ${arch}`}</span>
              </span>
              <Band band={band} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Band({ band }: Pick<PlatformHealth, 'band'>) {
  const { label, tone } = HEALTH_TEXTS[band]
  const BandIcon = ICONS[tone]
  return (
    <span class={`badge ${tone}`}>
      <BandIcon /> {label}
    </span>
  )
}
