import type { LintReport } from '../../../features/listings/check/model.ts'
import type { Listing } from '../../../features/listings/page/model.ts'
import { Badge } from '../../components/badge.tsx'
import { CheckIcon, CrossIcon, WarningIcon } from '../../components/icons.tsx'
import type { Fault, FormState } from '../../kit/form-state.ts'
import { countText } from '../../kit/labels.ts'

/** The tabs of fields that are not on the page tab. */
const OTHER_TABS: Readonly<Record<string, string>> = {
  cover: 'media#cover',
  thumbnail: 'media#thumbnail',
  gallery: 'media#gallery',
  builds: 'builds',
  platforms: 'builds',
  trailer_url: 'press#trailer_url',
  visibility: 'overview#visibility',
  engine_compat: 'compatibility#engine_compat',
}

/** Where a finding of the check is fixed. */
function pathOfField(listing: Listing, field: string): string {
  if (field === 'owner') return '/account#email'
  return `/studio/${listing.vanity_name}/${OTHER_TABS[field] ?? `page#${field}`}`
}

/** Everything the listing check found, each item leading to its field. */
export function Checklist({ report, listing }: { report: LintReport; listing: Listing }) {
  const { errors, warnings } = report
  return (
    <section class="panel stack" aria-labelledby="check-heading" id="check">
      <h2 id="check-heading">Listing check</h2>
      <p class={errors.length === 0 ? 'verdict good' : 'verdict warn'}>
        {errors.length === 0 ? <CheckIcon /> : <WarningIcon />}
        {errors.length === 0
          ? 'Passed: this page can be public.'
          : `${countText(errors.length, 'thing')} to fix before this page can be public.`}
      </p>
      {errors.length + warnings.length === 0 ? null : (
        <ul class="checklist">
          {errors.map(({ code, field, message }) => (
            <li key={code} class="to-fix">
              <CrossIcon />
              <span>
                <a href={pathOfField(listing, field)}>{message}</a>
                <Badge tone="bad">To fix</Badge>
              </span>
            </li>
          ))}
          {warnings.map(({ code, field, message }) => (
            <li key={code}>
              <WarningIcon />
              <span>
                <a href={pathOfField(listing, field)}>{message}</a>
                <Badge>Recommended</Badge>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** A refused move to another visibility; the fields are on other tabs. */
export function CheckFaults({ form, listing }: { form: FormState; listing: Listing }) {
  if (form.faults.length === 0) return null
  return (
    <div class="notice bad faults" role="alert">
      <div>
        <p>
          <strong>The visibility was not changed.</strong>
        </p>
        <ul>
          {form.faults.map(({ field, message }: Fault) => (
            <li key={field + message}>
              {field === '' ? message : <a href={pathOfField(listing, field)}>{message}</a>}
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
