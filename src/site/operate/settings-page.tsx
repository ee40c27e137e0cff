import type { SecondFactorPolicy } from '../../domain/second-factor.ts'
import type { RevisedSettings } from '../../features/settings/service.ts'
import { SelectField } from '../kit/controls.tsx'
import { PostForm, Submit } from '../kit/form.tsx'
import { formOf, type PageState } from '../kit/pages.ts'
import { OperateFrame } from './operate-frame.tsx'

const NOTICES = { saved: 'The settings are saved and apply at once.' }

const POLICY_LABELS: Readonly<Record<SecondFactorPolicy, string>> = {
  optional: 'Nobody',
  operators: 'Operators',
  publishers: 'Operators and everyone who publishes',
}

export function SettingsPage({ state, now }: { state: PageState; now: RevisedSettings }) {
  const { settings, revision } = now
  return (
    <OperateFrame state={state} tab="/operate/settings" notices={NOTICES}>
      <PostForm action="/operate/settings">
        <input type="hidden" name="revision" value={String(revision)} />
        <SelectField
          {...{ form: formOf(state, 'settings'), name: 'second_factor', value: settings.second_factor }}
          label="Who must have a second factor"
          hint="A passkey or an authenticator app. Who lacks one is led to set it up before they run the store, issue deploy keys, trust a pipeline or promote a build to stable. Keys that pipelines have go on working."
          options={Object.entries(POLICY_LABELS)}
        />
        <p>
          <Submit>Save settings</Submit>
        </p>
      </PostForm>
    </OperateFrame>
  )
}
