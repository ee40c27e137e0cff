import type { Build } from '../../../features/builds/registry/model.ts'
import type { OpenSession } from '../../../features/builds/uploads/model.ts'
import { Field } from '../../kit/field.tsx'
import { EMPTY_FORM } from '../../kit/form-state.ts'
import { bytesText, SYSTEM_LABELS } from '../../kit/labels.ts'

interface UnfinishedProps {
  sessions: readonly OpenSession[]
  /** The builds of this page; older ones are named by their file alone. */
  builds: readonly Build[]
}

/** Uploads that were interrupted. The browser forgets the file on a reload, so it has to be chosen again. */
export function UnfinishedUploads({ sessions, builds }: UnfinishedProps) {
  if (sessions.length === 0) return null
  return (
    <section class="panel stack" aria-labelledby="unfinished-heading">
      <h2 id="unfinished-heading">Unfinished uploads</h2>
      <p class="quiet small">
        They go on by themselves while their page or program runs. After a reload, choose the same file again:
        what arrived is not sent twice.
      </p>
      <ul class="records">
        {sessions.map((session) => (
          <li key={session.session_id}>
            <Unfinished
              session={session}
              build={builds.find(({ build_id }) => build_id === session.build_id)}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Unfinished({ session, build }: { session: OpenSession; build: Build | undefined }) {
  const { session_id, filename, expected_size, current_size, checksum, source, expires_at } = session
  return (
    <div
      class="unfinished"
      data-session={session_id}
      data-name={filename}
      data-size={expected_size}
      data-checksum={checksum}
    >
      <p>
        <bdi>
          <strong>{filename}</strong>
        </bdi>
        {build === undefined ? null : ` for ${build.version}, ${SYSTEM_LABELS[build.os]} ${build.arch}`}
      </p>
      <progress max={expected_size} value={current_size} aria-label={`Arrived of ${filename}`} />
      <p class="quiet small">
        {bytesText(current_size)} of {bytesText(expected_size)} arrived. Kept until{' '}
        <time dateTime={expires_at}>{expires_at.slice(11, 16)} UTC</time>.
      </p>
      {source === 'website' && checksum !== null ? (
        <Field
          {...{ form: EMPTY_FORM, scope: 'continue', name: session_id }}
          label={`Continue: choose ${filename} again`}
        >
          {({ id }) => <input id={id} type="file" accept=".zip" data-continues />}
        </Field>
      ) : (
        <p class="small">It is sent by a build pipeline, which continues it itself.</p>
      )}
      <p>
        <button type="button" class="button plain" data-ends={session_id}>
          Cancel upload of {filename}
        </button>
      </p>
    </div>
  )
}
