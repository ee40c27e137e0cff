import { TextField } from '../../kit/controls.tsx'
import { FaultSummary, PostForm, Submit } from '../../kit/form.tsx'
import { Layout } from '../../kit/layout.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'

export function RedeemPage({ state }: { state: PageState }) {
  const form = formOf(state, 'redeem')
  return (
    <Layout visit={state.visit} title="Redeem a key">
      <div class="panel small-page">
        <h1>Redeem a key</h1>
        <p class="lead">A developer gave you a code? It puts the game into your library.</p>
        <FaultSummary form={form} />
        <PostForm action="/redeem">
          <TextField
            {...{ form, name: 'code', label: 'Code', placeholder: 'XXXXX-XXXXX-XXXXX-XXXXX' }}
            hint="20 letters and digits. Capitals, spaces and dashes do not matter."
            required
          />
          <Submit>Redeem</Submit>
        </PostForm>
        <p>
          <a href="/library">Your library</a>
        </p>
      </div>
    </Layout>
  )
}
