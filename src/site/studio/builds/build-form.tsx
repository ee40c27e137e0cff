import {
  APP_NAME_MAX,
  DESCRIPTION_MAX,
  ENGINE_VERSION_MAX,
  TITLE_MAX,
  VERSION_MAX,
} from '../../../domain/builds/build-fields.ts'
import { BETA, DEV, STABLE } from '../../../domain/builds/channels.ts'
import { ARCHITECTURES, OPERATING_SYSTEMS, type OperatingSystem } from '../../../domain/builds/platforms.ts'
import { FILE_BYTES_MAX } from '../../../features/builds/uploads/model.ts'
import { SCRIPTS } from '../../kit/assets.ts'
import { EMPTY_FORM } from '../../kit/form-state.ts'
import { AreaField, SelectField, Submit, TextField } from '../../kit/form.tsx'
import { SYSTEM_LABELS } from '../../kit/labels.tsx'
import type { Project } from '../frame/studio-frame.tsx'

const SYSTEMS = OPERATING_SYSTEMS.map((os) => [os, SYSTEM_LABELS[os]] as const)
const PROCESSORS = ARCHITECTURES.map((arch) => [arch, arch] as const)
const CHANNELS = [
  [STABLE, 'stable: all players'],
  [BETA, 'beta: players who joined it'],
  [DEV, 'dev: only the team'],
] as const

const field = (name: string, label: string) => ({ form: EMPTY_FORM, scope: 'build', name, label })

interface UploadFormProps {
  project: Project
  /** The visitor's system, which is preselected. */
  os: OperatingSystem | null
  /** The channels that the project has used so far. */
  channels: readonly string[]
  /** The names of the apps that the project has used so far, by slug. */
  apps: ReadonlyMap<string, string>
}

/** The upload runs in the browser; without script the command-line uploader does the same. */
export function UploadForm({ project, os, channels, apps }: UploadFormProps) {
  const { uid } = project.listing
  const usual = new Set<string>(CHANNELS.map(([name]) => name))
  const own = [...new Set(channels).difference(usual)]
  return (
    <section class="panel stack" aria-labelledby="upload-heading" id="upload">
      <h2 id="upload-heading">Upload a build</h2>
      <noscript>
        <p class="notice warn">
          Uploads in the browser need JavaScript. The command-line uploader shelf works without it: see the
          Pipelines tab.
        </p>
      </noscript>
      <div
        class="stack with-script"
        data-upload
        data-api={`/api/v1/private/games/${uid}`}
        data-worker={SCRIPTS.hashWorker.path}
        inert
      >
        <div class="notice bad faults" role="alert" data-faults hidden>
          <ul />
        </div>
        <p role="status" data-done />
        <Progress />
        <form class="form" noValidate>
          <div class="triple">
            <TextField {...field('version', 'Version')} limit={VERSION_MAX} placeholder="1.2.0" />
            <SelectField {...field('os', 'System')} value={os ?? 'windows'} options={SYSTEMS} />
            <SelectField {...field('arch', 'Processor')} value="x86_64" options={PROCESSORS} />
          </div>
          <SelectField
            {...field('channel', 'Channel')}
            value={STABLE}
            options={[...CHANNELS, ...own.map((name) => [name, `${name}: only the team`] as const)]}
            hint="The channel moves to this build when its scan has found it clean, if its version is newer."
          />
          <div class="drop" data-drop>
            <label for="build-file">File: choose the .zip, or drop it here</label>
            <input id="build-file" name="file" type="file" accept=".zip" aria-describedby="build-file-hint" />
            <p class="quiet small" id="build-file-hint">
              Up to {FILE_BYTES_MAX / 1024 ** 3} GB. An upload that was interrupted continues where it
              stopped.
            </p>
          </div>
          <MoreFields apps={apps} />
          <Submit>Upload build</Submit>
        </form>
      </div>
    </section>
  )
}

function MoreFields({ apps }: Pick<UploadFormProps, 'apps'>) {
  return (
    <details>
      <summary>Title, changes, app and engine</summary>
      <div class="form">
        <TextField {...field('title', 'Title (optional)')} limit={TITLE_MAX} />
        <AreaField
          {...field('changelog', 'What is new (optional)')}
          placeholder={'The lamp turns\nSaves are faster'}
          hint="One change per line; indented lines below describe it. Players read it once the build is on stable."
        />
        <AreaField
          {...field('description', 'Notes above the changes (optional)')}
          limit={DESCRIPTION_MAX}
          rows={3}
        />
        <div class="triple">
          <TextField
            {...field('app', 'App (optional)')}
            placeholder="main"
            list="apps"
            hint="For another program than the game itself, such as server."
          />
          <TextField
            {...field('app_name', 'Name of the app (optional)')}
            limit={APP_NAME_MAX}
            placeholder="Dedicated server"
            hint="What players read above its downloads."
          />
          <datalist id="apps">
            {[...apps].map(([app, name]) => (
              <option key={app} value={app}>
                {name}
              </option>
            ))}
          </datalist>
          <TextField {...field('engine_version', 'Engine (optional)')} limit={ENGINE_VERSION_MAX} />
        </div>
      </div>
    </details>
  )
}

function Progress() {
  return (
    <section class="upload-progress" aria-labelledby="upload-name" data-progress hidden>
      <div class="row between">
        <h3 id="upload-name" data-name>
          Upload
        </h3>
        <p class="row">
          <button type="button" class="button second" data-pause>
            Pause
          </button>
          <button type="button" class="button plain" data-cancel>
            Cancel upload
          </button>
        </p>
      </div>
      <progress max={1} value={0} aria-label="Progress of the upload" />
      <p role="status" data-phase />
      <p class="quiet small upload-figures" data-figures />
    </section>
  )
}
