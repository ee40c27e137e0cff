import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { ENGINE_RANGES_MAX } from '../../../domain/listings/engine-range.ts'
import type { ModCompat } from '../../../features/builds/comparison/model.ts'
import { Table } from '../../components/lists.tsx'
import { FaultSummary, FieldGroup, PostForm, SelectField, Submit, TextField } from '../../kit/form.tsx'
import { CompatBadge, SYSTEM_LABELS } from '../../kit/labels.tsx'
import { formOf } from '../../kit/pages.ts'
import { StudioPage, type TabProps } from '../frame/studio-frame.tsx'

interface CompatibilityProps extends TabProps {
  /** null for types of listings that have no parent to be compatible with. */
  compat: ModCompat | null
}

export function CompatibilityPage({ project, state, compat }: CompatibilityProps) {
  const { visit } = state
  const { listing } = project
  const form = formOf(state, 'compat')
  const rows = Math.min(ENGINE_RANGES_MAX, Math.max(listing.engine_compat.length + 2, 3))
  const systems = OPERATING_SYSTEMS.map((os) => [os, SYSTEM_LABELS[os]] as const)
  return (
    <StudioPage
      {...{ visit, project }}
      tab="compatibility"
      lead="The engine versions it works with. Editors show it to those versions only, and mods are compared with the builds of their game."
      notices={{ saved: 'The ranges are saved.' }}
    >
      <FaultSummary form={form} />
      {compat === null ? null : <Compared compat={compat} />}
      <PostForm action={`/studio/${listing.vanity_name}/compatibility`} class="form editor">
        <FieldGroup
          id="engine_compat"
          title="Version ranges"
          form={form}
          hint={`Up to ${ENGINE_RANGES_MAX}. A highest version of 4.2 covers 4.2.1 and all others of 4.2. Empty a row to remove it; save to get more rows.`}
        >
          {Array.from({ length: rows }, (_, row) => {
            const range = listing.engine_compat[row]
            const name = (field: string) => `engine_compat.${row}.${field}`
            return (
              <fieldset key={row} class="range">
                <legend class="small quiet">Range {row + 1}</legend>
                <TextField
                  form={form}
                  name={name('engine')}
                  label="Engine"
                  value={range?.engine ?? ''}
                  placeholder="godot"
                />
                <TextField
                  form={form}
                  name={name('min_version')}
                  label="Lowest version"
                  value={range?.min_version ?? ''}
                  placeholder="4.1"
                />
                <TextField
                  form={form}
                  name={name('max_version')}
                  label="Highest version"
                  value={range?.max_version ?? ''}
                  placeholder="4.3"
                />
                <TextField
                  form={form}
                  name={name('renderer')}
                  label="Renderer"
                  value={range?.renderer ?? ''}
                  placeholder="any"
                />
                <SelectField
                  form={form}
                  name={name('platform')}
                  label="Platform"
                  value={range?.platform ?? ''}
                  options={[['', 'Any'], ...systems]}
                />
              </fieldset>
            )
          })}
        </FieldGroup>
        <div class="save-bar">
          <Submit>Save</Submit>
        </div>
      </PostForm>
    </StudioPage>
  )
}

/** Compares the ranges with the builds of the parent, including beta. */
function Compared({ compat }: { compat: ModCompat }) {
  return (
    <section class="panel stack" aria-labelledby="compared-heading">
      <h2 id="compared-heading">Compared with the builds of its game</h2>
      <p>
        <CompatBadge status={compat.status} />
      </p>
      {compat.builds.length === 0 ? (
        <p class="quiet">The game has no stable or beta build, or the page names no game yet.</p>
      ) : (
        <Table
          label="Builds of the game"
          columns={['Build', 'Platform', 'Channel', 'Engine version', 'Fits']}
        >
          {compat.builds.map((build) => (
            <tr key={build.channel + build.build_id}>
              <td>{build.version}</td>
              <td>
                {SYSTEM_LABELS[build.os]} {build.arch}
              </td>
              <td>{build.channel}</td>
              <td>{build.engine_version ?? 'not stated'}</td>
              <td>
                <CompatBadge status={build.status} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}
