import { CODE_LENGTH } from '../../../features/selling/keys/codes.ts'
import { SmallPage } from '../../account/sign-in-page.tsx'
import { TextField } from '../../kit/controls.tsx'
import { PostForm, Submit } from '../../kit/form.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'

export function RedeemPage({ state }: { state: PageState }) {
  return (
    <SmallPage state={state} title="Redeem a key">
      <p class="quiet">A developer gave you a code? It puts the title into your library.</p>
      <PostForm action="/redeem">
        <TextField
          {...{ form: formOf(state, 'redeem'), name: 'code', label: 'Code' }}
          placeholder="XXXXX-XXXXX-XXXXX-XXXXX"
          hint={`${CODE_LENGTH} letters and digits. Capitals, spaces and dashes do not matter.`}
          required
        />
        <Submit>Redeem</Submit>
      </PostForm>
      <p class="small">
        <a href="/library">Back to your library</a>
      </p>
    </SmallPage>
  )
}
