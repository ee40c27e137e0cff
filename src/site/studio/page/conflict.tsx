import type { Listing } from '../../../features/listings/page/model.ts'
import { Submit } from '../../kit/form.tsx'
import { FIELDS } from './listing-form.ts'
import type { Difference } from './merge.ts'

/** Somebody else saved meanwhile: both versions, field by field. */
export function Conflict({ differences, listing }: { differences: readonly Difference[]; listing: Listing }) {
  return (
    <section class="panel stack" aria-labelledby="conflict-heading">
      <div class="notice warn" role="alert">
        <p>
          <strong id="conflict-heading">Somebody else saved this page while you were editing it.</strong>{' '}
          Nothing is lost: both versions are below, and the form still holds yours. Your text is saved once
          you choose Keep mine.
        </p>
      </div>
      {differences.map(({ name, theirs, mine, isTheirs }) => (
        <div key={name}>
          <h2>{FIELDS[name].label}</h2>
          <p class="quiet small">
            {isTheirs
              ? 'Only they changed it, so their version is in the form.'
              : 'You both changed it; your version is in the form.'}
          </p>
          <div class="versions">
            <Version title="Their version" text={theirs} />
            <Version title={isTheirs ? 'As it was when you began' : 'Your version'} text={mine} />
          </div>
        </div>
      ))}
      <p class="row">
        <Submit form="page-form">Keep mine</Submit>
        <a class="button second" href={`/studio/${listing.vanity_name}/page`}>
          Take theirs
        </a>
      </p>
    </section>
  )
}

function Version({ title, text }: { title: string; text: string }) {
  return (
    <div>
      <h3>{title}</h3>
      <pre class="version">{text === '' ? '(empty)' : text}</pre>
    </div>
  )
}
