import type { ComponentChildren } from 'preact'

import { FieldGroup } from '../../kit/form.tsx'

/** What is known about a report; unknown facts are named too. */
export function FactsList({
  facts,
}: {
  facts: readonly (readonly [name: string, value: ComponentChildren])[]
}) {
  return (
    <dl class="facts-list">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value || 'not stated'}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The log that came with a report, if one did. */
export function LogPanel({ log }: { log: string | null }) {
  if (log === null) return null
  return (
    <FieldGroup id="log" title="Log">
      <pre class="version" tabIndex={0} role="region" aria-label="Log">
        {log}
      </pre>
    </FieldGroup>
  )
}
