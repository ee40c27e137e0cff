import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError, invalidFields } from '../../../errors.ts'
import { RedeemInput } from '../../../features/selling/keys/model.ts'
import { CODE_LENGTH, lettersOf, redeemKey } from '../../../features/selling/keys/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { SmallPage } from '../../account/sign-in-page.tsx'
import { readForm } from '../../kit/form-state.ts'
import { PostForm, Submit, TextField } from '../../kit/form.tsx'
import { type Act, formOf, ownPages, type PageState, type ShowPage } from '../../kit/pages.ts'

const { view, submit } = ownPages

/** The page where players redeem a key. */
export function redeemPages(kit: HttpKit, deps: Deps) {
  const showForm: ShowPage<WebsiteUser> = (_, state) => <RedeemPage state={state} />

  const redeem: Act<WebsiteUser> = async (user, form) => {
    const code = parseCode(form)
    const { game } = await redeemKey(deps, user, code).catch(atCode)
    const path = game.vanity_name === null ? '/library' : `/games/${game.vanity_name}`
    return `${path}?done=redeemed`
  }

  return createRoutes(kit, { name: 'redeem-pages', prefix: '/redeem' })
    .get('', view(showForm), { page: true })
    .post('', submit('redeem', redeem, showForm), { page: true, limit: ['redeem', 'redeem_address'] })
}

/** Checks the length before the database: it reveals nothing about existing codes. */
function parseCode(form: URLSearchParams): string {
  const { code } = readForm(RedeemInput, form)
  const { length } = lettersOf(code)
  if (length === 0) throw invalidFields([{ path: 'code', message: 'Enter the code.' }])
  if (length !== CODE_LENGTH) {
    const message = `A code has ${CODE_LENGTH} letters and digits. You typed ${length}.`
    throw invalidFields([{ path: 'code', message }])
  }
  return code
}

/** Shows every error of a code at its field. */
function atCode(error: unknown): never {
  if (!(error instanceof AppError) || error.data !== undefined) throw error
  const { kind, message, headers, cause } = error
  throw new AppError(kind, { message, headers, cause, data: { field: 'code' } })
}

function RedeemPage({ state }: { state: PageState }) {
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
