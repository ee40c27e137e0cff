import { STORE_NAME_MAX } from '../../../domain/store-settings.ts'
import type { Visit } from '../../../http/visit.ts'
import { NAME_MAX } from '../../../lib/text/names.ts'
import { NewCredentials, SmallPage } from '../../account/sign-in-page.tsx'
import { SelectField, TextField } from '../../kit/controls.tsx'
import { PostForm, Submit } from '../../kit/form.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'
import { PUBLISHING, SIGN_UP } from '../store/settings-groups.tsx'

/** Everything that a new store needs, on one page. All of it can be changed later. */
export function SetupPage({ state, token }: { state: PageState; token: string }) {
  const form = formOf(state, 'setup')
  const { name, accent, sign_up, publishing } = state.visit.store.settings
  return (
    <SmallPage state={state} title="Set up your store">
      <p>You can change all of this later, under Operate.</p>
      <PostForm action="/setup">
        <input type="hidden" name="token" value={token} />
        <h2>Your store</h2>
        <TextField
          {...{ form, name: 'store_name', label: 'Name of the store', value: name, limit: STORE_NAME_MAX }}
          required
        />
        <TextField
          {...{ form, name: 'accent', label: 'Colour', value: accent, type: 'color' }}
          hint="All colours of both themes are made from it, so that text can be read."
        />
        <SelectField
          {...{ form, name: 'sign_up', label: 'Who can create an account', value: sign_up, options: SIGN_UP }}
        />
        <SelectField
          {...{ form, name: 'publishing', label: 'Who publishes', value: publishing, options: PUBLISHING }}
        />
        <h2>Your account</h2>
        <p class="small">It runs the store. Next you add a passkey or an authenticator app to it.</p>
        <TextField
          {...{ form, name: 'name', label: 'Your name', maxLength: NAME_MAX }}
          autoComplete="name"
          required
        />
        <NewCredentials form={form} />
        <Submit>Set up the store</Submit>
      </PostForm>
    </SmallPage>
  )
}

export function UsedSetupPage({ visit }: { visit: Visit }) {
  return (
    <SmallPage state={{ visit }} title="This address does not work">
      <p>
        It was used, or is older than 24 hours. If nobody runs this store yet, start the server again: it
        prints a new one.
      </p>
    </SmallPage>
  )
}
