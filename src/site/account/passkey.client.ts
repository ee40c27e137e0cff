/** The passkey buttons of the sign-in, confirmation and account pages. */
const AUTH = '/api/auth/passkey'
const FAILED = 'That did not work. Try again, or choose another way.'

const isAble =
  'PublicKeyCredential' in globalThis &&
  typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function' &&
  typeof PublicKeyCredential.parseCreationOptionsFromJSON === 'function'

if (isAble) {
  for (const box of document.querySelectorAll<HTMLElement>('[data-passkey]')) {
    box.hidden = false
    const act = box.dataset.passkey === 'add' ? add : signIn
    box.querySelector('button')?.addEventListener('click', () => void run(box, act))
  }
}

async function run(box: HTMLElement, act: (box: HTMLElement) => Promise<void>): Promise<void> {
  const button = box.querySelector('button')
  const alert = box.querySelector<HTMLElement>('[role=alert]')
  if (button) button.disabled = true
  if (alert) alert.hidden = true
  try {
    await act(box)
  } catch (error) {
    if (!alert) return
    alert.textContent = error instanceof Refusal ? error.message : FAILED
    alert.hidden = false
  } finally {
    if (button) button.disabled = false
  }
}

/** Aborts the browser's passkey suggestions in the e-mail field, before a button starts its own request. */
let suggestions: AbortController | null = null
const field = document.querySelector('input[autocomplete~=webauthn]')
if (isAble && field) void suggest()

async function suggest(): Promise<void> {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return
  const box = document.querySelector<HTMLElement>('[data-passkey=sign-in]')
  if (!box) return
  suggestions = new AbortController()
  try {
    await signInBy(box, { mediation: 'conditional', signal: suggestions.signal })
  } catch {
    // No suggested passkey was chosen.
  }
}

async function signIn(box: HTMLElement): Promise<void> {
  suggestions?.abort()
  await signInBy(box, {})
}

async function signInBy(box: HTMLElement, how: CredentialRequestOptions): Promise<void> {
  const options = await call('/generate-authenticate-options')
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  )
  const response = await navigator.credentials.get({ ...how, publicKey })
  await call('/verify-authentication', { response })
  location.assign(box.dataset.next ?? '/')
}

async function add(box: HTMLElement): Promise<void> {
  const options = await call('/generate-register-options')
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  )
  const response = await navigator.credentials.create({ publicKey })
  const name = box.querySelector('input')?.value.trim()
  await call('/verify-registration', { response, ...(name ? { name } : {}) })
  location.assign('/account/security?done=passkey#security')
}

class Refusal extends Error {}

interface Answer {
  message?: string
  error?: { code: number; message: string }
}

async function call(path: string, body?: object): Promise<Answer> {
  const answer = await fetch(AUTH + path, {
    ...(body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  const said = (await answer.json()) as Answer
  if (said.error?.code === 4106) {
    location.assign(`/confirm?next=${encodeURIComponent('/account/security#security')}`)
  }
  if (!answer.ok) throw new Refusal(said.error?.message ?? said.message ?? FAILED)
  return said
}
