import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { ACCESSIBILITY_LABELS } from '../../../domain/listings/accessibility.ts'
import { LANGUAGE_PARTS, type LanguagePart, showLanguage } from '../../../domain/listings/languages.ts'
import { REQUIREMENT_LEVELS, type RequirementLevel } from '../../../domain/listings/requirements.ts'
import type { Listing } from '../../../features/catalog/pages/model.ts'
import { CheckIcon } from '../../components/icons.tsx'
import { SYSTEM_LABELS } from '../../kit/labels.tsx'

/** For whom it is playable: accessibility, languages, and what a computer needs. */
export function PlayFacts({ listing }: { listing: Listing }) {
  const { accessibility, languages, requirements } = listing
  const systems = OPERATING_SYSTEMS.filter((os) => requirements[os] !== undefined)
  return (
    <>
      {accessibility.length === 0 ? null : (
        <section aria-labelledby="accessibility">
          <h3 id="accessibility">Accessibility</h3>
          <ul class="ticks">
            {accessibility.map((feature) => (
              <li key={feature}>
                <CheckIcon />
                <a href={`/search?accessibility=${feature}`}>{ACCESSIBILITY_LABELS[feature]}</a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {languages.length === 0 ? null : <Languages languages={languages} />}
      {systems.length === 0 ? null : (
        <section aria-labelledby="requirements" class="requirements">
          <h3 id="requirements">System requirements</h3>
          {systems.map((os) => (
            <div key={os}>
              <h4>{SYSTEM_LABELS[os]}</h4>
              <dl>
                {REQUIREMENT_LEVELS.map((level) => (
                  <Requirement key={level} level={level} text={requirements[os]?.[level] ?? null} />
                ))}
              </dl>
            </div>
          ))}
        </section>
      )}
    </>
  )
}

const LEVEL_LABELS: Readonly<Record<RequirementLevel, string>> = {
  minimum: 'At least',
  recommended: 'Recommended',
}

function Requirement({ level, text }: { level: RequirementLevel; text: string | null }) {
  if (text === null) return null
  return (
    <>
      <dt>{LEVEL_LABELS[level]}</dt>
      <dd dir="auto">{text}</dd>
    </>
  )
}

const PART_LABELS: Readonly<Record<LanguagePart, string>> = {
  interface: 'Interface',
  audio: 'Audio',
  subtitles: 'Subtitles',
}

function Languages({ languages }: Pick<Listing, 'languages'>) {
  return (
    <section aria-labelledby="languages">
      <h3 id="languages">Languages</h3>
      <table class="languages">
        <thead>
          <tr>
            <th scope="col">Language</th>
            {LANGUAGE_PARTS.map((part) => (
              <th key={part} scope="col">
                {PART_LABELS[part]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {languages.map(({ language, ...parts }) => (
            <tr key={language}>
              <th scope="row">{showLanguage(language)}</th>
              {LANGUAGE_PARTS.map((part) => (
                <td key={part}>
                  {parts[part] ? (
                    <>
                      <CheckIcon />
                      <span class="visually-hidden">Yes</span>
                    </>
                  ) : (
                    <span class="visually-hidden">No</span>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
